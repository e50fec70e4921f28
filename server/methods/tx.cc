#include "server/errors.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"

namespace leveret::server {
namespace {

template <typename Method>
bool expect_no_arguments(Channel& channel, std::string_view args) {
  Method method;
  return channel.decode(args, &method);
}

}  // namespace

void on_tx_method(Channel& channel, std::uint16_t method_id, std::string_view args) {
  switch (method_id) {
    case protocol::TxSelect::method_id:
      if (!expect_no_arguments<protocol::TxSelect>(channel, args)) return;
      if (channel.mode() == Channel::Mode::kConfirm) {
        return channel.fail(precondition_error("cannot switch from confirm to tx mode"));
      }
      channel.set_mode(Channel::Mode::kTransaction);
      return channel.reply(protocol::TxSelectOk{});
    case protocol::TxCommit::method_id:
    case protocol::TxRollback::method_id:
      if (method_id == protocol::TxCommit::method_id
              ? !expect_no_arguments<protocol::TxCommit>(channel, args)
              : !expect_no_arguments<protocol::TxRollback>(channel, args)) {
        return;
      }
      if (channel.mode() != Channel::Mode::kTransaction) {
        return channel.fail(precondition_error("channel is not transactional"));
      }
      if (method_id == protocol::TxCommit::method_id) return channel.commit();
      channel.rollback();
      return channel.reply(protocol::TxRollbackOk{});
    default:
      return refuse_unknown_method(channel);
  }
}

}  // namespace leveret::server
