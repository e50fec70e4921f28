#include "server/channel.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "protocol/frame_encoder.h"
#include "protocol/methods.h"
#include "server/direct_reply.h"
#include "server/errors.h"
#include "server/message_frames.h"
#include "server/methods/dispatch.h"
#include "server/methods/reply.h"
#include "server/names.h"
#include "server/session.h"

namespace leveret::server {
namespace {

// Whether all of these queues are gone. One of another loop is taken to be there.
bool none_left(Loop& loop, const std::vector<QueueId>& queues) {
  return !queues.empty() && std::none_of(queues.begin(), queues.end(), [&](const QueueId& id) {
    return id.loop != loop.index() || loop.find_queue(id) != nullptr;
  });
}

}  // namespace

using protocol::AmqpError;

Channel::Channel(Session& session, ChannelId id, std::uint32_t generation)
    : session_(session), id_(id), generation_(generation) {}

Channel::~Channel() = default;

ChannelAddress Channel::address() const {
  return {session_.id(), session_.loop().index(), id_, generation_};
}

void Channel::on_method(std::uint16_t class_id, std::uint16_t method_id, std::string_view args) {
  class_id_ = class_id;
  method_id_ = method_id;
  dispatch_method(*this, class_id, method_id, args);
}

void Channel::fail(AmqpError error) {
  if (error.class_id == 0 && error.method_id == 0) {
    error.class_id = class_id_;
    error.method_id = method_id_;
  }
  session_fail(std::move(error));
}

void Channel::session_fail(AmqpError error) {
  session_.fail(id_, std::move(error));
}

std::optional<std::string> Channel::resolve_queue_name(std::string_view name) {
  if (!name.empty()) return strip_line_ends(name);
  if (!last_queue_.empty()) return last_queue_;
  fail(protocol::make_error(protocol::ReplyCode::kNotFound, "no previously declared queue"));
  return std::nullopt;
}

Consumer* Channel::find_consumer(std::string_view tag) {
  for (auto& [key, consumer] : consumers_) {
    if (consumer->tag == tag) return consumer.get();
  }
  return nullptr;
}

Consumer& Channel::add_consumer(std::string tag, const QueueId& queue, bool no_ack) {
  auto consumer = std::make_unique<Consumer>();
  consumer->channel = this;
  consumer->key = ++last_consumer_key_;
  consumer->tag = std::move(tag);
  consumer->queue = queue;
  consumer->no_ack = no_ack;
  Consumer& added = *consumer;
  consumers_.emplace(added.key, std::move(consumer));
  return added;
}

void Channel::remove_consumer(ConsumerKey key) {
  consumers_.erase(key);
}

void Channel::consumer_started(ConsumerKey key, ConsumerId id) {
  const auto at = consumers_.find(key);
  if (at == consumers_.end()) return;
  Consumer& consumer = *at->second;
  consumer.id = id;
  if (!global_paused_) return;
  // It begins on a channel that is at its global prefetch.
  const auto pause = [queue = consumer.queue, id](Loop& home) {
    if (QueueHost* host = home.find_queue(queue)) host->pause(id, kPausedByPrefetch);
  };
  Loop& loop = session_.loop();
  if (consumer.queue.loop == loop.index()) {
    pause(loop);
  } else {
    loop.send(consumer.queue.loop, Task(pause));
  }
}

std::string Channel::new_consumer_tag() {
  return random_name("amq.ctag-");
}

bool Channel::deliver(Consumer& consumer, const QueueId& queue, queue::Effect& effect) {
  const std::uint64_t tag = ++last_delivery_tag_;
  write_delivery(consumer, effect.message, tag, effect.redelivered);
  if (!effect.no_ack) {
    last_served_ = consumer.key;
    unacked_.add({tag, queue, effect.seq, consumer.key, false});
    ++consumer_unacked_;
    if (global_prefetch_ != 0) update_global_pause();
  }
  session_.note_output();
  if (!session_.output_full()) return true;
  session_.remember_paused(queue, effect.consumer);
  return false;
}

bool Channel::on_remote_delivery(DeliverMail& mail) {
  const auto at = consumers_.find(mail.consumer);
  if (at == consumers_.end()) return false;
  if (!mail.no_ack && global_full()) {
    update_global_pause();
    return false;
  }
  const std::uint64_t tag = ++last_delivery_tag_;
  write_delivery(*at->second, mail.message, tag, mail.redelivered);
  if (!mail.no_ack) {
    last_served_ = mail.consumer;
    unacked_.add({tag, mail.queue, mail.seq, mail.consumer, false});
    ++consumer_unacked_;
    if (global_prefetch_ != 0) update_global_pause();
  }
  session_.note_output();
  return true;
}

void Channel::write_delivery(const Consumer& consumer, const queue::MessageRef& message,
                             std::uint64_t tag, bool redelivered) {
  write_message_frames(session_.output(), session_.frame_max(), id_, message,
                       DeliverStart{consumer.tag, tag, redelivered});
}

void Channel::on_consumer_cancelled(ConsumerKey key) {
  const auto at = consumers_.find(key);
  if (at == consumers_.end()) return;
  if (session_.client_capability("consumer_cancel_notify")) {
    session_.write(id_, protocol::BasicCancel{.consumer_tag = at->second->tag, .nowait = true});
  }
  consumers_.erase(at);
}

void Channel::add_unacked(const UnackedDeliveries::Entry& entry) {
  unacked_.add(entry);
}

bool Channel::settle(SettleMail::Kind kind, std::uint64_t tag, bool multiple) {
  std::vector<UnackedDeliveries::Entry>& entries = settle_scratch_;
  entries.clear();
  const bool known = multiple ? unacked_.take_up_to(tag, &entries) : unacked_.take(tag, &entries);
  if (!known) {
    fail(precondition_error("unknown delivery tag " + std::to_string(tag)));
    return false;
  }
  if (mode_ == Mode::kTransaction) {
    tx_settles_.push_back({kind, entries});
    return true;
  }
  note_settled(entries);
  // First the consumers that waited for the global prefetch, in their turn; then the queue whose
  // message this was.
  update_global_pause();
  apply_settle(kind, entries);
  return true;
}

void Channel::note_settled(const std::vector<UnackedDeliveries::Entry>& entries) {
  for (const auto& entry : entries) {
    if (entry.consumer != 0) --consumer_unacked_;
  }
}

void Channel::apply_settle(SettleMail::Kind kind, std::vector<UnackedDeliveries::Entry>& entries) {
  Loop& loop = session_.loop();
  // One queue at a time, in the order given within each: a run of entries of one queue is the
  // common case and needs no sorting.
  std::vector<MessageSeq> seqs;
  while (!entries.empty()) {
    const QueueId queue = entries.front().queue;
    seqs.clear();
    auto keep = entries.begin();
    for (const auto& entry : entries) {
      if (entry.queue == queue) {
        seqs.push_back(entry.seq);
      } else {
        *keep++ = entry;
      }
    }
    entries.erase(keep, entries.end());
    if (queue.loop != loop.index()) {
      loop.send(queue.loop, SettleMail{kind, queue, seqs});
    } else if (QueueHost* host = loop.find_queue(queue)) {
      host->settle(kind, seqs);
    }
  }
}

void Channel::recover() {
  std::vector<UnackedDeliveries::Entry> entries;
  unacked_.take_all(&entries);
  note_settled(entries);
  apply_settle(SettleMail::Kind::kRequeueUncounted, entries);
  update_global_pause();
}

void Channel::set_global_prefetch(std::uint16_t count) {
  global_prefetch_ = count;
  update_global_pause();
}

void Channel::update_global_pause() {
  const bool full = global_full();
  if (full == global_paused_) return;
  global_paused_ = full;
  Loop& loop = session_.loop();
  // RabbitMQ holds no-ack consumers back, too. Whoever was served last is resumed last, so that one
  // queue does not take all the room.
  std::vector<Consumer*> in_turn;
  for (auto& [key, consumer] : consumers_) in_turn.push_back(consumer.get());
  std::sort(in_turn.begin(), in_turn.end(), [this](const Consumer* a, const Consumer* b) {
    const bool a_waited = a->key > last_served_;
    const bool b_waited = b->key > last_served_;
    return a_waited != b_waited ? a_waited : a->key < b->key;
  });
  for (Consumer* consumer : in_turn) {
    const auto apply = [queue = consumer->queue, id = consumer->id, full](Loop& home) {
      QueueHost* host = home.find_queue(queue);
      if (host == nullptr) return;
      full ? host->pause(id, kPausedByPrefetch) : host->resume(id, kPausedByPrefetch);
    };
    if (consumer->queue.loop == loop.index()) {
      apply(loop);
      // Its queue may have used up the room at once.
      if (global_paused_ != full) return;
    } else {
      loop.send(consumer->queue.loop, Task(apply));
    }
  }
}

void Channel::on_published(const PublishedMail& mail) {
  if (mode_ == Mode::kTransaction) {
    commit_refused_ |= !mail.accepted;
    if (commit_outcomes_ > 0 && --commit_outcomes_ == 0) finish_commit();
    return;
  }
  confirms_.settle(mail.publish_seq, mail.accepted);
  if (confirms_.has_replies() && !std::exchange(confirms_marked_, true)) {
    session_.mark_confirms(*this);
  }
}

void Channel::write_confirms() {
  confirms_marked_ = false;
  if (!confirms_.has_replies()) return;
  std::vector<Confirms::Reply> replies;
  confirms_.take_replies(&replies);
  for (const Confirms::Reply& reply : replies) {
    if (reply.nack) {
      session_.write(id_,
                     protocol::BasicNack{
                         .delivery_tag = reply.tag, .multiple = reply.multiple, .requeue = true});
    } else {
      session_.write(id_,
                     protocol::BasicAck{.delivery_tag = reply.tag, .multiple = reply.multiple});
    }
  }
}

void Channel::clean_up(std::set<std::uint16_t>* loops) {
  Loop& loop = session_.loop();
  clear_reply_consumer();
  auto consumers = std::exchange(consumers_, {});
  for (auto& [key, consumer] : consumers) {
    if (consumer->queue.loop != loop.index()) {
      loops->insert(consumer->queue.loop);
      loop.send(consumer->queue.loop,
                Task([queue = consumer->queue, id = consumer->id](Loop& home) {
                  if (QueueHost* host = home.find_queue(queue)) host->cancel(id);
                }));
    } else if (QueueHost* host = loop.find_queue(consumer->queue)) {
      host->cancel(consumer->id);
    }
  }
  // Settlements of a transaction that never committed go back, too.
  std::vector<UnackedDeliveries::Entry> entries;
  for (PendingSettle& pending : tx_settles_) {
    entries.insert(entries.end(), pending.entries.begin(), pending.entries.end());
  }
  tx_settles_.clear();
  tx_publishes_.clear();
  unacked_.take_all(&entries);
  consumer_unacked_ = 0;
  for (const auto& entry : entries) {
    if (entry.queue.loop != loop.index()) loops->insert(entry.queue.loop);
  }
  apply_settle(SettleMail::Kind::kRequeue, entries);
  incoming_.message.reset();
}

void Channel::rollback() {
  tx_publishes_.clear();
  std::vector<UnackedDeliveries::Entry> entries;
  for (PendingSettle& pending : tx_settles_) {
    entries.insert(entries.end(), pending.entries.begin(), pending.entries.end());
  }
  tx_settles_.clear();
  unacked_.put_back(std::move(entries));
}

void Channel::commit() {
  commit_refused_ = false;
  commit_outcomes_ = 0;
  for (PendingPublish& pending : std::exchange(tx_publishes_, {})) {
    // Routable when it was published, but the queues have gone since.
    const bool gone = pending.mandatory && none_left(session_.loop(), pending.queues);
    if (pending.to_return || gone) return_unroutable(pending.message);
    commit_outcomes_ += publish_to(pending.message, 1, pending.queues, &commit_refused_);
  }
  for (PendingSettle& pending : std::exchange(tx_settles_, {})) {
    note_settled(pending.entries);
    apply_settle(pending.kind, pending.entries);
  }
  update_global_pause();
  if (commit_outcomes_ == 0) {
    finish_commit();
  } else {
    session_.hold_input();
  }
}

void Channel::finish_commit() {
  if (commit_refused_) {
    fail(precondition_error("partial tx completion"));
  } else {
    reply(protocol::TxCommitOk{});
  }
  session_.release_input();
}

}  // namespace leveret::server
