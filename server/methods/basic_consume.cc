#include "server/methods/basic_consume.h"

#include <optional>
#include <string>
#include <utility>

#include "config/arguments.h"
#include "server/direct_reply.h"
#include "server/errors.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"

namespace leveret::server {
namespace {

using protocol::make_error;
using protocol::ReplyCode;

void consume_replies(Channel& channel, const protocol::BasicConsume& consume) {
  if (!consume.no_ack) {
    return channel.fail(precondition_error("reply consumer cannot acknowledge"));
  }
  if (channel.has_reply_consumer()) {
    return channel.fail(precondition_error("reply consumer already set"));
  }
  std::string tag =
      consume.consumer_tag.empty() ? channel.new_consumer_tag() : std::string(consume.consumer_tag);
  channel.set_reply_consumer(std::move(tag));
  if (!consume.nowait) {
    channel.reply(protocol::BasicConsumeOk{.consumer_tag = channel.reply_consumer_tag()});
  }
}

// False: an error was sent.
bool check_consume(Channel& channel, const protocol::BasicConsume& consume) {
  Session& session = channel.session();
  const std::string tag(consume.consumer_tag);
  if (!tag.empty() &&
      (channel.find_consumer(tag) != nullptr || channel.reply_consumer_tag() == tag)) {
    channel.fail(make_error(ReplyCode::kNotAllowed, "attempt to reuse consumer tag '" + tag + "'"));
    return false;
  }
  const std::uint32_t limit = session.settings().limits.consumers_per_channel;
  if (limit != 0 && channel.consumer_count() >= limit) {
    channel.fail(make_error(ReplyCode::kNotAllowed, "reached maximum (" + std::to_string(limit) +
                                                        ") of consumers per channel"));
    return false;
  }
  return true;
}

}  // namespace

void on_basic_consume(Channel& channel, std::string_view args) {
  protocol::BasicConsume consume;
  if (!channel.decode(args, &consume)) return;
  if (!check_consume(channel, consume)) return;
  if (consume.queue == kReplyTo) return consume_replies(channel, consume);
  const auto name = channel.resolve_queue_name(consume.queue);
  if (!name || !require_access(channel, config::Access::kRead, "queue", *name)) return;
  Session& session = channel.session();
  const protocol::AmqpError no_queue = no_queue_error(*name, session.vhost_name());
  const auto id = session.vhost()->routes->find_queue(*name);
  if (!id) return channel.fail(no_queue);
  config::ConsumerArguments arguments;
  if (auto error = config::parse_consumer_arguments({session.vhost_name(), *name},
                                                    consume.arguments, &arguments)) {
    return channel.fail(std::move(*error));
  }
  if (session.move_towards(id->loop, true)) return;
  std::string tag =
      consume.consumer_tag.empty() ? channel.new_consumer_tag() : std::string(consume.consumer_tag);
  Consumer& consumer = channel.add_consumer(tag, *id, consume.no_ack);
  ConsumeRequest request;
  request.from = channel.address();
  request.key = consumer.key;
  request.local = id->loop == session.loop().index() ? &consumer : nullptr;
  request.tag = std::move(tag);
  request.no_ack = consume.no_ack;
  request.exclusive = consume.exclusive;
  request.prefetch = channel.prefetch();
  request.priority = arguments.priority;
  session.ask_queue(
      *id,
      [no_queue, request](QueueHost* host) {
        if (host == nullptr) return QueueHost::ConsumeResult{no_queue, {}};
        return host->consume(request);
      },
      [&channel, key = consumer.key, tag = request.tag,
       nowait = consume.nowait](const QueueHost::ConsumeResult& result) {
        if (result.error) {
          channel.remove_consumer(key);
          return channel.fail(*result.error);
        }
        if (!nowait) channel.reply(protocol::BasicConsumeOk{.consumer_tag = tag});
        channel.consumer_started(key, result.id);
      },
      [queue = *id](Loop& loop, const QueueHost::ConsumeResult& result) {
        if (result.error) return;
        loop.send(queue.loop, Task([queue, id = result.id](Loop& home) {
                    if (QueueHost* host = home.find_queue(queue)) host->cancel(id);
                  }));
      });
}

void on_basic_cancel(Channel& channel, std::string_view args) {
  protocol::BasicCancel cancel;
  if (!channel.decode(args, &cancel)) return;
  const std::string tag(cancel.consumer_tag);
  const bool nowait = cancel.nowait;
  const auto reply = [&channel, tag, nowait] {
    if (!nowait) channel.reply(protocol::BasicCancelOk{.consumer_tag = tag});
  };
  if (channel.has_reply_consumer() && channel.reply_consumer_tag() == tag) {
    channel.clear_reply_consumer();
    return reply();
  }
  Consumer* consumer = channel.find_consumer(tag);
  if (consumer == nullptr) return reply();
  const ConsumerKey key = consumer->key;
  channel.session().ask_queue(
      consumer->queue,
      [id = consumer->id](QueueHost* host) {
        if (host != nullptr) host->cancel(id);
        return true;
      },
      [&channel, key, reply](bool) {
        // Deliveries that were under way have arrived by now.
        channel.remove_consumer(key);
        reply();
      });
}

}  // namespace leveret::server
