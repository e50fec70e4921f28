#include "server/broker.h"

#include <chrono>
#include <csignal>
#include <spdlog/spdlog.h>
#include <thread>
#include <utility>

#include <boost/asio/signal_set.hpp>

#include "server/alarms.h"
#include "server/control.h"
#include "server/listener.h"
#include "server/queue_host.h"
#include "server/server_properties.h"
#include "server/session.h"

namespace leveret::server {
namespace {

constexpr std::chrono::milliseconds kStopPoll{20};
// Clients have this long to answer connection.close at shutdown.
constexpr int kStopPolls = 150;

// One loop carries more than a core's worth of clients; a second one on a machine that also runs
// the kernel's network stack and the clients costs hand-overs without gaining throughput.
std::uint16_t choose_loop_count(std::uint16_t configured) {
  if (configured != 0) return configured;
  const unsigned cores = std::thread::hardware_concurrency();
  return static_cast<std::uint16_t>(cores <= 2 ? 1 : std::min(cores, 64u));
}

}  // namespace

struct Broker::Signals {
  explicit Signals(boost::asio::io_context& io) : set(io, SIGTERM, SIGINT, SIGHUP) {}
  boost::asio::signal_set set;
  std::unique_ptr<boost::asio::steady_timer> stop_timer;
};

Broker::Broker(config::Configuration configuration, ConfigurationSource source, const Clock& clock)
    : configuration_(std::move(configuration)),
      source_(std::move(source)),
      clock_(clock),
      loop_count_(choose_loop_count(configuration_.settings.loops)) {
  for (std::uint16_t i = 0; i <= loop_count_; ++i) {
    loops_.push_back(std::make_unique<Loop>(*this, i, loop_count_, clock_));
  }
  control_ = std::make_unique<Control>(*this, control_loop());
  alarms_ = std::make_unique<Alarms>(*this, control_loop(), configuration_.settings.limits);
  signals_ = std::make_unique<Signals>(control_loop().io());
}

Broker::~Broker() = default;

void Broker::start() {
  publish_settings(configuration_);
  control_->apply(configuration_);
  control_->finish_turn();
  control_loop().flush_outboxes();
  std::vector<config::Listener> wanted = configuration_.settings.listeners;
  if (wanted.empty()) wanted.emplace_back();
  for (const config::Listener& listener : wanted) {
    listeners_.push_back(std::make_unique<Listener>(*this, control_loop(), listener));
  }
  watch_signals();
  alarms_->start();
  for (std::uint16_t i = 0; i < loop_count_; ++i) {
    loops_[i]->start("loop-" + std::to_string(i));
  }
  for (const auto& listener : listeners_) {
    listener->start();
    spdlog::info("listening on {}", listener->address());
  }
}

void Broker::run() {
  control_loop().run();
  for (std::uint16_t i = 0; i < loop_count_; ++i) loops_[i]->stop();
  for (std::uint16_t i = 0; i < loop_count_; ++i) loops_[i]->join();
}

bool Broker::finish_control_turn() {
  return control_->finish_turn();
}

void Broker::publish_settings(const config::Configuration& configuration) {
  auto settings = std::make_shared<RuntimeSettings>();
  settings->limits = configuration.settings.limits;
  settings->loopback_users = configuration.settings.loopback_users;
  settings->offer.server_properties = server_properties();
  settings->offer.channel_max = settings->limits.channel_max;
  settings->offer.frame_max = settings->limits.frame_max;
  settings->offer.heartbeat_s = settings->limits.heartbeat_s;
  auto access = std::make_shared<const config::AccessTable>(configuration.definitions);
  for (std::uint16_t i = 0; i < loop_count_; ++i) {
    control_loop().send(i, Task([settings, access](Loop& loop) {
                          loop.install_settings(settings);
                          loop.install_access(access);
                        }));
  }
}

void Broker::watch_signals() {
  signals_->set.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    if (signal == SIGHUP) {
      reload();
    } else {
      spdlog::info("{} received, shutting down", signal == SIGTERM ? "SIGTERM" : "SIGINT");
      request_stop();
    }
    watch_signals();
  });
}

void Broker::reload() {
  if (source_.file.empty()) {
    spdlog::warn("configuration not reloaded: started without a file");
    return;
  }
  config::Configuration fresh;
  try {
    fresh = config::load_yaml_file(source_.file);
    source_.overrides(&fresh);
  } catch (const std::exception& error) {
    spdlog::error("configuration not reloaded, the old one stays: {}", error.what());
    return;
  }
  configuration_ = std::move(fresh);
  publish_settings(configuration_);
  alarms_->set_limits(configuration_.settings.limits);
  control_->apply(configuration_);
  // Said once it holds everywhere.
  control_->when_installed(
      [file = source_.file](Loop&) { spdlog::info("configuration reloaded from {}", file); });
}

protocol::AmqpError Broker::shutdown_error() {
  return protocol::make_error(protocol::ReplyCode::kConnectionForced,
                              "broker forced connection closure with reason 'shutdown'");
}

void Broker::request_stop() {
  if (stopping_.exchange(true, std::memory_order_acq_rel)) {
    control_loop().stop();
    return;
  }
  for (const auto& listener : listeners_) listener->stop();
  const auto error =
      protocol::make_error(protocol::ReplyCode::kConnectionForced,
                           "broker forced connection closure with reason 'shutdown'");
  for (std::uint16_t i = 0; i < loop_count_; ++i) {
    control_loop().send(i, Task([error](Loop& loop) {
                          for (const auto& session : loop.sessions()) {
                            session->close_by_server(error);
                          }
                        }));
  }
  signals_->stop_timer = std::make_unique<boost::asio::steady_timer>(control_loop().io());
  wait_for_connections(kStopPolls);
}

void Broker::wait_for_connections(int polls_left) {
  if (control_->connection_count() == 0 || polls_left == 0) {
    spdlog::info("shutdown complete");
    control_loop().stop();
    return;
  }
  signals_->stop_timer->expires_after(kStopPoll);
  signals_->stop_timer->async_wait([this, polls_left](const boost::system::error_code& error) {
    if (!error) wait_for_connections(polls_left - 1);
  });
}

std::vector<std::string> Broker::addresses() const {
  std::vector<std::string> all;
  for (const auto& listener : listeners_) all.push_back(listener->address());
  return all;
}

}  // namespace leveret::server
