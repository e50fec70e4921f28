#include "tests/unit/queue/queue_model.h"

#include <algorithm>
#include <utility>

namespace leveret::queue::test {
namespace {

std::string numbered(std::uint64_t seq) {
  return "#" + std::to_string(seq);
}

}  // namespace

QueueModel::QueueModel(const QueueOptions& options, MonotonicMs now)
    : options_(options),
      priority_max_(options.settings.max_priority.value_or(0)),
      settings_(options.settings),
      last_used_(now) {}

std::size_t QueueModel::level(const Message& message) const {
  return std::min<std::size_t>(message.priority, priority_max_);
}

std::size_t QueueModel::first() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < ready_.size(); ++i) {
    const bool higher = level(ready_[i]) > level(ready_[best]);
    const bool older = level(ready_[i]) == level(ready_[best]) && ready_[i].seq < ready_[best].seq;
    if (higher || older) best = i;
  }
  return best;
}

std::size_t QueueModel::least() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < ready_.size(); ++i) {
    const bool lower = level(ready_[i]) < level(ready_[best]);
    const bool older = level(ready_[i]) == level(ready_[best]) && ready_[i].seq < ready_[best].seq;
    if (lower || older) best = i;
  }
  return best;
}

QueueModel::Message QueueModel::take_ready(std::size_t index) {
  const Message message = ready_[index];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(index));
  return message;
}

std::optional<QueueModel::Message> QueueModel::take_unacked(std::uint64_t seq) {
  for (std::size_t i = 0; i < unacked_.size(); ++i) {
    if (unacked_[i].seq != seq) continue;
    const Message message = unacked_[i];
    unacked_.erase(unacked_.begin() + static_cast<std::ptrdiff_t>(i));
    refresh_consumers();
    return message;
  }
  return std::nullopt;
}

MonotonicMs QueueModel::expiry(const Message& message) const {
  MonotonicMs at = kNever;
  if (settings_.message_ttl_ms) at = message.published_at + *settings_.message_ttl_ms;
  if (message.expiration_ms >= 0) {
    at = std::min(at, message.published_at + message.expiration_ms);
  }
  return at;
}

// Whoever comes to have credit queues up behind those that have it.
void QueueModel::refresh_consumers() {
  for (std::size_t i = 0; i < consumers_.size(); ++i) {
    Consumer& consumer = consumers_[i];
    const auto held = std::count_if(unacked_.begin(), unacked_.end(), [&](const Message& message) {
      return message.consumer == consumer.id;
    });
    const bool credit =
        !consumer.paused && (consumer.no_ack || consumer.prefetch == 0 || held < consumer.prefetch);
    const bool waits = credit && (i == 0 || !options_.settings.single_active_consumer);
    if (waits && !consumer.waits) consumer.since = ++turn_;
    consumer.waits = waits;
  }
}

QueueModel::Consumer* QueueModel::next_consumer() {
  Consumer* best = nullptr;
  for (Consumer& consumer : consumers_) {
    if (!consumer.waits) continue;
    if (best == nullptr || consumer.priority > best->priority ||
        (consumer.priority == best->priority && consumer.since < best->since)) {
      best = &consumer;
    }
  }
  if (best != nullptr) best->since = ++turn_;
  return best;
}

bool QueueModel::anybody_waits() const {
  return std::any_of(consumers_.begin(), consumers_.end(),
                     [](const Consumer& consumer) { return consumer.waits; });
}

void QueueModel::deliver(Consumer& consumer, Message message) {
  said_.push_back("deliver " + numbered(message.seq) + " to " + std::to_string(consumer.id) +
                  (message.redelivered ? " again" : "") + (consumer.no_ack ? " no-ack" : "") +
                  " count " + std::to_string(message.count));
  if (consumer.no_ack) {
    gone(message, nullptr);
    return;
  }
  message.consumer = consumer.id;
  unacked_.push_back(message);
  refresh_consumers();
}

void QueueModel::gone(const Message& message, const char* reason) {
  if (reason != nullptr && settings_.dead_letter_exchange) {
    said_.push_back("dead " + numbered(message.seq) + " " + reason);
  }
  if (message.appended) said_.push_back("settle " + numbered(message.seq));
}

bool QueueModel::publish(Message message, MonotonicMs now) {
  if (settings_.overflow != config::Overflow::kDropHead) {
    ready_.push_back(message);
    const bool over = over_limit();
    ready_.pop_back();
    if (over) {
      if (settings_.overflow == config::Overflow::kRejectPublishDlx) gone(message, "maxlen");
      return false;
    }
  }
  message.seq = ++last_seq_;
  message.published_at = now;
  message.expires_at = expiry(message);
  Consumer* consumer = ready_.empty() ? next_consumer() : nullptr;
  if (options_.durable && message.persistent && (consumer == nullptr || !consumer->no_ack)) {
    message.appended = true;
    said_.push_back("append " + numbered(message.seq));
  }
  if (consumer != nullptr) {
    deliver(*consumer, message);
  } else if (message.expires_at <= now) {
    gone(message, "expired");
  } else {
    ready_.push_back(message);
    drop_heads();
  }
  return true;
}

bool QueueModel::over_limit() const {
  const QueueCounts now = counts();
  return (settings_.max_length && static_cast<std::int64_t>(now.ready) > *settings_.max_length) ||
         (settings_.max_length_bytes &&
          static_cast<std::int64_t>(now.ready_bytes) > *settings_.max_length_bytes);
}

