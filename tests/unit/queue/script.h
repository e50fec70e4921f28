#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "queue/message_queue.h"

namespace leveret::queue::test {

struct Content {
  std::uint8_t priority = 0;
  std::int64_t expiration_ms = -1;
  std::size_t size = 1;  // of the body
  bool persistent = false;
};

// A message whose routing key is its name.
MessageRef make_message(std::string_view name, const Content& content = {});
std::string_view name_of(const MessageRef& message);

// Checks what holds for the store's effects of any queue: a seq is appended once, and settled once
// if it was appended before.
class StoreLedger {
 public:
  void note(const Effect& effect);
  // Appended and not settled.
  const std::set<std::uint64_t>& kept() const { return kept_; }

 private:
  std::set<std::uint64_t> appended_;
  std::set<std::uint64_t> kept_;
};

// One queue driven by names, at a time of the test's choosing. What the queue wants done is a list
// of sentences that the test must expect, in order and to the last one:
//
//   m1 -> c1                 delivered; with " again" if redelivered, " count=2" if counted
//   m1 dead: expired         dead-lettered; also rejected, maxlen, delivery-limit
//   cancel c1, unused, expired
//
// The store's effects are a list of their own: "append m1", "settle m1".
class Script {
 public:
  using Configure = std::function<void(QueueOptions&)>;

  explicit Script(const Configure& configure = [](QueueOptions&) {});
  ~Script();

  void publish(std::string_view name, const Content& content = {});
  void publish_refused(std::string_view name, const Content& content = {});
  void consume(const std::string& consumer, const ConsumerSpec& spec = {});
  void cancel(const std::string& consumer);
  void pause(const std::string& consumer);
  void resume(const std::string& consumer);
  // True if it stopped for the budget.
  bool pump(std::size_t budget = 1000);
  // The sentence for what came: "m1", "m1 again", "m1 again count=1"; "" for an empty queue.
  std::string get(bool no_ack = false);
  void ack(std::string_view name);
  void requeue(const std::vector<std::string>& names, bool counts = true);
  void undeliver(std::string_view name);
  void reject(std::string_view name);
  void apply(const Configure& configure);
  // Time passes; the timer goes off if it is due by then.
  void advance(MonotonicMs ms);
  // Time passes and the timer is late.
  void advance_without_timer(MonotonicMs ms) { now_ += ms; }

  void expect(const std::vector<std::string>& sentences);
  void expect_delivered(const std::string& consumer, const std::string& message);
  void expect_nothing() { expect({}); }
  void expect_store(const std::vector<std::string>& sentences);
  void expect_counts(std::uint64_t ready, std::uint64_t unacked);

  MonotonicMs now() const { return now_; }
  MessageQueue& queue() { return queue_; }
  Effects* effects() { return &effects_; }
  // Turns new effects into sentences; for tests that call queue() themselves.
  void collect();

 private:
  MessageSeq seq_of(std::string_view name) const;

  MonotonicMs now_ = 1'000'000;
  QueueOptions options_;
  MessageQueue queue_;
  Effects effects_;
  StoreLedger ledger_;
  std::vector<std::string> said_;
  std::vector<std::string> store_;
  std::map<std::string, MessageSeq, std::less<>> seqs_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::string, ConsumerId> consumers_;
  std::map<std::uint64_t, std::string> consumer_names_;
};

}  // namespace leveret::queue::test
