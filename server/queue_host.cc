#include "server/queue_host.h"

#include <algorithm>
#include <spdlog/spdlog.h>
#include <utility>

#include "server/broker.h"
#include "server/channel.h"
#include "server/control.h"
#include "server/dead_letter.h"
#include "server/effects_lease.h"
#include "server/errors.h"
#include "server/loop.h"
#include "server/session.h"

namespace leveret::server {
namespace {

// Under way to one consumer on another loop: enough to keep its socket busy while the credit comes
// back, little enough to bound memory.
constexpr std::uint64_t kWindowBytes = 256 * 1024;

}  // namespace

QueueHost::QueueHost(Loop& loop, QueueIdentity identity, const config::QueueSettings& settings)
    : loop_(loop),
      identity_(std::move(identity)),
      core_({identity_.durable, identity_.auto_delete, settings}, loop.now()) {
  reschedule();
}

QueueHost::~QueueHost() = default;

bool QueueHost::publish(const queue::MessageRef& message) {
  loop_.affinity().assert_here();
  EffectsLease effects(loop_);
  const auto result = core_.publish(message, loop_.now(), effects.get());
  execute(*effects);
  return result == queue::MessageQueue::PublishResult::kAccepted;
}

std::optional<protocol::AmqpError> QueueHost::check_owner(ConnectionId connection) const {
  if (identity_.exclusive_owner == ConnectionId{} || identity_.exclusive_owner == connection) {
    return std::nullopt;
  }
  return locked_error(identity_.name, identity_.vhost);
}

protocol::AmqpError QueueHost::in_use_error(const char* what) const {
  return protocol::make_error(
      protocol::ReplyCode::kPreconditionFailed,
      "queue '" + identity_.name + "' in vhost '" + identity_.vhost + "' " + what);
}

QueueHost::ConsumeResult QueueHost::consume(const ConsumeRequest& request) {
  if (auto error = check_owner(request.from.connection)) return {std::move(error), {}};
  if (core_.has_exclusive_consumer() || (request.exclusive && !links_.empty())) {
    return {protocol::make_error(protocol::ReplyCode::kAccessRefused,
                                 "queue '" + identity_.name + "' in vhost '" + identity_.vhost +
                                     "' in exclusive use"),
            {}};
  }
  if (request.exclusive && core_.settings().single_active_consumer) {
    return {protocol::make_error(protocol::ReplyCode::kAccessRefused,
                                 "queue '" + identity_.name + "' in vhost '" + identity_.vhost +
                                     "' in exclusive use"),
            {}};
  }
  auto link = std::make_unique<ConsumerLink>();
  link->to = request.from;
  link->key = request.key;
  link->local = request.local;
  link->tag = request.tag;
  link->no_ack = request.no_ack;
  link->exclusive = request.exclusive;
  link->prefetch = request.prefetch;
  link->priority = request.priority;
  link->wants_cancel_notice = request.wants_cancel_notice;
  link->id = core_.add_consumer(
      {link.get(), request.no_ack, request.exclusive, request.prefetch, request.priority},
      loop_.now());
  const ConsumerId id = link->id;
  links_.emplace(id, std::move(link));
  loop_.mark_dirty(*this);
  return {std::nullopt, id};
}

void QueueHost::cancel(ConsumerId id) {
  if (find_link(id) == nullptr) return;
  EffectsLease effects(loop_);
  core_.remove_consumer(id, loop_.now(), effects.get());
  links_.erase(id);
  execute(*effects);
  loop_.mark_dirty(*this);
}

std::optional<queue::MessageQueue::Got> QueueHost::get(bool no_ack) {
  EffectsLease effects(loop_);
  auto got = core_.get(no_ack, loop_.now(), effects.get());
  execute(*effects);
  return got;
}

void QueueHost::settle(SettleMail::Kind kind, std::span<const MessageSeq> seqs) {
  loop_.affinity().assert_here();
  EffectsLease effects(loop_);
  const MonotonicMs now = loop_.now();
  switch (kind) {
    case SettleMail::Kind::kAck:
      for (MessageSeq seq : seqs) core_.ack(seq, effects.get());
      break;
    case SettleMail::Kind::kReject:
      for (MessageSeq seq : seqs) core_.reject(seq, effects.get());
      break;
    case SettleMail::Kind::kRequeue:
      core_.requeue(seqs, true, now, effects.get());
      break;
    case SettleMail::Kind::kRequeueUncounted:
      core_.requeue(seqs, false, now, effects.get());
      break;
    case SettleMail::Kind::kUndeliver:
      for (MessageSeq seq : seqs) core_.undeliver(seq);
      break;
  }
  execute(*effects);
  if (core_.counts().ready == 0) return;
  // Credit that came back is used before the client's next method is looked at, as in RabbitMQ: a
  // cancel that follows an ack does not keep the next message from being delivered.
  if (kind == SettleMail::Kind::kAck || kind == SettleMail::Kind::kReject) pump(seqs.size());
  loop_.mark_dirty(*this);
}

std::uint64_t QueueHost::purge() {
  EffectsLease effects(loop_);
  const std::uint64_t count = core_.purge(effects.get());
  execute(*effects);
  return count;
}

void QueueHost::touch() {
  core_.touch(loop_.now());
  reschedule();
}

void QueueHost::pause(ConsumerId id, PauseReason reason) {
  ConsumerLink* link = find_link(id);
  if (link == nullptr) return;
  if (link->paused == 0) core_.pause_consumer(id);
  link->paused |= reason;
}

void QueueHost::resume(ConsumerId id, PauseReason reason) {
  ConsumerLink* link = find_link(id);
  if (link == nullptr || (link->paused & reason) == 0) return;
  link->paused &= static_cast<std::uint8_t>(~reason);
  if (link->paused != 0) return;
  core_.resume_consumer(id);
  if (core_.counts().ready == 0) return;
  // Room under a global prefetch goes to whoever is resumed first, not to whose turn comes first.
  if (reason == kPausedByPrefetch) pump(1);
  loop_.mark_dirty(*this);
}

void QueueHost::return_window(ConsumerId id, std::uint64_t bytes) {
  ConsumerLink* link = find_link(id);
  if (link == nullptr) return;
  link->bytes_under_way -= std::min(bytes, link->bytes_under_way);
  if (link->bytes_under_way < kWindowBytes) resume(id, kPausedByWindow);
}

QueueHost::DeleteResult QueueHost::prepare_delete(bool if_unused, bool if_empty) {
  if (if_unused && !links_.empty()) return {in_use_error("in use"), 0};
  if (if_empty && core_.counts().ready > 0) return {in_use_error("not empty"), 0};
  EffectsLease effects(loop_);
  const std::uint64_t ready = core_.clear_for_deletion(effects.get());
  execute(*effects);
  return {std::nullopt, ready};
}

void QueueHost::apply_settings(const config::QueueSettings& settings) {
  EffectsLease effects(loop_);
  core_.apply_settings(settings, loop_.now(), effects.get());
  execute(*effects);
}

void QueueHost::on_timer(MonotonicMs at) {
  if (at != timer_at_) return;
  timer_at_ = 0;
  EffectsLease effects(loop_);
  core_.on_timer(loop_.now(), effects.get());
  execute(*effects);
}

bool QueueHost::pump(std::size_t budget) {
  EffectsLease effects(loop_);
  // One by one: a delivery may fill its consumer's socket buffer or its channel's global prefetch,
  // and then the next message is for somebody else.
  for (; budget > 0; --budget) {
    const bool more = core_.pump(loop_.now(), 1, effects.get());
    execute(*effects);
    if (!more) return false;
  }
  return true;
}

void QueueHost::execute(Effects& effects) {
  for (queue::Effect& effect : effects) {
    switch (effect.kind) {
      case queue::Effect::Kind::kDeliver:
        deliver(effect);
        break;
      case queue::Effect::Kind::kAppend:
      case queue::Effect::Kind::kSettle:
        break;
      case queue::Effect::Kind::kDeadLetter:
        loop_.dead_letters().add(*this, effect.message, effect.reason);
        break;
      case queue::Effect::Kind::kCancelConsumer:
        if (ConsumerLink* link = find_link(effect.consumer)) cancel_notice(*link);
        links_.erase(effect.consumer);
        break;
      case queue::Effect::Kind::kUnused:
      case queue::Effect::Kind::kExpired: {
        const bool expired = effect.kind == queue::Effect::Kind::kExpired;
        const QueueIdentity& who = identity_;
        loop_.send(loop_.broker().loop_count(),
                   Task([vhost = who.vhost, name = who.name, id = who.id, expired](Loop& control) {
                     control.broker().control().delete_idle_queue(vhost, name, id, expired);
                   }));
        break;
      }
    }
  }
  effects.clear();
  reschedule();
  loop_.dead_letters().run();
}

void QueueHost::deliver(queue::Effect& effect) {
  auto& link = *static_cast<ConsumerLink*>(effect.cookie);
  if (link.local != nullptr) {
    if (!link.local->channel->deliver(*link.local, identity_.id, effect)) {
      pause(link.id, kPausedByOutput);
    }
    return;
  }
  DeliverMail mail{link.to,
                   link.key,
                   link.id,
                   identity_.id,
                   effect.seq,
                   std::move(effect.message),
                   effect.delivery_count,
                   effect.redelivered,
                   effect.no_ack};
  link.bytes_under_way += mail.message->footprint();
  loop_.send(link.to.loop, std::move(mail));
  if (link.bytes_under_way >= kWindowBytes) pause(link.id, kPausedByWindow);
}

void QueueHost::cancel_notice(ConsumerLink& link) {
  loop_.send(link.to.loop, Task([to = link.to, key = link.key](Loop& loop) {
               if (Session* session = loop.find_session(to.connection)) {
                 session->on_consumer_cancelled(to, key);
               }
             }));
}

void QueueHost::reschedule() {
  const std::optional<MonotonicMs> deadline = core_.next_deadline();
  if (!deadline || (timer_at_ != 0 && timer_at_ <= *deadline)) return;
  timer_at_ = *deadline;
  loop_.schedule(identity_.id, *deadline);
}

ConsumerLink* QueueHost::find_link(ConsumerId id) {
  const auto at = links_.find(id);
  return at == links_.end() ? nullptr : at->second.get();
}

}  // namespace leveret::server
