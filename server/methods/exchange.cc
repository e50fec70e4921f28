#include <optional>
#include <string>
#include <utility>

#include "config/arguments.h"
#include "server/control.h"
#include "server/errors.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"
#include "server/names.h"

namespace leveret::server {
namespace {

using config::Access;
using protocol::AmqpError;
using ErrorResult = std::optional<AmqpError>;

// Runs `change` on the control loop, then sends `ok` or the error.
template <typename Change, typename Ok>
void change_definitions(Channel& channel, bool nowait, Change change, Ok ok) {
  channel.session().ask_control<ErrorResult>(std::move(change),
                                             [&channel, nowait, ok](const ErrorResult& error) {
                                               if (error) return channel.fail(*error);
                                               if (!nowait) channel.reply(ok);
                                             });
}

// The write permission on the alternate exchange and the read permission on the exchange itself
// that a new exchange with an alternate needs. False: an error was sent.
bool check_alternate(Channel& channel, const std::string& name, protocol::FieldTable arguments) {
  Session& session = channel.session();
  if (session.vhost()->routes->find_exchange(name)) return true;
  std::optional<std::string> alternate;
  if (auto error =
          config::parse_exchange_arguments({session.vhost_name(), name}, arguments, &alternate)) {
    channel.fail(std::move(*error));
    return false;
  }
  return !alternate || (require_access(channel, Access::kRead, "exchange", name) &&
                        require_access(channel, Access::kWrite, "exchange", *alternate));
}

void on_declare(Channel& channel, std::string_view args) {
  protocol::ExchangeDeclare declare;
  if (!channel.decode(args, &declare)) return;
  Session& session = channel.session();
  ExchangeDeclaration wanted;
  wanted.vhost = session.vhost_name();
  wanted.name = strip_line_ends(declare.exchange);
  wanted.type = declare.type;
  wanted.passive = declare.passive;
  wanted.durable = declare.durable;
  wanted.auto_delete = declare.auto_delete;
  wanted.internal = declare.internal;
  wanted.arguments = declare.arguments.bytes();
  if (!declare.passive && !exchange::parse_exchange_type(declare.type)) {
    return channel.fail(
        protocol::make_error(protocol::ReplyCode::kCommandInvalid,
                             "unknown exchange type '" + std::string(declare.type) + "'"));
  }
  if (wanted.name.empty()) return channel.fail(default_exchange_error());
  if (!declare.passive) {
    if (!require_access(channel, Access::kConfigure, "exchange", wanted.name)) return;
    if (!check_alternate(channel, wanted.name, declare.arguments)) return;
  }
  change_definitions(
      channel, declare.nowait,
      [wanted](Control& control, const Session::Reply<ErrorResult>& reply) {
        control.declare_exchange(wanted, reply);
      },
      protocol::ExchangeDeclareOk{});
}

void on_delete(Channel& channel, std::string_view args) {
  protocol::ExchangeDelete request;
  if (!channel.decode(args, &request)) return;
  const std::string name = strip_line_ends(request.exchange);
  if (name.empty()) return channel.fail(default_exchange_error());
  if (!require_access(channel, Access::kConfigure, "exchange", name)) return;
  change_definitions(
      channel, request.nowait,
      [vhost = channel.session().vhost_name(), name, if_unused = request.if_unused](
          Control& control, const Session::Reply<ErrorResult>& reply) {
        control.delete_exchange(vhost, name, if_unused, reply);
      },
      protocol::ExchangeDeleteOk{});
}

template <typename Request, typename Ok>
void on_binding(Channel& channel, std::string_view args, bool add, Ok ok) {
  Request request;
  if (!channel.decode(args, &request)) return;
  BindingChange change;
  change.vhost = channel.session().vhost_name();
  change.connection = channel.session().id();
  change.add = add;
  change.binding.source = strip_line_ends(request.source);
  change.binding.destination = strip_line_ends(request.destination);
  change.binding.to_exchange = true;
  change.binding.routing_key = request.routing_key;
  change.binding.arguments = exchange::sort_arguments(request.arguments.bytes());
  if (!check_binding_access(channel, change.binding)) return;
  change_definitions(
      channel, request.nowait,
      [change](Control& control, const Session::Reply<ErrorResult>& reply) {
        control.change_binding(change, reply);
      },
      ok);
}

}  // namespace

bool check_binding_access(Channel& channel, const exchange::Binding& binding) {
  Session& session = channel.session();
  if (!require_access(channel, Access::kWrite, binding.to_exchange ? "exchange" : "queue",
                      binding.destination)) {
    return false;
  }
  if (binding.source.empty() || (binding.to_exchange && binding.destination.empty())) {
    channel.fail(default_exchange_error());
    return false;
  }
  if (!require_access(channel, Access::kRead, "exchange", binding.source)) return false;
  const auto info = session.vhost()->routes->find_exchange(binding.source);
  if (info && info->type == exchange::ExchangeType::kTopic &&
      !session.access()->allows_topic(Access::kRead, binding.source, binding.routing_key)) {
    channel.fail(topic_refused_error(binding.routing_key, binding.source, session.vhost_name(),
                                     session.user()));
    return false;
  }
  return true;
}

void on_exchange_method(Channel& channel, std::uint16_t method_id, std::string_view args) {
  switch (method_id) {
    case protocol::ExchangeDeclare::method_id:
      return on_declare(channel, args);
    case protocol::ExchangeDelete::method_id:
      return on_delete(channel, args);
    case protocol::ExchangeBind::method_id:
      return on_binding<protocol::ExchangeBind>(channel, args, true, protocol::ExchangeBindOk{});
    case protocol::ExchangeUnbind::method_id:
      return on_binding<protocol::ExchangeUnbind>(channel, args, false,
                                                  protocol::ExchangeUnbindOk{});
    default:
      return refuse_unknown_method(channel);
  }
}

}  // namespace leveret::server
