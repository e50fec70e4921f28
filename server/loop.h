#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "config/access.h"
#include "exchange/route_snapshot.h"
#include "exchange/router.h"
#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/loop_affinity.h"
#include "queue/effects.h"
#include "server/mail.h"
#include "server/mailbox.h"
#include "server/runtime_settings.h"

namespace leveret::server {

class Broker;
class DeadLetters;
class QueueHost;
class Session;

// One vhost as a loop sees it. Stays at its address until the vhost is deleted.
struct VhostView {
  std::string name;
  exchange::RouteSnapshotRef routes;
};

// One thread with its io_context: the home of sessions and queues. Nothing but this thread touches
// them; other threads send mail.
//
// A turn: run every ready handler (sockets read in large pieces), take the mail, pump queues, write
// to every touched session, send the collected mail. Turns repeat until nothing is left to do; only
// then the loop sleeps.
class Loop {
 public:
  // The control loop has this index in `loops()` terms: one behind the last.
  Loop(Broker& broker, std::uint16_t index, std::uint16_t loop_count, const Clock& clock);
  ~Loop();

  void start(const std::string& thread_name);
  // Any thread. run() returns after the current turn.
  void stop();
  void join();
  // Runs turns on the calling thread until stop().
  void run();

  std::uint16_t index() const { return index_; }
  Broker& broker() { return broker_; }
  boost::asio::io_context& io() { return io_; }
  const LoopAffinity& affinity() const { return affinity_; }

  // Home loop only, from here on unless said otherwise.

  // Time of this turn.
  MonotonicMs now() const { return now_; }
  // Handlers that may be the first to run after a sleep call this.
  void refresh_now() { now_ = clock_.now_ms(); }
  std::int64_t wall_ms() const { return clock_.wall_ms(); }

  // Sends at the end of the turn. `to` may be this loop, and is the control loop if it equals the
  // number of loops.
  void send(std::uint16_t to, Mail mail);
  // Sends what was collected so far; the end of a turn does the same. True if there was any.
  bool flush_outboxes();
  // Any thread. Wakes the loop if it sleeps.
  void deliver(std::vector<Mail>&& mails);

  // Queues.
  QueueHost* find_queue(const QueueId& id);
  void add_queue(const QueueId& id, std::unique_ptr<QueueHost> host);
  void remove_queue(const QueueId& id);
  // The queue has ready messages and consumers with credit: pump it before the turn ends.
  void mark_dirty(QueueHost& host);
  // Calls host.on_timer() at `deadline`.
  void schedule(const QueueId& id, MonotonicMs deadline);
  const std::vector<std::unique_ptr<QueueHost>>& queues() const { return queues_; }

  // Sessions.
  Session* find_session(ConnectionId id);
  void add_session(std::shared_ptr<Session> session);
  void remove_session(ConnectionId id);
  std::vector<std::shared_ptr<Session>> sessions() const;
  // The session has output or confirms to write before the turn ends.
  void mark_dirty(Session& session);

  // Vhosts, access and settings as the control loop last published them.
  VhostView* find_vhost(std::string_view name);
  void install_routes(std::string_view vhost, exchange::RouteSnapshotRef routes);
  void remove_vhost(std::string_view name);
  const std::shared_ptr<const config::AccessTable>& access() const { return access_; }
  void install_access(std::shared_ptr<const config::AccessTable> access);
  const std::shared_ptr<const RuntimeSettings>& shared_settings() const { return settings_; }
  void install_settings(std::shared_ptr<const RuntimeSettings> settings);
  // Set while a memory or disk alarm is on; see Alarms. Empty: none.
  const std::string& alarm() const { return alarm_; }
  void set_alarm(const std::string& reason);

  exchange::Router& router() { return router_; }
  DeadLetters& dead_letters() { return *dead_letters_; }
  // Effect lists not in use; see EffectsLease.
  std::vector<std::unique_ptr<queue::Effects>>& idle_effects() { return idle_effects_; }
  // 256 KiB that whoever reads a socket may use until it returns to the loop.
  char* read_buffer() { return read_buffer_.get(); }
  static constexpr std::size_t kReadBufferBytes = 256 * 1024;
  // Working memory for routes, reused by every publish.
  std::vector<QueueId>& route_scratch() { return route_scratch_; }

 private:
  struct Timer {
    MonotonicMs at;
    QueueId queue;
    bool operator>(const Timer& other) const { return at > other.at; }
  };

  bool finish_turn();
  void tick_sessions();
  void handle(Mail& mail);
  void handle_publish(PublishMail& mail);
  void run_due_timers();
  void arm_timer();

  Broker& broker_;
  const std::uint16_t index_;
  const Clock& clock_;
  LoopAffinity affinity_;
  boost::asio::io_context io_;
  std::thread thread_;
  std::atomic<bool> stop_{false};

  Mailbox<Mail> mailbox_;
  std::atomic<bool> wake_posted_{false};

  MonotonicMs now_ = 0;
  std::vector<std::vector<Mail>> outboxes_;
  std::vector<std::uint16_t> filled_outboxes_;

  std::vector<std::unique_ptr<QueueHost>> queues_;  // by QueueId::index
  std::vector<std::uint32_t> generations_;
  std::vector<QueueId> dirty_queues_;
  std::vector<QueueId> pumping_;
  std::vector<Timer> timers_;  // heap
  boost::asio::steady_timer timer_;
  MonotonicMs timer_at_ = 0;  // 0: not armed
  boost::asio::steady_timer tick_;

  boost::unordered_flat_map<ConnectionId, std::shared_ptr<Session>, std::hash<ConnectionId>>
      sessions_;
  std::vector<std::shared_ptr<Session>> dirty_sessions_;
  std::vector<std::shared_ptr<Session>> flushing_;

  std::unordered_map<std::string, std::unique_ptr<VhostView>> vhosts_;
  std::shared_ptr<const config::AccessTable> access_;
  std::shared_ptr<const RuntimeSettings> settings_;
  std::string alarm_;
  exchange::Router router_;
  std::unique_ptr<char[]> read_buffer_;
  std::vector<QueueId> route_scratch_;
  std::unique_ptr<DeadLetters> dead_letters_;
  std::vector<std::unique_ptr<queue::Effects>> idle_effects_;
};

}  // namespace leveret::server
