#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/yaml_loader.h"
#include "protocol/amqp_error.h"
#include "protocol/base/clock.h"
#include "server/loop.h"

namespace leveret::server {

class Alarms;
class Control;
class Listener;

// Where the configuration comes from, so that it can be read again.
struct ConfigurationSource {
  std::string file;  // empty: built-in defaults
  // What the command line and the environment say over the file.
  std::function<void(config::Configuration*)> overrides;
};

// The whole daemon: loops, control, listeners, alarms. Owns them all and ends them in order.
class Broker {
 public:
  Broker(config::Configuration configuration, ConfigurationSource source, const Clock& clock);
  ~Broker();

  // Brings the configuration into force and opens the listeners. Throws std::runtime_error with the
  // address when one cannot be opened.
  void start();
  // Runs until request_stop(); connections have been closed and threads ended when it returns.
  void run();

  // Control loop.
  void request_stop();
  void reload();

  std::uint16_t loop_count() const { return loop_count_; }
  // loop(loop_count()) is the control loop.
  Loop& loop(std::uint16_t index) { return *loops_[index]; }
  Control& control() { return *control_; }
  ConnectionId next_connection_id() { return ConnectionId(++last_connection_); }
  // "127.0.0.1:5672" of each listener.
  std::vector<std::string> addresses() const;

  // Any loop. Once true, sessions are closed with shutdown_error().
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }
  static protocol::AmqpError shutdown_error();

  // Called by the control loop at the end of its turn; true if there was anything to do.
  bool finish_control_turn();

 private:
  Loop& control_loop() { return *loops_[loop_count_]; }
  void publish_settings(const config::Configuration& configuration);
  void watch_signals();
  void wait_for_connections(int polls_left);

  config::Configuration configuration_;
  const ConfigurationSource source_;
  const Clock& clock_;
  const std::uint16_t loop_count_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::unique_ptr<Control> control_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unique_ptr<Alarms> alarms_;
  struct Signals;
  std::unique_ptr<Signals> signals_;
  std::atomic<std::uint64_t> last_connection_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace leveret::server
