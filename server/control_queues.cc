#include <spdlog/spdlog.h>
#include <utility>

#include "server/control.h"
#include "server/errors.h"
#include "server/queue_host.h"

// The control loop's work on queues.
namespace leveret::server {

using protocol::AmqpError;

namespace {

AmqpError inequivalent(const char* key, const std::string& name, const std::string& vhost,
                       bool received, bool current) {
  const auto text = [](bool value) { return value ? "'true'" : "'false'"; };
  return precondition_error("inequivalent arg '" + std::string(key) + "' for queue '" + name +
                            "' in vhost '" + vhost + "': received " + text(received) +
                            " but current is " + text(current));
}

}  // namespace

Control::ErrorResult Control::compare_queue(const std::string& vhost, const QueueRecord& record,
                                            const QueueDeclaration& wanted) const {
  const bool owner_matches = record.exclusive ? record.owner == wanted.connection : true;
  if (!owner_matches || (!wanted.passive && record.exclusive != wanted.exclusive)) {
    return locked_error(wanted.name, vhost);
  }
  if (wanted.passive) return std::nullopt;
  if (record.durable != wanted.durable) {
    return inequivalent("durable", wanted.name, vhost, wanted.durable, record.durable);
  }
  if (record.auto_delete != wanted.auto_delete) {
    return inequivalent("auto_delete", wanted.name, vhost, wanted.auto_delete, record.auto_delete);
  }
  return config::compare_queue_arguments({vhost, wanted.name},
                                         protocol::FieldTable(record.arguments),
                                         protocol::FieldTable(wanted.arguments));
}

void Control::declare_queue(const QueueDeclaration& wanted, const Reply<QueueDeclared>& reply) {
  Vhost* vhost = find_vhost(wanted.vhost);
  if (vhost == nullptr) {
    return reply(loop_, {no_queue_error(wanted.name, wanted.vhost), {}});
  }
  const auto at = vhost->queues.find(wanted.name);
  if (at != vhost->queues.end()) {
    QueueRecord& record = at->second;
    if (record.deleting) {
      record.after_delete.push_back([this, wanted, reply] { declare_queue(wanted, reply); });
      return;
    }
    if (auto error = compare_queue(vhost->name, record, wanted)) {
      return reply(loop_, {std::move(error), {}});
    }
    // Perhaps created a moment ago and not yet known to every loop.
    when_installed([reply, id = record.id](Loop& loop) { reply(loop, {std::nullopt, id}); });
    return;
  }
  if (wanted.passive) {
    return reply(loop_, {no_queue_error(wanted.name, wanted.vhost), {}});
  }
  // A connection that is gone already must not leave an exclusive queue behind.
  if (wanted.exclusive && !connections_.contains(wanted.connection)) return;
  if (auto error = create_queue(*vhost, wanted)) return reply(loop_, {std::move(error), {}});
  when_installed([reply, id = vhost->queues[wanted.name].id](Loop& loop) {
    reply(loop, {std::nullopt, id});
  });
}

Control::ErrorResult Control::create_queue(Vhost& vhost, const QueueDeclaration& wanted) {
  QueueRecord record;
  if (auto error = config::parse_queue_arguments(
          {vhost.name, wanted.name}, protocol::FieldTable(wanted.arguments), wanted.durable,
          wanted.exclusive, wanted.auto_delete, &record.from_arguments)) {
    return error;
  }
  if (wanted.server_named && record.from_arguments.type == config::QueueType::kQuorum) {
    return precondition_error("Cannot declare a server-named queue for type rabbit_quorum_queue");
  }
  const std::int64_t queue_max = vhost.limits.max_queues;
  if (queue_max >= 0 && vhost.queues.size() >= static_cast<std::uint64_t>(queue_max)) {
    return precondition_error("cannot declare queue '" + wanted.name + "': queue limit in vhost '" +
                              vhost.name + "' (" + std::to_string(queue_max) + ") is reached");
  }
  record.id = take_queue_id(wanted.loop);
  record.durable = wanted.durable;
  record.exclusive = wanted.exclusive;
  record.auto_delete = wanted.auto_delete;
  record.arguments = wanted.arguments;
  record.in_force = settings_in_force(vhost, wanted.name, record.from_arguments);
  QueueIdentity identity{record.id,      wanted.name,        vhost.name,
                         wanted.durable, wanted.auto_delete, {}};
  if (wanted.exclusive) {
    record.owner = identity.exclusive_owner = wanted.connection;
    connections_[wanted.connection].exclusive_queues.insert(wanted.name);
  }
  loop_.send(record.id.loop, Task([identity, settings = record.in_force](Loop& home) {
               home.add_queue(identity.id, std::make_unique<QueueHost>(home, identity, settings));
             }));
  vhost.routes.put_queue(wanted.name, record.id);
  vhost.queues[wanted.name] = std::move(record);
  changed(vhost);
  return std::nullopt;
}

QueueId Control::take_queue_id(std::uint16_t loop) {
  Slots& slots = slots_[loop];
  QueueId id;
  id.loop = loop;
  if (slots.free.empty()) {
    id.index = slots.next++;
  } else {
    id.index = slots.free.back();
    slots.free.pop_back();
  }
  id.generation = ++slots.generations[id.index];
  return id;
}

void Control::delete_queue(const QueueDeletion& wanted, const Reply<QueueDeleted>& reply) {
  Vhost* vhost = find_vhost(wanted.vhost);
  const auto at =
      vhost == nullptr ? decltype(vhost->queues.end()){} : vhost->queues.find(wanted.name);
  if (vhost == nullptr || at == vhost->queues.end()) return reply(loop_, {});
  QueueRecord& record = at->second;
  if (record.deleting) {
    record.after_delete.push_back([this, wanted, reply] { delete_queue(wanted, reply); });
    return;
  }
  if (record.exclusive && record.owner != wanted.connection) {
    return reply(loop_, {locked_error(wanted.name, wanted.vhost), 0});
  }
  start_delete(*vhost, wanted.name, wanted.if_unused, wanted.if_empty, reply);
}

void Control::delete_idle_queue(const std::string& vhost_name, const std::string& name,
                                const QueueId& id, bool expired) {
  Vhost* vhost = find_vhost(vhost_name);
  if (vhost == nullptr) return;
  const auto at = vhost->queues.find(name);
  if (at == vhost->queues.end() || at->second.id != id || at->second.deleting) return;
  if (expired) spdlog::info("queue '{}' in vhost '{}' expired", name, vhost_name);
  // A consumer may have come in the meantime: then the queue stays.
  start_delete(*vhost, name, true, false, [](Loop&, const QueueDeleted&) {});
}

void Control::start_delete(Vhost& vhost, const std::string& name, bool if_unused, bool if_empty,
                           const Reply<QueueDeleted>& reply) {
  const auto at = vhost.queues.find(name);
  if (at == vhost.queues.end()) return reply(loop_, {});
  QueueRecord& record = at->second;
  if (record.deleting) {
    record.after_delete.push_back([this, &vhost, name, if_unused, if_empty, reply] {
      start_delete(vhost, name, if_unused, if_empty, reply);
    });
    return;
  }
  record.deleting = true;
  loop_.send(record.id.loop, Task([id = record.id, vhost_name = vhost.name, name, if_unused,
                                   if_empty, reply](Loop& home) {
               QueueDeleted result;
               if (QueueHost* host = home.find_queue(id)) {
                 const auto prepared = host->prepare_delete(if_unused, if_empty);
                 result = {prepared.error, prepared.ready};
                 if (!result.error) home.remove_queue(id);
               }
               send_to_control(home, [vhost_name, name, result, reply](Control& control) {
                 control.finish_delete(vhost_name, name, result, reply);
               });
             }));
}

void Control::finish_delete(const std::string& vhost_name, const std::string& name,
                            const QueueDeleted& result, const Reply<QueueDeleted>& reply) {
  Vhost* vhost = find_vhost(vhost_name);
  const auto at = vhost->queues.find(name);
  QueueRecord record = std::move(at->second);
  const auto waiting = std::exchange(record.after_delete, {});
  if (result.error) {
    record.deleting = false;
    at->second = std::move(record);
    reply(loop_, result);
  } else {
    if (record.exclusive) {
      const auto owner = connections_.find(record.owner);
      if (owner != connections_.end()) owner->second.exclusive_queues.erase(name);
    }
    slots_[record.id.loop].free.push_back(record.id.index);
    vhost->queues.erase(at);
    delete_unbound(*vhost, vhost->routes.remove_queue(name));
    changed(*vhost);
    when_installed([reply, result](Loop& loop) { reply(loop, result); });
  }
  for (const auto& again : waiting) again();
}

}  // namespace leveret::server
