#include "server/control.h"

#include <spdlog/spdlog.h>
#include <utility>

#include "server/errors.h"
#include "server/queue_host.h"

namespace leveret::server {

using protocol::AmqpError;
using protocol::make_error;
using protocol::ReplyCode;

Control::Control(Broker& broker, Loop& loop)
    : broker_(broker), loop_(loop), slots_(broker.loop_count()) {}

Control::~Control() = default;

Control::Vhost* Control::find_vhost(std::string_view name) {
  const auto at = vhosts_.find(name);
  return at == vhosts_.end() ? nullptr : at->second.get();
}

void Control::changed(Vhost& vhost) {
  vhost.changed = true;
  any_changed_ = true;
}

void Control::when_installed(std::function<void(Loop&)> then) {
  after_install_.push_back(std::move(then));
}

bool Control::finish_turn() {
  if (!any_changed_ && after_install_.empty()) return false;
  struct Batch {
    std::vector<std::pair<std::string, exchange::RouteSnapshotRef>> routes;
    std::vector<std::function<void(Loop&)>> after;
    std::atomic<std::uint32_t> loops_left;
  };
  auto batch = std::make_shared<Batch>();
  for (auto& [name, vhost] : vhosts_) {
    if (std::exchange(vhost->changed, false)) {
      batch->routes.emplace_back(name, vhost->routes.snapshot());
    }
  }
  any_changed_ = false;
  batch->after = std::exchange(after_install_, {});
  batch->loops_left = broker_.loop_count();
  for (std::uint16_t i = 0; i < broker_.loop_count(); ++i) {
    loop_.send(i, Task([batch](Loop& loop) {
                 for (const auto& [vhost, routes] : batch->routes) {
                   loop.install_routes(vhost, routes);
                 }
                 if (batch->loops_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
                 for (const auto& then : batch->after) then(loop);
               }));
  }
  return true;
}

Control::ErrorResult Control::connection_opened(const ConnectionInfo& info) {
  Vhost* vhost = find_vhost(info.vhost);
  const auto refuse = [](const std::string& text) {
    return make_error(ReplyCode::kNotAllowed, text);
  };
  if (vhost == nullptr) return refuse("vhost " + info.vhost + " not found");
  if (connection_max_ != 0 && connections_.size() >= connection_max_) {
    return refuse("connection refused: node connection limit (" + std::to_string(connection_max_) +
                  ") is reached");
  }
  const std::int64_t vhost_max = vhost->limits.max_connections;
  if (vhost_max >= 0 && vhost->connections >= static_cast<std::uint64_t>(vhost_max)) {
    return refuse("access to vhost '" + info.vhost + "' refused for user '" + info.user +
                  "': connection limit (" + std::to_string(vhost_max) + ") is reached");
  }
  const std::int64_t user_max = user_limits_[info.user].max_connections;
  std::size_t& of_user = connections_of_user_[info.user];
  if (user_max >= 0 && of_user >= static_cast<std::uint64_t>(user_max)) {
    return refuse("connection refused for user '" + info.user + "': user connection limit (" +
                  std::to_string(user_max) + ") is reached");
  }
  ++of_user;
  ++vhost->connections;
  connections_[info.id].info = info;
  return std::nullopt;
}

void Control::connection_closed(ConnectionId id, std::function<void(Loop&)> then) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) {
    if (then) then(loop_);
    return;
  }
  const Connection connection = std::move(at->second);
  connections_.erase(at);
  --connections_of_user_[connection.info.user];
  Vhost* vhost = find_vhost(connection.info.vhost);
  if (vhost != nullptr) --vhost->connections;
  if (vhost == nullptr || connection.exclusive_queues.empty()) {
    if (then) then(loop_);
    return;
  }
  // Replies come back on loops; the count is only touched on this one.
  auto left = std::make_shared<std::size_t>(connection.exclusive_queues.size());
  for (const std::string& name : connection.exclusive_queues) {
    start_delete(*vhost, name, false, false, [left, then](Loop& loop, const QueueDeleted&) {
      send_to_control(loop, [left, then](Control& control) {
        if (--*left == 0 && then) then(control.loop());
      });
    });
  }
}

config::QueueSettings Control::settings_in_force(
    const Vhost& vhost, const std::string& name,
    const config::QueueSettings& from_arguments) const {
  const auto target = from_arguments.type == config::QueueType::kQuorum
                          ? config::PolicyTarget::kQuorumQueue
                          : config::PolicyTarget::kClassicQueue;
  return config::effective_queue_settings(from_arguments, policies_.match(vhost.name, target, name),
                                          policies_.match_operator(vhost.name, target, name));
}

std::optional<std::string> Control::alternate_in_force(
    const Vhost& vhost, const std::string& name, const std::optional<std::string>& argument) const {
  return config::effective_alternate_exchange(
      argument, policies_.match(vhost.name, config::PolicyTarget::kExchange, name));
}

}  // namespace leveret::server
