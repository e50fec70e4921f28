#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "queue/message_queue.h"

// Settlements, expiry and settings changes of a queue.
namespace leveret::queue {
namespace {

// Leftovers among the deadlines below this number are not worth a rebuild.
constexpr std::size_t kDeadlinesSlack = 1024;
constexpr std::size_t kNoBudget = std::numeric_limits<std::size_t>::max();

}  // namespace

std::optional<MessageQueue::Unacked> MessageQueue::take_unacked(MessageSeq seq) {
  const auto at = unacked_.find(seq.value);
  if (at == unacked_.end()) return std::nullopt;
  Unacked unacked = std::move(at->second);
  unacked_.erase(at);
  unacked_bytes_ -= unacked.entry.message->body_size();
  give_credit(unacked.consumer);
  return unacked;
}

void MessageQueue::give_credit(ConsumerId id) {
  if (id == ConsumerId{}) return;
  if (QueueConsumer* consumer = consumers_.find(id)) {
    --consumer->unacked;
    consumers_.update(*consumer);
  }
}

void MessageQueue::ack(MessageSeq seq, Effects* effects) {
  if (const auto unacked = take_unacked(seq)) discard(unacked->entry, std::nullopt, effects);
}

void MessageQueue::reject(MessageSeq seq, Effects* effects) {
  if (const auto unacked = take_unacked(seq)) {
    discard(unacked->entry, DeadLetterReason::kRejected, effects);
  }
}

void MessageQueue::requeue(std::span<const MessageSeq> seqs, bool counts, MonotonicMs now,
                           Effects* effects) {
  for (MessageSeq seq : seqs) {
    auto unacked = take_unacked(seq);
    if (!unacked) continue;
    Entry entry = std::move(unacked->entry);
    entry.redelivered = true;
    if (counts) ++entry.delivery_count;
    if (settings_.delivery_limit && *settings_.delivery_limit >= 0 &&
        entry.delivery_count > static_cast<std::uint64_t>(*settings_.delivery_limit)) {
      discard(entry, DeadLetterReason::kDeliveryLimit, effects);
      continue;
    }
    add_deadline(entry);
    ready_.put_back(std::move(entry));
  }
  // Whatever a consumer can take now does not count toward the limit.
  if (settings_.max_length || settings_.max_length_bytes) {
    pump(now, kNoBudget, effects);
    enforce_limits(effects);
  }
}

void MessageQueue::undeliver(MessageSeq seq) {
  auto unacked = take_unacked(seq);
  if (!unacked) return;
  add_deadline(unacked->entry);
  ready_.put_back(std::move(unacked->entry));
}

void MessageQueue::add_deadline(const Entry& entry) {
  if (entry.expires_at == kNever) return;
  deadlines_.add({entry.expires_at, entry.seq, entry.message->priority()});
  if (deadlines_.size() <= kDeadlinesSlack + 2 * ready_.size()) return;
  deadlines_.clear();
  deadlines_.add({entry.expires_at, entry.seq, entry.message->priority()});
  ready_.for_each([this](Entry& ready) {
    if (ready.expires_at == kNever) return;
    deadlines_.add({ready.expires_at, ready.seq, ready.message->priority()});
  });
}

void MessageQueue::expire(MonotonicMs now, Effects* effects) {
  while (const auto due = deadlines_.take_due(now)) {
    const auto entry = ready_.take(due->seq, due->priority);
    if (!entry) continue;
    discard(*entry, DeadLetterReason::kExpired, effects);
  }
}

void MessageQueue::apply_settings(const config::QueueSettings& settings, MonotonicMs now,
                                  Effects* effects) {
  const bool ttl_changed = settings.message_ttl_ms != settings_.message_ttl_ms;
  settings_ = settings;
  if (ttl_changed) {
    deadlines_.clear();
    ready_.for_each([this](Entry& entry) {
      entry.expires_at = expiry(*entry.message, entry.published_at);
      if (entry.expires_at == kNever) return;
      deadlines_.add({entry.expires_at, entry.seq, entry.message->priority()});
    });
    for (auto& [seq, unacked] : unacked_) {
      unacked.entry.expires_at = expiry(*unacked.entry.message, unacked.entry.published_at);
    }
  }
  expire(now, effects);
  enforce_limits(effects);
}

void MessageQueue::touch(MonotonicMs now) {
  last_used_ = now;
}

std::optional<MonotonicMs> MessageQueue::next_deadline() const {
  std::optional<MonotonicMs> next = deadlines_.next();
  if (settings_.expires_ms && consumers_.empty()) {
    const MonotonicMs unused_at = last_used_ + *settings_.expires_ms;
    next = next ? std::min(*next, unused_at) : unused_at;
  }
  return next;
}

void MessageQueue::on_timer(MonotonicMs now, Effects* effects) {
  expire(now, effects);
  if (!settings_.expires_ms || !consumers_.empty()) return;
  if (last_used_ + *settings_.expires_ms > now) return;
  Effect effect;
  effect.kind = Effect::Kind::kExpired;
  effects->push_back(std::move(effect));
  // Once is enough; if the deletion does not come about, the clock starts again.
  last_used_ = now;
}

}  // namespace leveret::queue
