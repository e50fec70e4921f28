#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <boost/unordered/unordered_flat_map.hpp>

#include "config/arguments.h"
#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "queue/consumer_set.h"
#include "queue/deadlines.h"
#include "queue/effects.h"
#include "queue/entry.h"
#include "queue/message.h"
#include "queue/ready_list.h"

namespace leveret::queue {

struct ConsumerSpec {
  // The server's own handle; comes back in effects.
  void* cookie = nullptr;
  bool no_ack = false;
  bool exclusive = false;
  std::uint16_t prefetch = 0;  // unacked messages at most; 0: no limit; ignored with no_ack
  std::int32_t priority = 0;
};

struct QueueOptions {
  bool durable = false;
  bool auto_delete = false;
  config::QueueSettings settings;
};

struct QueueCounts {
  std::uint64_t ready = 0;
  std::uint64_t unacked = 0;
  std::uint64_t consumers = 0;
  std::uint64_t ready_bytes = 0;  // bodies
  std::uint64_t unacked_bytes = 0;
};

// One queue: ready and unacked messages, consumers and their credit, expiry and limits.
//
// Home loop: the one it was created on; no locks. Commands take the time and append effects;
// nothing here touches a socket, a clock, a disk or an exchange, so that a test drives it alone.
// Invariants: a seq is ready or unacked, never both; seqs are handed out in order of publishing,
// and a ready message returns to its place in that order when it is requeued.
class MessageQueue {
 public:
  enum class PublishResult : std::uint8_t { kAccepted, kRejected };

  MessageQueue(const QueueOptions& options, MonotonicMs now);
  ~MessageQueue();

  // Delivers at once if a consumer can take it, else keeps it. kRejected: the queue is full and its
  // overflow says so; with reject-publish-dlx a kDeadLetter effect comes too.
  PublishResult publish(const MessageRef& message, MonotonicMs now, Effects* effects);

  // Does not deliver yet: call pump() once the consumer knows (basic.consume-ok comes first).
  ConsumerId add_consumer(const ConsumerSpec& spec, MonotonicMs now);
  // Its unacked messages stay unacked. kUnused if it was the last one of an auto-delete queue.
  void remove_consumer(ConsumerId id, MonotonicMs now, Effects* effects);
  // A consumer that is paused gets nothing (its socket is full, its channel is at its global
  // prefetch). Call pump() after resuming.
  void pause_consumer(ConsumerId id);
  void resume_consumer(ConsumerId id);

  // Delivers ready messages, round robin among the consumers of the highest priority that have
  // credit, until none is left, no consumer can take one, or `budget` deliveries were made. True if
  // it stopped for the budget.
  bool pump(MonotonicMs now, std::size_t budget, Effects* effects);

  struct Got {
    MessageSeq seq;
    MessageRef message;
    bool redelivered = false;
    std::uint32_t delivery_count = 0;
    std::uint64_t ready_left = 0;
  };
  // basic.get. With no_ack the message is gone; else it is unacked until settled.
  std::optional<Got> get(bool no_ack, MonotonicMs now, Effects* effects);

  // Settlements take seqs that the channel holds unacked; a seq that is not unacked here is
  // ignored. They give consumers their credit back; pump() then delivers.
  void ack(MessageSeq seq, Effects* effects);
  // Back to their places, marked redelivered; `seqs` in any order. `counts`: whether it counts
  // toward the delivery limit.
  void requeue(std::span<const MessageSeq> seqs, bool counts, MonotonicMs now, Effects* effects);
  // A delivery that never left the broker: back to its place, flags as before.
  void undeliver(MessageSeq seq);
  // basic.reject or nack without requeue: dead-lettered or dropped.
  void reject(MessageSeq seq, Effects* effects);

  // Drops ready messages (never dead-letters); returns how many.
  std::uint64_t purge(Effects* effects);
  // kCancelConsumer for each consumer and kSettle for what was appended; returns the ready count.
  std::uint64_t clear_for_deletion(Effects* effects);

  // A policy changed: applies to messages already queued, too.
  void apply_settings(const config::QueueSettings& settings, MonotonicMs now, Effects* effects);

  // Declares, gets and consumers keep a queue with x-expires alive.
  void touch(MonotonicMs now);
  // When on_timer() wants to be called; empty: no need.
  std::optional<MonotonicMs> next_deadline() const;
  void on_timer(MonotonicMs now, Effects* effects);

  QueueCounts counts() const;
  bool has_exclusive_consumer() const;
  const config::QueueSettings& settings() const;

 private:
  struct Unacked {
    Entry entry;
    ConsumerId consumer;  // 0: basic.get
  };

  MonotonicMs expiry(const Message& message, MonotonicMs published_at) const;
  bool would_overflow(const Message& message) const;
  void enforce_limits(Effects* effects);
  void deliver(QueueConsumer& consumer, Entry entry, Effects* effects);
  // Unacked from now on.
  void hold(Entry entry, ConsumerId consumer);
  // Gone for good; dead-lettered if `reason` says why and the queue has a dead-letter exchange.
  void discard(const Entry& entry, std::optional<DeadLetterReason> reason, Effects* effects);
  void add_deadline(const Entry& entry);
  void expire(MonotonicMs now, Effects* effects);
  void give_credit(ConsumerId id);
  std::optional<Unacked> take_unacked(MessageSeq seq);

  const bool durable_;
  const bool auto_delete_;
  config::QueueSettings settings_;
  ReadyList ready_;
  boost::unordered_flat_map<std::uint64_t, Unacked> unacked_;
  std::uint64_t unacked_bytes_ = 0;
  ConsumerSet consumers_;
  Deadlines deadlines_;
  std::uint64_t last_seq_ = 0;
  MonotonicMs last_used_ = 0;
};

}  // namespace leveret::queue
