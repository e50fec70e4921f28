#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "config/access.h"
#include "protocol/amqp_error.h"
#include "protocol/connection_fsm.h"
#include "protocol/methods.h"
#include "server/channel.h"
#include "server/loop.h"
#include "server/mail.h"
#include "server/output_queue.h"
#include "server/queue_host.h"
#include "server/runtime_settings.h"
#include "server/transport.h"

namespace leveret::server {

class Control;

// One client connection: moves bytes between the transport and the protocol's state machine and
// hands what came in to channels.
//
// Home loop: the one it was accepted on, or moved to. Frames are handled in order: while an answer
// of another loop or of the control loop is awaited, nothing more is read from the input.
// Lifetime: the loop's session table and pending socket operations.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Loop& loop, ConnectionId id, Transport transport);
  ~Session();

  // Begins to read; the handshake's time runs from here.
  void start();
  // Writes connection.close and ends once the peer has answered or a few seconds have passed.
  void close_by_server(const protocol::AmqpError& error);

  ConnectionId id() const { return id_; }
  const std::string& name() const { return transport_.name(); }
  const std::string& user() const { return user_; }
  Loop& loop() { return *loop_; }
  VhostView* vhost() const { return vhost_; }
  const std::string& vhost_name() const { return vhost_->name; }
  const config::VhostAccess* access() const { return access_.get(); }
  bool user_may_impersonate() const { return may_impersonate_; }
  const RuntimeSettings& settings() const { return *settings_; }
  std::uint32_t frame_max() const { return fsm_.frame_max(); }
  bool client_capability(std::string_view name) const { return fsm_.client_capability(name); }

  // Called by the loop.
  void flush();
  void on_tick();
  void on_alarm_changed();
  void refresh_access();
  void on_published(const PublishedMail& mail);
  // False: the channel or consumer is gone.
  bool on_remote_delivery(DeliverMail& mail);
  void on_consumer_cancelled(const ChannelAddress& to, ConsumerKey key);
  bool set_dirty() { return !std::exchange(dirty_, true); }

  // Called by channels and methods.
  OutputQueue& output() { return output_; }
  template <typename Method>
  void write(ChannelId channel, const Method& method) {
    protocol::write_method(output_.buffer(), channel, method);
    loop_->mark_dirty(*this);
  }
  void touch_output() { loop_->mark_dirty(*this); }
  // Too much output waits for this connection: consumers are not fed.
  bool output_full() const { return output_full_; }
  void note_output();
  // The consumer is to be resumed once output has drained.
  void remember_paused(const QueueId& queue, ConsumerId consumer);
  // The channel has confirms to write at the end of the turn.
  void mark_confirms(Channel& channel);
  // Closes the channel or the connection, as error.scope says, with the ids of the method at fault.
  void fail(ChannelId channel, protocol::AmqpError error);
  Channel* find_channel(ChannelId id);
  // A publish came in: the connection is subject to connection.blocked from now on.
  void note_publish();
  // Bytes published to queues of other loops and not yet taken there.
  void add_in_flight(std::uint64_t bytes) { in_flight_bytes_ += bytes; }

  // A quiet session (no consumers, nothing unsettled) that uses queues of another loop moves there.
  // True: it will, and no further input is handled until it has; with repeat_method the method that
  // is being handled now is handled again there. False: it stays.
  bool move_towards(std::uint16_t loop, bool repeat_method);

  // Nothing more of the input is handled until release_input().
  void hold_input() { awaiting_ = true; }
  void release_input();

  // Runs ask(Control&, reply) on the control loop and then(result) here; in between, no further
  // input is handled. reply takes the loop it is called on and the result.
  template <typename Result>
  using Reply = std::function<void(Loop&, Result)>;
  template <typename Result, typename Ask, typename Then>
  void ask_control(Ask ask, Then then);

  // Runs fn(QueueHost*) on the queue's home loop (null: the queue is gone) and then(result) here.
  // On this loop both run at once. orphan(loop, result) runs in place of then(result) on this loop
  // if the session is gone by then.
  template <typename Fn, typename Then, typename Orphan>
  void ask_queue(const QueueId& queue, Fn fn, Then then, Orphan orphan);
  template <typename Fn, typename Then>
  void ask_queue(const QueueId& queue, Fn fn, Then then) {
    ask_queue(queue, fn, then, [](Loop&, const auto&) {});
  }
  // Runs fn(Loop&) on that loop and then(result) here.
  template <typename Fn, typename Then>
  void ask_loop(std::uint16_t to, Fn fn, Then then);
  // then() runs here after everything sent to these loops so far was handled there.
  void fence(const std::set<std::uint16_t>& loops, std::function<void()> then);

