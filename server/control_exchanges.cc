#include <spdlog/spdlog.h>
#include <utility>

#include "server/control.h"
#include "server/errors.h"

// The control loop's work on exchanges and bindings.
namespace leveret::server {

using exchange::Binding;
using protocol::AmqpError;
using protocol::make_error;
using protocol::ReplyCode;

namespace {

std::string exchange_text(const std::string& name, const std::string& vhost) {
  return "exchange '" + name + "' in vhost '" + vhost + "'";
}

AmqpError inequivalent(const char* key, const std::string& object, std::string_view received,
                       std::string_view current) {
  return precondition_error("inequivalent arg '" + std::string(key) + "' for " + object +
                            ": received '" + std::string(received) + "' but current is '" +
                            std::string(current) + "'");
}

std::string_view text(bool value) {
  return value ? "true" : "false";
}

}  // namespace

Control::ErrorResult Control::compare_exchange(const std::string& vhost,
                                               const ExchangeRecord& record,
                                               const ExchangeDeclaration& wanted) const {
  const std::string object = exchange_text(wanted.name, vhost);
  const std::string_view type = exchange::exchange_type_name(record.spec.type);
  if (type != wanted.type) return inequivalent("type", object, wanted.type, type);
  if (record.durable != wanted.durable) {
    return inequivalent("durable", object, text(wanted.durable), text(record.durable));
  }
  if (record.auto_delete != wanted.auto_delete) {
    return inequivalent("auto_delete", object, text(wanted.auto_delete), text(record.auto_delete));
  }
  if (record.spec.internal != wanted.internal) {
    return inequivalent("internal", object, text(wanted.internal), text(record.spec.internal));
  }
  return config::compare_exchange_arguments({vhost, wanted.name},
                                            protocol::FieldTable(record.spec.arguments),
                                            protocol::FieldTable(wanted.arguments));
}

void Control::declare_exchange(const ExchangeDeclaration& wanted, const Reply<ErrorResult>& reply) {
  Vhost* vhost = find_vhost(wanted.vhost);
  if (vhost == nullptr) return reply(loop_, no_exchange_error(wanted.name, wanted.vhost));
  const auto at = vhost->exchanges.find(wanted.name);
  if (at != vhost->exchanges.end()) {
    if (wanted.passive) return reply(loop_, std::nullopt);
    return reply(loop_, compare_exchange(vhost->name, at->second, wanted));
  }
  if (wanted.passive) return reply(loop_, no_exchange_error(wanted.name, wanted.vhost));
  if (wanted.name.starts_with("amq.")) {
    return reply(loop_, reserved_name_error("exchange", wanted.name));
  }
  const auto type = exchange::parse_exchange_type(wanted.type);
  if (!type) {
    return reply(loop_, make_error(ReplyCode::kCommandInvalid,
                                   "unknown exchange type '" + wanted.type + "'"));
  }
  std::optional<std::string> alternate;
  if (auto error = config::parse_exchange_arguments(
          {vhost->name, wanted.name}, protocol::FieldTable(wanted.arguments), &alternate)) {
    return reply(loop_, std::move(error));
  }
  put_exchange(*vhost, wanted, *type, alternate);
  when_installed([reply](Loop& loop) { reply(loop, std::nullopt); });
}

void Control::put_exchange(Vhost& vhost, const ExchangeDeclaration& wanted,
                           exchange::ExchangeType type,
                           const std::optional<std::string>& alternate) {
  ExchangeRecord record;
  record.durable = wanted.durable;
  record.auto_delete = wanted.auto_delete;
  record.alternate_argument = alternate;
  record.spec.name = wanted.name;
  record.spec.type = type;
  record.spec.internal = wanted.internal;
  record.spec.arguments = wanted.arguments;
  record.spec.alternate_exchange = alternate_in_force(vhost, wanted.name, alternate);
  vhost.routes.put_exchange(record.spec);
  vhost.exchanges[wanted.name] = std::move(record);
  changed(vhost);
}

void Control::delete_exchange(const std::string& vhost_name, const std::string& name,
                              bool if_unused, const Reply<ErrorResult>& reply) {
  Vhost* vhost = find_vhost(vhost_name);
  if (name.starts_with("amq.")) {
    return reply(loop_, make_error(ReplyCode::kAccessRefused, "deletion of system " +
                                                                  exchange_text(name, vhost_name) +
                                                                  " not allowed"));
  }
  if (vhost == nullptr || !vhost->exchanges.contains(name)) return reply(loop_, std::nullopt);
  if (if_unused && vhost->routes.source_count(name) > 0) {
    return reply(loop_, precondition_error(exchange_text(name, vhost_name) + " in use"));
  }
  remove_exchange(*vhost, name);
  when_installed([reply](Loop& loop) { reply(loop, std::nullopt); });
}

void Control::remove_exchange(Vhost& vhost, const std::string& name) {
  std::vector<Binding> lost = vhost.routes.remove_exchange(name);
  vhost.exchanges.erase(name);
  changed(vhost);
  delete_unbound(vhost, std::move(lost));
}

void Control::delete_unbound(Vhost& vhost, std::vector<Binding> lost) {
  while (!lost.empty()) {
    const std::string source = std::move(lost.back().source);
    lost.pop_back();
    const auto at = vhost.exchanges.find(source);
    if (at == vhost.exchanges.end() || !at->second.auto_delete ||
        vhost.routes.source_count(source) > 0) {
      continue;
    }
    std::vector<Binding> more = vhost.routes.remove_exchange(source);
    vhost.exchanges.erase(at);
    lost.insert(lost.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
    changed(vhost);
  }
}

void Control::change_binding(const BindingChange& change, const Reply<ErrorResult>& reply) {
  const Binding& binding = change.binding;
  Vhost* vhost = find_vhost(change.vhost);
  const auto source =
      vhost == nullptr ? decltype(vhost->exchanges.end()){} : vhost->exchanges.find(binding.source);
  const bool has_source = vhost != nullptr && source != vhost->exchanges.end();
  if (!has_source) {
    if (!change.add) return reply(loop_, std::nullopt);
    return reply(loop_, no_exchange_error(binding.source, change.vhost));
  }
  if (binding.to_exchange) {
    if (!vhost->exchanges.contains(binding.destination)) {
      if (!change.add) return reply(loop_, std::nullopt);
      return reply(loop_, no_exchange_error(binding.destination, change.vhost));
    }
  } else {
    const auto queue = vhost->queues.find(binding.destination);
    if (queue == vhost->queues.end()) {
      if (!change.add) return reply(loop_, std::nullopt);
      return reply(loop_, no_queue_error(binding.destination, change.vhost));
    }
    if (queue->second.deleting) {
      queue->second.after_delete.push_back(
          [this, change, reply] { change_binding(change, reply); });
      return;
    }
    // Taking away a binding that is not there is no access.
    if (queue->second.exclusive && queue->second.owner != change.connection &&
        (change.add || vhost->routes.contains(binding))) {
      return reply(loop_, locked_error(binding.destination, change.vhost));
    }
  }
  if (change.add) {
    if (auto error = exchange::RouteBuilder::validate(source->second.spec.type, binding)) {
      return reply(loop_, std::move(error));
    }
  }
  if (!(change.add ? vhost->routes.bind(binding) : vhost->routes.unbind(binding))) {
    return reply(loop_, std::nullopt);
  }
  changed(*vhost);
  if (!change.add) delete_unbound(*vhost, {binding});
  when_installed([reply](Loop& loop) { reply(loop, std::nullopt); });
}

}  // namespace leveret::server
