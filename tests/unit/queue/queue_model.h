#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "queue/message_queue.h"

namespace leveret::queue::test {

// What MessageQueue promises, said in the plainest way: vectors in no order and searches from end
// to end. Effects are sentences, so that a difference explains itself.
class QueueModel {
 public:
  struct Message {
    std::uint64_t seq = 0;
    std::uint8_t priority = 0;
    std::uint64_t size = 0;
    bool persistent = false;
    std::int64_t expiration_ms = -1;
    MonotonicMs published_at = 0;
    MonotonicMs expires_at = 0;
    std::uint32_t count = 0;
    bool redelivered = false;
    bool appended = false;
    std::uint64_t consumer = 0;  // who holds it unacked; 0: basic.get
  };
  struct Consumer {
    std::uint64_t id = 0;
    bool no_ack = false;
    bool exclusive = false;
    bool paused = false;
    std::uint16_t prefetch = 0;
    std::int32_t priority = 0;
    bool waits = false;       // has credit and may take messages
    std::uint64_t since = 0;  // the lower, the sooner its turn
  };

  QueueModel(const QueueOptions& options, MonotonicMs now);

  bool publish(Message message, MonotonicMs now);
  std::uint64_t add_consumer(const ConsumerSpec& spec, MonotonicMs now);
  void remove_consumer(std::uint64_t id, MonotonicMs now);
  void pause(std::uint64_t id, bool paused);
  bool pump(MonotonicMs now, std::size_t budget);
  std::optional<Message> get(bool no_ack, MonotonicMs now);
  void ack(std::uint64_t seq);
  void requeue(const std::vector<std::uint64_t>& seqs, bool counts, MonotonicMs now);
  void undeliver(std::uint64_t seq);
  void reject(std::uint64_t seq);
  std::uint64_t purge();
  std::uint64_t clear_for_deletion();
  void apply_settings(const config::QueueSettings& settings, MonotonicMs now);
  void touch(MonotonicMs now) { last_used_ = now; }
  void on_timer(MonotonicMs now);

  // The soonest thing that time alone brings about.
  std::optional<MonotonicMs> deadline() const;
  QueueCounts counts() const;
  bool has_exclusive_consumer() const;
  const std::vector<Message>& unacked() const { return unacked_; }
  const std::vector<Consumer>& consumers() const { return consumers_; }
  // Sentences since the last call.
  std::vector<std::string> take_said();

 private:
  std::size_t level(const Message& message) const;
  // Index into ready_ of what is delivered next, and of what an overflow drops.
  std::size_t first() const;
  std::size_t least() const;
  Message take_ready(std::size_t index);
  std::optional<Message> take_unacked(std::uint64_t seq);
  MonotonicMs expiry(const Message& message) const;
  void refresh_consumers();
  Consumer* next_consumer();
  bool anybody_waits() const;
  void deliver(Consumer& consumer, Message message);
  void gone(const Message& message, const char* reason);
  void expire(MonotonicMs now);
  bool over_limit() const;
  void drop_heads();

  const QueueOptions options_;
  const std::size_t priority_max_;
  config::QueueSettings settings_;
  std::vector<Message> ready_;
  std::vector<Message> unacked_;
  std::vector<Consumer> consumers_;  // in order of registration
  std::uint64_t last_seq_ = 0;
  std::uint64_t last_consumer_ = 0;
  std::uint64_t turn_ = 0;
  MonotonicMs last_used_;
  std::vector<std::string> said_;
};

}  // namespace leveret::queue::test
