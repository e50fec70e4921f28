#include "server/methods/dispatch.h"

#include <string>

#include "server/errors.h"
#include "server/methods/reply.h"

namespace leveret::server {

void dispatch_method(Channel& channel, std::uint16_t class_id, std::uint16_t method_id,
                     std::string_view args) {
  switch (class_id) {
    case protocol::BasicPublish::class_id:
      return on_basic_method(channel, method_id, args);
    case protocol::QueueDeclare::class_id:
      return on_queue_method(channel, method_id, args);
    case protocol::ExchangeDeclare::class_id:
      return on_exchange_method(channel, method_id, args);
    case protocol::ConfirmSelect::class_id:
      return on_confirm_method(channel, method_id, args);
    case protocol::TxSelect::class_id:
      return on_tx_method(channel, method_id, args);
    case protocol::ChannelOpen::class_id:
      return on_channel_method(channel, method_id, args);
    case protocol::AccessRequest::class_id:
      return on_access_method(channel, method_id, args);
    default:
      return refuse_unknown_method(channel);
  }
}

bool require_access(Channel& channel, config::Access access, std::string_view kind,
                    std::string_view name) {
  Session& session = channel.session();
  const std::string_view checked = kind == "exchange" && name.empty() ? "amq.default" : name;
  if (session.access()->allows(access, checked)) return true;
  channel.fail(refused_error(kind, name, session.vhost_name(), session.user()));
  return false;
}

void refuse_unknown_method(Channel& channel) {
  channel.fail(protocol::make_error(protocol::ReplyCode::kCommandInvalid, "unimplemented method"));
}

}  // namespace leveret::server
