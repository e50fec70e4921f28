#include "server/methods/dispatch.h"
#include "server/methods/reply.h"

namespace leveret::server {

void on_access_method(Channel& channel, std::uint16_t method_id, std::string_view args) {
  if (method_id != protocol::AccessRequest::method_id) return refuse_unknown_method(channel);
  protocol::AccessRequest request;
  if (!channel.decode(args, &request)) return;
  // Tickets mean nothing since AMQP 0-9; RabbitMQ gives everybody number 1 and ignores it later.
  channel.reply(protocol::AccessRequestOk{.ticket = 1});
}

}  // namespace leveret::server
