#include <set>
#include <spdlog/spdlog.h>
#include <utility>

#include "server/control.h"
#include "server/queue_host.h"

// Bringing a configuration into force, at start and again on every reload.
namespace leveret::server {
namespace {

// Exchanges that every vhost has.
struct Predeclared {
  const char* name;
  const char* type;
  bool internal;
};
constexpr Predeclared kPredeclared[] = {
    {"amq.direct", "direct", false}, {"amq.fanout", "fanout", false},
    {"amq.topic", "topic", false},   {"amq.headers", "headers", false},
    {"amq.match", "headers", false}, {"amq.rabbitmq.trace", "topic", true},
};

}  // namespace

void Control::create_vhost(const config::VhostDefinition& definition) {
  auto& vhost = vhosts_[definition.name];
  if (vhost) {
    vhost->limits = definition.limits;
    return;
  }
  vhost = std::make_unique<Vhost>();
  vhost->name = definition.name;
  vhost->limits = definition.limits;
  for (const Predeclared& exchange : kPredeclared) {
    ExchangeDeclaration wanted;
    wanted.vhost = definition.name;
    wanted.name = exchange.name;
    wanted.type = exchange.type;
    wanted.durable = true;
    wanted.internal = exchange.internal;
    put_exchange(*vhost, wanted, *exchange::parse_exchange_type(exchange.type), std::nullopt);
  }
  changed(*vhost);
}

void Control::apply(const config::Configuration& configuration) {
  const config::Definitions& definitions = configuration.definitions;
  connection_max_ = configuration.settings.limits.connection_max;
  user_limits_.clear();
  for (const config::UserDefinition& user : definitions.users) {
    user_limits_[user.name] = user.limits;
  }
  policies_ = config::PolicySet(definitions.policies, definitions.operator_policies);
  for (const config::VhostDefinition& vhost : definitions.vhosts) create_vhost(vhost);
  std::set<std::string> named;
  for (const config::VhostDefinition& vhost : definitions.vhosts) named.insert(vhost.name);
  for (const auto& [name, vhost] : vhosts_) {
    if (!named.contains(name)) {
      spdlog::warn("vhost '{}' is no longer in the configuration; it stays until a restart", name);
    }
  }
  apply_exchanges(definitions);
  apply_queues(definitions);
  apply_bindings(definitions);
  apply_policies();
}

void Control::apply_exchanges(const config::Definitions& definitions) {
  for (const config::ExchangeDefinition& exchange : definitions.exchanges) {
    ExchangeDeclaration wanted;
    wanted.vhost = exchange.vhost;
    wanted.name = exchange.name;
    wanted.type = exchange.type;
    wanted.durable = exchange.durable;
    wanted.auto_delete = exchange.auto_delete;
    wanted.internal = exchange.internal;
    wanted.arguments = exchange.arguments;
    declare_exchange(wanted, [wanted](Loop&, const ErrorResult& error) {
      if (error) {
        spdlog::error("configured exchange '{}' in vhost '{}' not applied: {}", wanted.name,
                      wanted.vhost, error->text);
      }
    });
  }
}

void Control::apply_queues(const config::Definitions& definitions) {
  for (const config::QueueDefinition& queue : definitions.queues) {
    QueueDeclaration wanted;
    wanted.vhost = queue.vhost;
    wanted.name = queue.name;
    wanted.loop = next_home_;
    next_home_ = static_cast<std::uint16_t>((next_home_ + 1) % broker_.loop_count());
    wanted.durable = queue.durable;
    wanted.auto_delete = queue.auto_delete;
    wanted.arguments = queue.arguments;
    declare_queue(wanted, [wanted](Loop&, const QueueDeclared& result) {
      if (result.error) {
        spdlog::error("configured queue '{}' in vhost '{}' not applied: {}", wanted.name,
                      wanted.vhost, result.error->text);
      }
    });
  }
}

void Control::apply_bindings(const config::Definitions& definitions) {
  for (const config::BindingDefinition& binding : definitions.bindings) {
    BindingChange change;
    change.vhost = binding.vhost;
    change.binding.source = binding.source;
    change.binding.destination = binding.destination;
    change.binding.to_exchange = binding.destination_kind == config::DestinationKind::kExchange;
    change.binding.routing_key = binding.routing_key;
    change.binding.arguments = exchange::sort_arguments(binding.arguments);
    change_binding(change, [change](Loop&, const ErrorResult& error) {
      if (error) {
        spdlog::error("configured binding from '{}' to '{}' in vhost '{}' not applied: {}",
                      change.binding.source, change.binding.destination, change.vhost, error->text);
      }
    });
  }
}

void Control::apply_policies() {
  for (auto& [vhost_name, vhost] : vhosts_) {
    for (auto& [name, record] : vhost->exchanges) {
      auto alternate = alternate_in_force(*vhost, name, record.alternate_argument);
      if (alternate == record.spec.alternate_exchange) continue;
      record.spec.alternate_exchange = std::move(alternate);
      vhost->routes.put_exchange(record.spec);
      changed(*vhost);
    }
    for (auto& [name, record] : vhost->queues) {
      const auto settings = settings_in_force(*vhost, name, record.from_arguments);
      if (settings == record.in_force) continue;
      record.in_force = settings;
      loop_.send(record.id.loop, Task([id = record.id, settings](Loop& home) {
                   if (QueueHost* host = home.find_queue(id)) host->apply_settings(settings);
                 }));
    }
  }
}

}  // namespace leveret::server