void QueueModel::drop_heads() {
  if (settings_.overflow != config::Overflow::kDropHead) return;
  while (!ready_.empty() && over_limit()) gone(take_ready(least()), "maxlen");
}

void QueueModel::expire(MonotonicMs now) {
  for (;;) {
    std::optional<std::size_t> due;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      if (ready_[i].expires_at > now) continue;
      if (!due || std::pair(ready_[i].expires_at, ready_[i].seq) <
                      std::pair(ready_[*due].expires_at, ready_[*due].seq)) {
        due = i;
      }
    }
    if (!due) return;
    gone(take_ready(*due), "expired");
  }
}

std::uint64_t QueueModel::add_consumer(const ConsumerSpec& spec, MonotonicMs now) {
  last_used_ = now;
  Consumer consumer;
  consumer.id = ++last_consumer_;
  consumer.no_ack = spec.no_ack;
  consumer.exclusive = spec.exclusive;
  consumer.prefetch = spec.prefetch;
  consumer.priority = spec.priority;
  consumers_.push_back(consumer);
  refresh_consumers();
  return consumer.id;
}

void QueueModel::remove_consumer(std::uint64_t id, MonotonicMs now) {
  std::erase_if(consumers_, [id](const Consumer& consumer) { return consumer.id == id; });
  refresh_consumers();
  last_used_ = now;
  if (options_.auto_delete && consumers_.empty()) said_.push_back("unused");
}

void QueueModel::pause(std::uint64_t id, bool paused) {
  for (Consumer& consumer : consumers_) {
    if (consumer.id == id) consumer.paused = paused;
  }
  refresh_consumers();
}

bool QueueModel::pump(MonotonicMs now, std::size_t budget) {
  expire(now);
  for (std::size_t made = 0; !ready_.empty() && anybody_waits(); ++made) {
    if (made == budget) return true;
    Consumer* consumer = next_consumer();
    deliver(*consumer, take_ready(first()));
  }
  return false;
}

std::optional<QueueModel::Message> QueueModel::get(bool no_ack, MonotonicMs now) {
  last_used_ = now;
  expire(now);
  if (ready_.empty()) return std::nullopt;
  Message message = take_ready(first());
  message.consumer = 0;
  if (no_ack) {
    gone(message, nullptr);
  } else {
    unacked_.push_back(message);
  }
  return message;
}

void QueueModel::ack(std::uint64_t seq) {
  if (const auto message = take_unacked(seq)) gone(*message, nullptr);
}

void QueueModel::reject(std::uint64_t seq) {
  if (const auto message = take_unacked(seq)) gone(*message, "rejected");
}

void QueueModel::requeue(const std::vector<std::uint64_t>& seqs, bool counts, MonotonicMs now) {
  for (std::uint64_t seq : seqs) {
    auto message = take_unacked(seq);
    if (!message) continue;
    message->redelivered = true;
    if (counts) ++message->count;
    const std::int64_t limit = settings_.delivery_limit.value_or(-1);
    if (limit >= 0 && message->count > limit) {
      gone(*message, "delivery-limit");
    } else {
      ready_.push_back(*message);
    }
  }
  if (!settings_.max_length && !settings_.max_length_bytes) return;
  pump(now, static_cast<std::size_t>(-1));
  drop_heads();
}

void QueueModel::undeliver(std::uint64_t seq) {
  if (const auto message = take_unacked(seq)) ready_.push_back(*message);
}

std::uint64_t QueueModel::purge() {
  const std::uint64_t count = ready_.size();
  while (!ready_.empty()) gone(take_ready(first()), nullptr);
  return count;
}

std::uint64_t QueueModel::clear_for_deletion() {
  for (const Consumer& consumer : consumers_) {
    said_.push_back("cancel " + std::to_string(consumer.id));
  }
  consumers_.clear();
  for (const Message& message : unacked_) gone(message, nullptr);
  unacked_.clear();
  return purge();
}

void QueueModel::apply_settings(const config::QueueSettings& settings, MonotonicMs now) {
  settings_ = settings;
  for (Message& message : ready_) message.expires_at = expiry(message);
  for (Message& message : unacked_) message.expires_at = expiry(message);
  expire(now);
  drop_heads();
}

void QueueModel::on_timer(MonotonicMs now) {
  expire(now);
  if (!settings_.expires_ms || !consumers_.empty()) return;
  if (last_used_ + *settings_.expires_ms > now) return;
  said_.push_back("expired");
  last_used_ = now;
}

std::optional<MonotonicMs> QueueModel::deadline() const {
  MonotonicMs at = kNever;
  for (const Message& message : ready_) at = std::min(at, message.expires_at);
  if (settings_.expires_ms && consumers_.empty()) {
    at = std::min(at, last_used_ + *settings_.expires_ms);
  }
  return at == kNever ? std::nullopt : std::optional(at);
}

QueueCounts QueueModel::counts() const {
  QueueCounts counts{ready_.size(), unacked_.size(), consumers_.size(), 0, 0};
  for (const Message& message : ready_) counts.ready_bytes += message.size;
  for (const Message& message : unacked_) counts.unacked_bytes += message.size;
  return counts;
}

bool QueueModel::has_exclusive_consumer() const {
  return std::any_of(consumers_.begin(), consumers_.end(),
                     [](const Consumer& consumer) { return consumer.exclusive; });
}

std::vector<std::string> QueueModel::take_said() {
  return std::exchange(said_, {});
}

}  // namespace leveret::queue::test
