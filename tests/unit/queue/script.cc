#include "tests/unit/queue/script.h"

#include <gtest/gtest.h>
#include <utility>

namespace leveret::queue::test {
namespace {

std::string_view reason_text(DeadLetterReason reason) {
  switch (reason) {
    case DeadLetterReason::kRejected:
      return "rejected";
    case DeadLetterReason::kExpired:
      return "expired";
    case DeadLetterReason::kMaxLength:
      return "maxlen";
    case DeadLetterReason::kDeliveryLimit:
      return "delivery-limit";
  }
  return "?";
}

std::string flags(bool redelivered, std::uint32_t count) {
  std::string text = redelivered ? " again" : "";
  if (count > 0) text += " count=" + std::to_string(count);
  return text;
}

QueueOptions configured(const Script::Configure& configure) {
  QueueOptions options;
  configure(options);
  return options;
}

}  // namespace

MessageRef make_message(std::string_view name, const Content& content) {
  Message::Parts parts;
  parts.exchange = "exchange";
  parts.routing_key = name;
  parts.properties = std::string_view("\0\0", 2);
  parts.persistent = content.persistent;
  parts.priority = content.priority;
  parts.expiration_ms = content.expiration_ms;
  return Message::create(parts, std::string(content.size, 'b'));
}

std::string_view name_of(const MessageRef& message) {
  return message->routing_key();
}

void StoreLedger::note(const Effect& effect) {
  if (effect.kind == Effect::Kind::kAppend) {
    EXPECT_TRUE(appended_.insert(effect.seq.value).second)
        << "appended twice: " << effect.seq.value;
    kept_.insert(effect.seq.value);
  } else if (effect.kind == Effect::Kind::kSettle) {
    EXPECT_EQ(kept_.erase(effect.seq.value), 1u) << "not in the store: " << effect.seq.value;
  }
}

Script::Script(const Configure& configure)
    : options_(configured(configure)), queue_(options_, now_) {}

Script::~Script() {
  EXPECT_EQ(said_, std::vector<std::string>()) << "nobody expected this";
  const QueueCounts counts = queue_.counts();
  if (counts.ready + counts.unacked == 0) {
    EXPECT_TRUE(ledger_.kept().empty()) << "the queue is empty and the store is not";
  }
}

MessageSeq Script::seq_of(std::string_view name) const {
  const auto at = seqs_.find(name);
  return at == seqs_.end() ? MessageSeq(1'000'000'000) : at->second;
}

void Script::publish(std::string_view name, const Content& content) {
  const auto result = queue_.publish(make_message(name, content), now_, &effects_);
  EXPECT_EQ(result, MessageQueue::PublishResult::kAccepted) << name;
  collect();
}

void Script::publish_refused(std::string_view name, const Content& content) {
  const auto result = queue_.publish(make_message(name, content), now_, &effects_);
  EXPECT_EQ(result, MessageQueue::PublishResult::kRejected) << name;
  collect();
}

void Script::consume(const std::string& consumer, const ConsumerSpec& spec) {
  const ConsumerId id = queue_.add_consumer(spec, now_);
  consumers_[consumer] = id;
  consumer_names_[id.value] = consumer;
}

void Script::cancel(const std::string& consumer) {
  queue_.remove_consumer(consumers_.at(consumer), now_, &effects_);
  collect();
}

void Script::pause(const std::string& consumer) {
  queue_.pause_consumer(consumers_.at(consumer));
}

void Script::resume(const std::string& consumer) {
  queue_.resume_consumer(consumers_.at(consumer));
}

bool Script::pump(std::size_t budget) {
  const bool more = queue_.pump(now_, budget, &effects_);
  collect();
  return more;
}

std::string Script::get(bool no_ack) {
  const auto got = queue_.get(no_ack, now_, &effects_);
  collect();
  if (!got) return "";
  EXPECT_EQ(got->ready_left, queue_.counts().ready);
  const std::string name(name_of(got->message));
  seqs_[name] = got->seq;
  names_[got->seq.value] = name;
  return name + flags(got->redelivered, got->delivery_count);
}

void Script::ack(std::string_view name) {
  queue_.ack(seq_of(name), &effects_);
  collect();
}

void Script::requeue(const std::vector<std::string>& names, bool counts) {
  std::vector<MessageSeq> seqs;
  for (const std::string& name : names) seqs.push_back(seq_of(name));
  queue_.requeue(seqs, counts, now_, &effects_);
  collect();
}

void Script::undeliver(std::string_view name) {
  queue_.undeliver(seq_of(name));
}

void Script::reject(std::string_view name) {
  queue_.reject(seq_of(name), &effects_);
  collect();
}

void Script::apply(const Configure& configure) {
  configure(options_);
  queue_.apply_settings(options_.settings, now_, &effects_);
  collect();
}

void Script::advance(MonotonicMs ms) {
  now_ += ms;
  const auto deadline = queue_.next_deadline();
  if (!deadline || *deadline > now_) return;
  queue_.on_timer(now_, &effects_);
  collect();
  const auto next = queue_.next_deadline();
  EXPECT_TRUE(!next || *next > now_) << "the timer would go off without end";
}

void Script::collect() {
  for (const Effect& effect : effects_) {
    ledger_.note(effect);
    const std::string name(effect.message ? name_of(effect.message) : "");
    switch (effect.kind) {
      case Effect::Kind::kDeliver:
        seqs_[name] = effect.seq;
        names_[effect.seq.value] = name;
        said_.push_back(name + " -> " + consumer_names_.at(effect.consumer.value) +
                        flags(effect.redelivered, effect.delivery_count));
        break;
      case Effect::Kind::kAppend:
        names_[effect.seq.value] = name;
        store_.push_back("append " + name);
        break;
      case Effect::Kind::kSettle:
        store_.push_back("settle " + names_[effect.seq.value]);
        break;
      case Effect::Kind::kDeadLetter:
        said_.push_back(name + " dead: " + std::string(reason_text(effect.reason)));
        break;
      case Effect::Kind::kCancelConsumer:
        said_.push_back("cancel " + consumer_names_.at(effect.consumer.value));
        break;
      case Effect::Kind::kUnused:
        said_.push_back("unused");
        break;
      case Effect::Kind::kExpired:
        said_.push_back("expired");
        break;
    }
  }
  effects_.clear();
}

void Script::expect(const std::vector<std::string>& sentences) {
  EXPECT_EQ(said_, sentences);
  said_.clear();
}

void Script::expect_delivered(const std::string& consumer, const std::string& message) {
  expect({message + " -> " + consumer});
}

void Script::expect_store(const std::vector<std::string>& sentences) {
  EXPECT_EQ(store_, sentences);
  store_.clear();
}

void Script::expect_counts(std::uint64_t ready, std::uint64_t unacked) {
  const QueueCounts counts = queue_.counts();
  EXPECT_EQ(counts.ready, ready);
  EXPECT_EQ(counts.unacked, unacked);
}

}  // namespace leveret::queue::test
