#include "queue/message_queue.h"

#include <algorithm>
#include <utility>

namespace leveret::queue {

MessageQueue::MessageQueue(const QueueOptions& options, MonotonicMs now)
    : durable_(options.durable),
      auto_delete_(options.auto_delete),
      settings_(options.settings),
      ready_(options.settings.max_priority.value_or(0)),
      consumers_(options.settings.single_active_consumer),
      last_used_(now) {}

MessageQueue::~MessageQueue() {
  consumers_.clear();
}

MonotonicMs MessageQueue::expiry(const Message& message, MonotonicMs published_at) const {
  MonotonicMs at = kNever;
  if (settings_.message_ttl_ms) at = published_at + *settings_.message_ttl_ms;
  if (message.expiration_ms() >= 0) at = std::min(at, published_at + message.expiration_ms());
  return at;
}

bool MessageQueue::would_overflow(const Message& message) const {
  const auto exceeds = [](std::optional<std::int64_t> max, std::uint64_t value) {
    return max && value > static_cast<std::uint64_t>(*max);
  };
  return exceeds(settings_.max_length, ready_.size() + 1) ||
         exceeds(settings_.max_length_bytes, ready_.body_bytes() + message.body_size());
}

MessageQueue::PublishResult MessageQueue::publish(const MessageRef& message, MonotonicMs now,
                                                  Effects* effects) {
  Entry entry;
  entry.message = message;
  entry.published_at = now;
  // RabbitMQ looks at the limit before it looks for a consumer when publishes are refused, and
  // after when the head is dropped.
  if (settings_.overflow != config::Overflow::kDropHead && would_overflow(*message)) {
    if (settings_.overflow == config::Overflow::kRejectPublishDlx) {
      discard(entry, DeadLetterReason::kMaxLength, effects);
    }
    return PublishResult::kRejected;
  }
  entry.seq = MessageSeq(++last_seq_);
  QueueConsumer* consumer = ready_.empty() ? consumers_.next() : nullptr;
  if (durable_ && message->persistent() && (consumer == nullptr || !consumer->no_ack)) {
    entry.appended = true;
    Effect append;
    append.kind = Effect::Kind::kAppend;
    append.seq = entry.seq;
    append.message = message;
    effects->push_back(std::move(append));
  }
  entry.expires_at = expiry(*message, now);
  if (consumer != nullptr) {
    deliver(*consumer, std::move(entry), effects);
    return PublishResult::kAccepted;
  }
  if (entry.expires_at <= now) {
    discard(entry, DeadLetterReason::kExpired, effects);
    return PublishResult::kAccepted;
  }
  add_deadline(entry);
  ready_.push(std::move(entry));
  enforce_limits(effects);
  return PublishResult::kAccepted;
}

void MessageQueue::enforce_limits(Effects* effects) {
  if (settings_.overflow != config::Overflow::kDropHead) return;
  const auto exceeded = [this] {
    return (settings_.max_length &&
            ready_.size() > static_cast<std::uint64_t>(*settings_.max_length)) ||
           (settings_.max_length_bytes &&
            ready_.body_bytes() > static_cast<std::uint64_t>(*settings_.max_length_bytes));
  };
  while (!ready_.empty() && exceeded()) {
    discard(ready_.pop_least(), DeadLetterReason::kMaxLength, effects);
  }
}

void MessageQueue::deliver(QueueConsumer& consumer, Entry entry, Effects* effects) {
  Effect effect;
  effect.kind = Effect::Kind::kDeliver;
  effect.seq = entry.seq;
  effect.consumer = consumer.id;
  effect.cookie = consumer.cookie;
  effect.no_ack = consumer.no_ack;
  effect.redelivered = entry.redelivered;
  effect.delivery_count = entry.delivery_count;
  effect.message = entry.message;
  effects->push_back(std::move(effect));
  if (consumer.no_ack) {
    discard(entry, std::nullopt, effects);
    return;
  }
  ++consumer.unacked;
  consumers_.update(consumer);
  hold(std::move(entry), consumer.id);
}

void MessageQueue::hold(Entry entry, ConsumerId consumer) {
  unacked_bytes_ += entry.message->body_size();
  // With a steady number of entries close to its limit the map rehashes every few erasures: 530 ns
  // a message with 50 unacked, where a half empty one takes 65 ns.
  const std::size_t wanted = 2 * (unacked_.size() + 1);
  if (wanted > unacked_.bucket_count()) unacked_.reserve(wanted);
  const std::uint64_t seq = entry.seq.value;
  unacked_.emplace(seq, Unacked{std::move(entry), consumer});
}

void MessageQueue::discard(const Entry& entry, std::optional<DeadLetterReason> reason,
                           Effects* effects) {
  if (reason && settings_.dead_letter_exchange) {
    Effect effect;
    effect.kind = Effect::Kind::kDeadLetter;
    effect.reason = *reason;
    effect.seq = entry.seq;
    effect.message = entry.message;
    effects->push_back(std::move(effect));
  }
  if (!entry.appended) return;
  Effect settle;
  settle.kind = Effect::Kind::kSettle;
  settle.seq = entry.seq;
  effects->push_back(std::move(settle));
}

ConsumerId MessageQueue::add_consumer(const ConsumerSpec& spec, MonotonicMs now) {
  last_used_ = now;
  QueueConsumer consumer;
  consumer.cookie = spec.cookie;
  consumer.no_ack = spec.no_ack;
  consumer.exclusive = spec.exclusive;
  consumer.prefetch = spec.prefetch;
  consumer.priority = spec.priority;
  return consumers_.add(std::move(consumer)).id;
}

void MessageQueue::remove_consumer(ConsumerId id, MonotonicMs now, Effects* effects) {
  if (consumers_.find(id) == nullptr) return;
  consumers_.remove(id);
  last_used_ = now;
  if (!auto_delete_ || !consumers_.empty()) return;
  Effect effect;
  effect.kind = Effect::Kind::kUnused;
  effects->push_back(std::move(effect));
}

void MessageQueue::pause_consumer(ConsumerId id) {
  if (QueueConsumer* consumer = consumers_.find(id)) {
    consumer->paused = true;
    consumers_.update(*consumer);
  }
}

void MessageQueue::resume_consumer(ConsumerId id) {
  if (QueueConsumer* consumer = consumers_.find(id)) {
    consumer->paused = false;
    consumers_.update(*consumer);
  }
}

bool MessageQueue::pump(MonotonicMs now, std::size_t budget, Effects* effects) {
  expire(now, effects);
  while (!ready_.empty()) {
    if (budget == 0) return consumers_.any_ready();
    QueueConsumer* consumer = consumers_.next();
    if (consumer == nullptr) return false;
    deliver(*consumer, ready_.pop_front(), effects);
    --budget;
  }
  return false;
}

std::optional<MessageQueue::Got> MessageQueue::get(bool no_ack, MonotonicMs now, Effects* effects) {
  last_used_ = now;
  expire(now, effects);
  if (ready_.empty()) return std::nullopt;
  Entry entry = ready_.pop_front();
  Got got{entry.seq, entry.message, entry.redelivered, entry.delivery_count, ready_.size()};
  if (no_ack) {
    discard(entry, std::nullopt, effects);
  } else {
    hold(std::move(entry), ConsumerId{});
  }
  return got;
}

std::uint64_t MessageQueue::purge(Effects* effects) {
  const std::uint64_t count = ready_.size();
  while (!ready_.empty()) discard(ready_.pop_front(), std::nullopt, effects);
  deadlines_.clear();
  return count;
}

std::uint64_t MessageQueue::clear_for_deletion(Effects* effects) {
  for (const auto& consumer : consumers_.all()) {
    Effect effect;
    effect.kind = Effect::Kind::kCancelConsumer;
    effect.consumer = consumer->id;
    effect.cookie = consumer->cookie;
    effects->push_back(std::move(effect));
  }
  consumers_.clear();
  for (const auto& [seq, unacked] : unacked_) discard(unacked.entry, std::nullopt, effects);
  unacked_.clear();
  unacked_bytes_ = 0;
  return purge(effects);
}

QueueCounts MessageQueue::counts() const {
  return {ready_.size(), unacked_.size(), consumers_.size(), ready_.body_bytes(), unacked_bytes_};
}

bool MessageQueue::has_exclusive_consumer() const {
  return consumers_.has_exclusive();
}

const config::QueueSettings& MessageQueue::settings() const {
  return settings_;
}

}  // namespace leveret::queue
