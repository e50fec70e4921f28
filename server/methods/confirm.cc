#include "server/errors.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"

namespace leveret::server {

void on_confirm_method(Channel& channel, std::uint16_t method_id, std::string_view args) {
  if (method_id != protocol::ConfirmSelect::method_id) return refuse_unknown_method(channel);
  protocol::ConfirmSelect select;
  if (!channel.decode(args, &select)) return;
  if (channel.mode() == Channel::Mode::kTransaction) {
    return channel.fail(precondition_error("cannot switch from tx to confirm mode"));
  }
  channel.set_mode(Channel::Mode::kConfirm);
  if (!select.nowait) channel.reply(protocol::ConfirmSelectOk{});
}

}  // namespace leveret::server
