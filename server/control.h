#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/arguments.h"
#include "config/policy.h"
#include "config/yaml_loader.h"
#include "exchange/route_builder.h"
#include "protocol/amqp_error.h"
#include "protocol/base/ids.h"
#include "server/control_requests.h"
#include "server/loop.h"

namespace leveret::server {

class Broker;

// Owner of the definitions: vhosts, exchanges, queues, bindings, policies, open connections. Builds
// route snapshots and sends them to the loops; a reply to bind or declare goes out only when every
// loop has the snapshot that contains it.
//
// Home loop: control. Requests come as mail; replies are called on whatever loop completed them.
class Control {
 public:
  template <typename Result>
  using Reply = std::function<void(Loop&, Result)>;
  using ErrorResult = std::optional<protocol::AmqpError>;

  Control(Broker& broker, Loop& loop);
  ~Control();

  Loop& loop() { return loop_; }

  void declare_exchange(const ExchangeDeclaration& wanted, const Reply<ErrorResult>& reply);
  void delete_exchange(const std::string& vhost, const std::string& name, bool if_unused,
                       const Reply<ErrorResult>& reply);
  void change_binding(const BindingChange& change, const Reply<ErrorResult>& reply);
  void declare_queue(const QueueDeclaration& wanted, const Reply<QueueDeclared>& reply);
  void delete_queue(const QueueDeletion& wanted, const Reply<QueueDeleted>& reply);
  // A queue that lost its last consumer (auto-delete), or was unused for its x-expires.
  void delete_idle_queue(const std::string& vhost, const std::string& name, const QueueId& id,
                         bool expired);

  // Counts it against the limits; the error is the refusal.
  ErrorResult connection_opened(const ConnectionInfo& info);
  // Its exclusive queues go; then() runs when they are gone everywhere.
  void connection_closed(ConnectionId id, std::function<void(Loop&)> then);
  std::size_t connection_count() const { return connections_.size(); }

  // At start and on reload. Objects that exist with other properties are kept and reported.
  void apply(const config::Configuration& configuration);

  // Runs on the loop that is the last to install what has changed up to now.
  void when_installed(std::function<void(Loop&)> then);
  // Sends what changed to the loops. True if anything did.
  bool finish_turn();

 private:
  struct ExchangeRecord {
    exchange::ExchangeSpec spec;
    bool durable = false;
    bool auto_delete = false;
    // The argument's own alternate exchange; spec holds what is in force.
    std::optional<std::string> alternate_argument;
  };
  struct QueueRecord {
    QueueId id;
    bool durable = false;
    bool exclusive = false;
    bool auto_delete = false;
    std::string arguments;
    config::QueueSettings from_arguments;
    config::QueueSettings in_force;
    ConnectionId owner;
    bool deleting = false;
    std::vector<std::function<void()>> after_delete;
  };
  struct Vhost {
    std::string name;
    config::VhostLimits limits;
    exchange::RouteBuilder routes;
    std::map<std::string, ExchangeRecord, std::less<>> exchanges;
    std::unordered_map<std::string, QueueRecord> queues;
    std::size_t connections = 0;
    bool changed = false;
  };
  struct Connection {
    ConnectionInfo info;
    std::set<std::string> exclusive_queues;
  };

  Vhost* find_vhost(std::string_view name);
  void create_vhost(const config::VhostDefinition& definition);
  void changed(Vhost& vhost);

  void put_exchange(Vhost& vhost, const ExchangeDeclaration& wanted, exchange::ExchangeType type,
                    const std::optional<std::string>& alternate);
  void remove_exchange(Vhost& vhost, const std::string& name);
  // Exchanges that lost a binding as source and are auto-delete without any left go, and so on.
  void delete_unbound(Vhost& vhost, std::vector<exchange::Binding> lost);
  ErrorResult compare_exchange(const std::string& vhost, const ExchangeRecord& record,
                               const ExchangeDeclaration& wanted) const;

  ErrorResult create_queue(Vhost& vhost, const QueueDeclaration& wanted);
  ErrorResult compare_queue(const std::string& vhost, const QueueRecord& record,
                            const QueueDeclaration& wanted) const;
  void start_delete(Vhost& vhost, const std::string& name, bool if_unused, bool if_empty,
                    const Reply<QueueDeleted>& reply);
  void finish_delete(const std::string& vhost, const std::string& name, const QueueDeleted& result,
                     const Reply<QueueDeleted>& reply);
  QueueId take_queue_id(std::uint16_t loop);
  config::QueueSettings settings_in_force(const Vhost& vhost, const std::string& name,
                                          const config::QueueSettings& from_arguments) const;
  std::optional<std::string> alternate_in_force(const Vhost& vhost, const std::string& name,
                                                const std::optional<std::string>& argument) const;
  void apply_policies();
  void apply_exchanges(const config::Definitions& definitions);
  void apply_queues(const config::Definitions& definitions);
  void apply_bindings(const config::Definitions& definitions);

  struct Slots {
    std::uint32_t next = 0;
    std::vector<std::uint32_t> free;
    std::unordered_map<std::uint32_t, std::uint32_t> generations;
  };

  Broker& broker_;
  Loop& loop_;
  std::map<std::string, std::unique_ptr<Vhost>, std::less<>> vhosts_;
  std::unordered_map<ConnectionId, Connection> connections_;
  std::unordered_map<std::string, std::size_t> connections_of_user_;
  std::unordered_map<std::string, config::UserLimits> user_limits_;
  std::uint32_t connection_max_ = 0;
  config::PolicySet policies_;
  std::vector<Slots> slots_;
  std::uint16_t next_home_ = 0;
  std::vector<std::function<void(Loop&)>> after_install_;
  bool any_changed_ = false;
};

// Runs task(Control&) on the control loop, in the order of the calls from one loop.
template <typename ControlTask>
void send_to_control(Loop& from, ControlTask task);

}  // namespace leveret::server

#include "server/broker.h"

namespace leveret::server {

template <typename ControlTask>
void send_to_control(Loop& from, ControlTask task) {
  from.send(from.broker().loop_count(),
            Task([task](Loop& control_loop) { task(control_loop.broker().control()); }));
}

}  // namespace leveret::server