 private:
  void wait_readable();
  void on_readable();
  bool read_once();
  // Handles complete frames of `input`; returns what is left.
  std::string_view handle_input(std::string_view input);
  void handle_pending();
  // False: stop handling input.
  bool handle_step(protocol::ConnectionStep& step);
  bool may_read() const;
  void answered();

  void authenticate(const protocol::ConnectionStep& step);
  void open_vhost(const protocol::ConnectionStep& step);
  void finish_open();
  void update_secret(const protocol::ConnectionStep& step);
  void channel_opened(ChannelId id);
  void channel_closing(ChannelId id);
  void connection_closing();
  void connection_failed(const protocol::AmqpError& error);
  void remove_channel(ChannelId id);

  void write_confirms();
  void write_output();
  void wait_writable();
  void output_drained();
  void return_credits();
  // Channels, consumers and exclusive queues go; messages return to their queues.
  void clean_up();
  void start_linger();
  bool is_quiet() const;
  void try_move();
  // On the new loop.
  void arrive(Loop& loop, int descriptor);
  // The socket is closed and the session leaves its loop.
  void end(const char* reason);

  Loop* loop_;
  const ConnectionId id_;
  Transport transport_;
  std::shared_ptr<const RuntimeSettings> settings_;
  protocol::ConnectionFsm fsm_;
  protocol::ConnectionStep step_;  // reused from frame to frame
  Buffer pending_input_;
  OutputQueue output_;

  std::string user_;
  bool may_impersonate_ = false;
  VhostView* vhost_ = nullptr;
  std::shared_ptr<const config::VhostAccess> access_;
  boost::unordered_flat_map<std::uint16_t, std::unique_ptr<Channel>> channels_;
  std::uint32_t next_generation_ = 0;
  std::vector<ChannelAddress> confirming_;
  std::vector<std::pair<QueueId, ConsumerId>> paused_consumers_;
  std::vector<CreditMail> owed_credits_;

  bool registered_ = false;  // control knows this connection
  bool opened_ = false;      // connection.open-ok was sent
  bool awaiting_ = false;    // an answer of another loop is to come
  bool reading_ = false;     // wait_readable() is pending
  bool writing_ = false;     // wait_writable() is pending
  bool dirty_ = false;
  bool output_full_ = false;
  bool published_ = false;
  bool blocked_sent_ = false;
  bool cleaned_up_ = false;
  bool abandoned_ = false;  // connection.close was sent: answers still under way are for nobody
  bool ended_ = false;
  bool lingering_ = false;
  bool moving_ = false;
  bool repeat_method_ = false;
  int moves_ = 0;
  std::uint16_t move_to_ = 0;
  std::uint64_t in_flight_bytes_ = 0;
  MonotonicMs started_at_ = 0;
  MonotonicMs last_read_ = 0;
  MonotonicMs last_write_ = 0;
  MonotonicMs linger_until_ = 0;
};

template <typename Result, typename Ask, typename Then>
void Session::ask_control(Ask ask, Then then) {
  awaiting_ = true;
  const std::uint16_t origin = loop_->index();
  Reply<Result> reply = [origin, id = id_, then](Loop& from, Result result) {
    from.send(origin, Task([id, then, result](Loop& back) {
                Session* session = back.find_session(id);
                if (session == nullptr || session->abandoned_) return;
                session->awaiting_ = false;
                then(result);
                session->answered();
              }));
  };
  send_to_control(*loop_, [ask, reply](Control& control) { ask(control, reply); });
}

template <typename Fn, typename Then>
void Session::ask_loop(std::uint16_t to, Fn fn, Then then) {
  if (to == loop_->index()) {
    then(fn(*loop_));
    return;
  }
  awaiting_ = true;
  loop_->send(to, Task([fn, then, origin = loop_->index(), id = id_](Loop& other) {
                auto result = fn(other);
                other.send(origin, Task([id, then, result](Loop& back) {
                             Session* session = back.find_session(id);
                             if (session == nullptr || session->abandoned_) return;
                             session->awaiting_ = false;
                             then(result);
                             session->answered();
                           }));
              }));
}

template <typename Fn, typename Then, typename Orphan>
void Session::ask_queue(const QueueId& queue, Fn fn, Then then, Orphan orphan) {
  if (queue.loop == loop_->index()) {
    then(fn(loop_->find_queue(queue)));
    return;
  }
  awaiting_ = true;
  const std::uint16_t origin = loop_->index();
  loop_->send(queue.loop, Task([queue, fn, then, orphan, origin, id = id_](Loop& home) {
                auto result = fn(home.find_queue(queue));
                home.send(origin, Task([id, then, orphan, result](Loop& back) {
                            Session* session = back.find_session(id);
                            if (session == nullptr || session->abandoned_) {
                              return orphan(back, result);
                            }
                            session->awaiting_ = false;
                            then(result);
                            session->answered();
                          }));
              }));
}

}  // namespace leveret::server
