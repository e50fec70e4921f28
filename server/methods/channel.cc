#include "server/errors.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"

namespace leveret::server {

void on_channel_method(Channel& channel, std::uint16_t method_id, std::string_view args) {
  switch (method_id) {
    case protocol::ChannelFlow::method_id: {
      protocol::ChannelFlow flow;
      if (!channel.decode(args, &flow)) return;
      if (!flow.active) {
        channel.fail(protocol::make_error(protocol::ReplyCode::kNotImplemented, "active=false"));
        return;
      }
      return channel.reply(protocol::ChannelFlowOk{.active = true});
    }
    case protocol::ChannelFlowOk::method_id:
      // The server never sends channel.flow; RabbitMQ lets the stray answer pass.
      return;
    default:
      return refuse_unknown_method(channel);
  }
}

}  // namespace leveret::server
