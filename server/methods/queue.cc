#include <optional>
#include <string>
#include <utility>

#include "config/arguments.h"
#include "server/broker.h"
#include "server/control.h"
#include "server/direct_reply.h"
#include "server/errors.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"
#include "server/names.h"

namespace leveret::server {
namespace {

using config::Access;
using protocol::AmqpError;
using ErrorResult = std::optional<AmqpError>;

// declare-ok with the queue's counts, which its home loop knows.
void reply_declared(Channel& channel, const std::string& name, const QueueId& id, bool nowait) {
  channel.set_last_queue(name);
  if (nowait) return;
  channel.session().ask_queue(
      id,
      [](QueueHost* host) {
        if (host == nullptr) return queue::QueueCounts{};
        host->touch();
        return host->counts();
      },
      [&channel, name](const queue::QueueCounts& counts) {
        channel.reply(protocol::QueueDeclareOk{
            .queue = name,
            .message_count = static_cast<std::uint32_t>(counts.ready),
            .consumer_count = static_cast<std::uint32_t>(counts.consumers)});
      });
}

// The name of a requester's direct reply-to address may be declared to see whether it is alive.
void declare_reply_name(Channel& channel, const std::string& name, bool nowait) {
  const auto no_queue = [&channel, name] {
    channel.fail(no_queue_error(name, channel.session().vhost_name()));
  };
  const auto address = parse_direct_reply_name(name);
  Session& session = channel.session();
  if (!address || address->loop >= session.loop().broker().loop_count()) return no_queue();
  session.ask_loop(
      address->loop,
      [name, to = *address](Loop& home) {
        Session* owner = home.find_session(to.connection);
        Channel* there = owner == nullptr ? nullptr : owner->find_channel(to.channel);
        return there != nullptr && there->reply_name() == name;
      },
      [&channel, name, nowait, no_queue](bool alive) {
        if (!alive) return no_queue();
        if (nowait) return;
        channel.reply(
            protocol::QueueDeclareOk{.queue = name, .message_count = 0, .consumer_count = 1});
      });
}

// A new queue with a dead-letter exchange needs read on itself and write on that exchange. False:
// an error was sent.
bool check_dead_letter(Channel& channel, const std::string& name, protocol::FieldTable arguments) {
  if (channel.session().vhost()->routes->find_queue(name)) return true;
  const auto value = arguments.find("x-dead-letter-exchange");
  const auto target = value ? value->string() : std::nullopt;
  return !target || (require_access(channel, Access::kRead, "queue", name) &&
                     require_access(channel, Access::kWrite, "exchange", *target));
}

void on_declare(Channel& channel, std::string_view args) {
  protocol::QueueDeclare declare;
  if (!channel.decode(args, &declare)) return;
  Session& session = channel.session();
  QueueDeclaration wanted;
  wanted.vhost = session.vhost_name();
  wanted.connection = session.id();
  wanted.loop = session.loop().index();
  wanted.name = strip_line_ends(declare.queue);
  wanted.passive = declare.passive;
  wanted.durable = declare.durable && !declare.exclusive;
  wanted.exclusive = declare.exclusive;
  wanted.auto_delete = declare.auto_delete;
  wanted.arguments = declare.arguments.bytes();
  if (wanted.name.starts_with(kReplyTo)) {
    return declare_reply_name(channel, wanted.name, declare.nowait);
  }
  if (!declare.passive) {
    if (wanted.name.empty()) {
      wanted.name = random_name("amq.gen-");
      wanted.server_named = true;
    } else if (wanted.name.starts_with("amq.")) {
      return channel.fail(reserved_name_error("queue", wanted.name));
    }
    if (!require_access(channel, Access::kConfigure, "queue", wanted.name)) return;
    if (!check_dead_letter(channel, wanted.name, declare.arguments)) return;
  }
  session.ask_control<QueueDeclared>(
      [wanted](Control& control, const Session::Reply<QueueDeclared>& reply) {
        control.declare_queue(wanted, reply);
      },
      [&channel, name = wanted.name, nowait = declare.nowait](const QueueDeclared& result) {
        if (result.error) return channel.fail(*result.error);
        reply_declared(channel, name, result.id, nowait);
      });
}

void on_bind(Channel& channel, std::string_view args, bool add) {
  BindingChange change;
  bool nowait = false;
  protocol::QueueBind bind;
  if (add) {
    if (!channel.decode(args, &bind)) return;
    nowait = bind.nowait;
  } else {
    protocol::QueueUnbind unbind;
    if (!channel.decode(args, &unbind)) return;
    bind.queue = unbind.queue;
    bind.exchange = unbind.exchange;
    bind.routing_key = unbind.routing_key;
    bind.arguments = unbind.arguments;
  }
  const auto name = channel.resolve_queue_name(bind.queue);
  if (!name) return;
  change.vhost = channel.session().vhost_name();
  change.connection = channel.session().id();
  change.add = add;
  change.binding.source = strip_line_ends(bind.exchange);
  change.binding.destination = *name;
  // Both empty: the queue's name is the key, too.
  change.binding.routing_key =
      bind.queue.empty() && bind.routing_key.empty() ? *name : std::string(bind.routing_key);
  change.binding.arguments = exchange::sort_arguments(bind.arguments.bytes());
  if (!check_binding_access(channel, change.binding)) return;
  channel.session().ask_control<ErrorResult>(
      [change](Control& control, const Session::Reply<ErrorResult>& reply) {
        control.change_binding(change, reply);
      },
      [&channel, add, nowait](const ErrorResult& error) {
        if (error) return channel.fail(*error);
        if (nowait) return;
        add ? channel.reply(protocol::QueueBindOk{}) : channel.reply(protocol::QueueUnbindOk{});
      });
}

struct Purged {
  ErrorResult error;
  std::uint64_t count = 0;
};

void on_purge(Channel& channel, std::string_view args) {
  protocol::QueuePurge purge;
  if (!channel.decode(args, &purge)) return;
  const auto name = channel.resolve_queue_name(purge.queue);
  if (!name || !require_access(channel, Access::kRead, "queue", *name)) return;
  Session& session = channel.session();
  const AmqpError no_queue = no_queue_error(*name, session.vhost_name());
  const auto id = session.vhost()->routes->find_queue(*name);
  if (!id) return channel.fail(no_queue);
  session.ask_queue(
      *id,
      [no_queue, connection = session.id()](QueueHost* host) {
        if (host == nullptr) return Purged{no_queue, 0};
        if (auto error = host->check_owner(connection)) return Purged{std::move(error), 0};
        return Purged{std::nullopt, host->purge()};
      },
      [&channel, nowait = purge.nowait](const Purged& result) {
        if (result.error) return channel.fail(*result.error);
        if (nowait) return;
        channel.reply(
            protocol::QueuePurgeOk{.message_count = static_cast<std::uint32_t>(result.count)});
      });
}

void on_delete(Channel& channel, std::string_view args) {
  protocol::QueueDelete request;
  if (!channel.decode(args, &request)) return;
  const auto name = channel.resolve_queue_name(request.queue);
  if (!name || !require_access(channel, Access::kConfigure, "queue", *name)) return;
  QueueDeletion wanted;
  wanted.vhost = channel.session().vhost_name();
  wanted.name = *name;
  wanted.connection = channel.session().id();
  wanted.if_unused = request.if_unused;
  wanted.if_empty = request.if_empty;
  channel.session().ask_control<QueueDeleted>(
      [wanted](Control& control, const Session::Reply<QueueDeleted>& reply) {
        control.delete_queue(wanted, reply);
      },
      [&channel, nowait = request.nowait](const QueueDeleted& result) {
        if (result.error) return channel.fail(*result.error);
        if (nowait) return;
        channel.reply(
            protocol::QueueDeleteOk{.message_count = static_cast<std::uint32_t>(result.ready)});
      });
}

}  // namespace

void on_queue_method(Channel& channel, std::uint16_t method_id, std::string_view args) {
  switch (method_id) {
    case protocol::QueueDeclare::method_id:
      return on_declare(channel, args);
    case protocol::QueueBind::method_id:
      return on_bind(channel, args, true);
    case protocol::QueueUnbind::method_id:
      return on_bind(channel, args, false);
    case protocol::QueuePurge::method_id:
      return on_purge(channel, args);
    case protocol::QueueDelete::method_id:
      return on_delete(channel, args);
    default:
      return refuse_unknown_method(channel);
  }
}

}  // namespace leveret::server
