#include <optional>
#include <string>

#include "server/errors.h"
#include "server/message_frames.h"
#include "server/methods/basic_consume.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"
#include "server/names.h"

namespace leveret::server {
namespace {

using config::Access;
using protocol::make_error;
using protocol::ReplyCode;

void on_publish(Channel& channel, std::string_view args) {
  protocol::BasicPublish publish;
  if (!channel.decode(args, &publish)) return;
  if (publish.immediate) {
    return channel.fail(make_error(ReplyCode::kNotImplemented, "immediate=true"));
  }
  channel.begin_publish(publish.exchange, publish.routing_key, publish.mandatory);
}

void on_qos(Channel& channel, std::string_view args) {
  protocol::BasicQos qos;
  if (!channel.decode(args, &qos)) return;
  if (qos.prefetch_size != 0) {
    return channel.fail(make_error(ReplyCode::kNotImplemented,
                                   "prefetch_size!=0 (" + std::to_string(qos.prefetch_size) + ")"));
  }
  if (qos.global) {
    channel.set_global_prefetch(qos.prefetch_count);
  } else {
    channel.set_prefetch(qos.prefetch_count);
  }
  channel.reply(protocol::BasicQosOk{});
}

struct GetResult {
  std::optional<protocol::AmqpError> error;
  std::optional<queue::MessageQueue::Got> got;
};

void reply_got(Channel& channel, const QueueId& queue, bool no_ack,
               const queue::MessageQueue::Got& got) {
  const std::uint64_t tag = channel.next_delivery_tag();
  if (!no_ack) channel.add_unacked({tag, queue, got.seq, 0, false});
  channel.reply(protocol::BasicGetOk{.delivery_tag = tag,
                                     .redelivered = got.redelivered,
                                     .exchange = got.message->exchange(),
                                     .routing_key = got.message->routing_key(),
                                     .message_count = static_cast<std::uint32_t>(got.ready_left)});
  Session& session = channel.session();
  write_content_frames(session.output(), session.frame_max(), channel.id(), got.message);
  session.note_output();
}

void on_get(Channel& channel, std::string_view args) {
  protocol::BasicGet get;
  if (!channel.decode(args, &get)) return;
  const auto name = channel.resolve_queue_name(get.queue);
  if (!name || !require_access(channel, Access::kRead, "queue", *name)) return;
  Session& session = channel.session();
  const protocol::AmqpError no_queue = no_queue_error(*name, session.vhost_name());
  const auto id = session.vhost()->routes->find_queue(*name);
  if (!id) return channel.fail(no_queue);
  if (session.move_towards(id->loop, true)) return;
  session.ask_queue(
      *id,
      [no_queue, no_ack = get.no_ack, connection = session.id()](QueueHost* host) {
        if (host == nullptr) return GetResult{no_queue, std::nullopt};
        if (auto error = host->check_owner(connection)) {
          return GetResult{std::move(error), std::nullopt};
        }
        host->touch();
        return GetResult{std::nullopt, host->get(no_ack)};
      },
      [&channel, queue = *id, no_ack = get.no_ack](const GetResult& result) {
        if (result.error) return channel.fail(*result.error);
        if (!result.got) return channel.reply(protocol::BasicGetEmpty{});
        reply_got(channel, queue, no_ack, *result.got);
      },
      [queue = *id, no_ack = get.no_ack](Loop& loop, const GetResult& result) {
        if (no_ack || !result.got) return;
        loop.send(queue.loop, SettleMail{SettleMail::Kind::kUndeliver, queue, {result.got->seq}});
      });
}

void on_recover(Channel& channel, bool requeue, bool async) {
  if (!requeue) {
    return channel.fail(make_error(ReplyCode::kNotImplemented, "requeue=false"));
  }
  channel.recover();
  if (!async) channel.reply(protocol::BasicRecoverOk{});
}

template <typename Method>
std::optional<Method> decoded(Channel& channel, std::string_view args) {
  Method method;
  if (!channel.decode(args, &method)) return std::nullopt;
  return method;
}

}  // namespace

void on_basic_method(Channel& channel, std::uint16_t method_id, std::string_view args) {
  switch (method_id) {
    case protocol::BasicPublish::method_id:
      return on_publish(channel, args);
    case protocol::BasicAck::method_id:
      if (const auto ack = decoded<protocol::BasicAck>(channel, args)) {
        channel.settle(SettleMail::Kind::kAck, ack->delivery_tag, ack->multiple);
      }
      return;
    case protocol::BasicNack::method_id:
      if (const auto nack = decoded<protocol::BasicNack>(channel, args)) {
        channel.settle(nack->requeue ? SettleMail::Kind::kRequeue : SettleMail::Kind::kReject,
                       nack->delivery_tag, nack->multiple);
      }
      return;
    case protocol::BasicReject::method_id:
      if (const auto reject = decoded<protocol::BasicReject>(channel, args)) {
        channel.settle(reject->requeue ? SettleMail::Kind::kRequeue : SettleMail::Kind::kReject,
                       reject->delivery_tag, false);
      }
      return;
    case protocol::BasicGet::method_id:
      return on_get(channel, args);
    case protocol::BasicConsume::method_id:
      return on_basic_consume(channel, args);
    case protocol::BasicCancel::method_id:
      return on_basic_cancel(channel, args);
    case protocol::BasicQos::method_id:
      return on_qos(channel, args);
    case protocol::BasicRecover::method_id:
      if (const auto recover = decoded<protocol::BasicRecover>(channel, args)) {
        on_recover(channel, recover->requeue, false);
      }
      return;
    case protocol::BasicRecoverAsync::method_id:
      if (const auto recover = decoded<protocol::BasicRecoverAsync>(channel, args)) {
        on_recover(channel, recover->requeue, true);
      }
      return;
    case protocol::BasicCancelOk::method_id:
      // RabbitMQ's answerless cancel notices may be answered all the same.
      return;
    default:
      return refuse_unknown_method(channel);
  }
}

}  // namespace leveret::server
