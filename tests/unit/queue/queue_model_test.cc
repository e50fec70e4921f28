#include "tests/unit/queue/queue_model.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <rapidcheck/gtest.h>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

enum class Do : std::uint8_t {
  kPublish,
  kAddConsumer,
  kRemoveConsumer,
  kPause,
  kResume,
  kPump,
  kGet,
  kAck,
  kRequeue,
  kUndeliver,
  kReject,
  kPurge,
  kApply,
  kTouch,
  kWait,       // the timer goes off if it is due
  kWaitLater,  // nothing happens yet
};

// A command with three numbers that it makes of what it needs.
struct Command {
  Do what = Do::kPublish;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
};

std::ostream& operator<<(std::ostream& out, const Command& command) {
  static constexpr std::array kNames = {
      "publish", "consume",   "cancel", "pause", "resume", "pump",  "get",  "ack",
      "requeue", "undeliver", "reject", "purge", "apply",  "touch", "wait", "wait-later"};
  return out << kNames[static_cast<std::size_t>(command.what)] << '(' << command.a << ' '
             << command.b << ' ' << command.c << ')';
}

rc::Gen<Command> random_command() {
  const auto what = rc::gen::weightedElement<Do>({{12, Do::kPublish},
                                                  {3, Do::kAddConsumer},
                                                  {1, Do::kRemoveConsumer},
                                                  {1, Do::kPause},
                                                  {2, Do::kResume},
                                                  {6, Do::kPump},
                                                  {3, Do::kGet},
                                                  {4, Do::kAck},
                                                  {4, Do::kRequeue},
                                                  {2, Do::kUndeliver},
                                                  {2, Do::kReject},
                                                  {1, Do::kPurge},
                                                  {1, Do::kApply},
                                                  {1, Do::kTouch},
                                                  {4, Do::kWait},
                                                  {2, Do::kWaitLater}});
  const auto number = rc::gen::inRange(0u, 256u);
  return rc::gen::construct<Command>(what, number, number, number);
}

// Absent half of the time.
template <typename T>
std::optional<T> maybe(T low, T high) {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  return *rc::gen::inRange<T>(low, high);
}

config::QueueSettings random_settings() {
  config::QueueSettings settings;
  settings.message_ttl_ms = maybe<std::int64_t>(0, 40);
  settings.expires_ms = maybe<std::int64_t>(1, 60);
  settings.max_length = maybe<std::int64_t>(0, 8);
  settings.max_length_bytes = maybe<std::int64_t>(0, 40);
  settings.overflow =
      *rc::gen::element(config::Overflow::kDropHead, config::Overflow::kRejectPublish,
                        config::Overflow::kRejectPublishDlx);
  if (*rc::gen::arbitrary<bool>()) settings.dead_letter_exchange = "dlx";
  settings.delivery_limit = maybe<std::int64_t>(-1, 4);
  return settings;
}

std::string sentence(const Effect& effect) {
  static constexpr std::array kReasons = {"rejected", "expired", "maxlen", "delivery-limit"};
  const std::string seq = "#" + std::to_string(effect.seq.value);
  switch (effect.kind) {
    case Effect::Kind::kDeliver:
      return "deliver " + seq + " to " + std::to_string(effect.consumer.value) +
             (effect.redelivered ? " again" : "") + (effect.no_ack ? " no-ack" : "") + " count " +
             std::to_string(effect.delivery_count);
    case Effect::Kind::kAppend:
      return "append " + seq;
    case Effect::Kind::kSettle:
      return "settle " + seq;
    case Effect::Kind::kDeadLetter:
      return "dead " + seq + " " + kReasons[static_cast<std::size_t>(effect.reason)];
    case Effect::Kind::kCancelConsumer:
      return "cancel " + std::to_string(effect.consumer.value);
    case Effect::Kind::kUnused:
      return "unused";
    case Effect::Kind::kExpired:
      return "expired";
  }
  return "?";
}

// The queue and its model side by side.
class Pair {
 public:
  explicit Pair(const QueueOptions& options)
      : options_(options), queue_(options, now_), model_(options, now_) {}

  void run(const Command& command, const config::QueueSettings& other) {
    switch (command.what) {
      case Do::kPublish:
        publish(command);
        break;
      case Do::kAddConsumer:
        add_consumer(command);
        break;
      case Do::kRemoveConsumer:
      case Do::kPause:
      case Do::kResume:
        on_consumer(command);
        break;
      case Do::kPump: {
        const std::size_t budget = command.a < 128 ? 1000 : command.a % 4;
        RC_ASSERT(queue_.pump(now_, budget, &effects_) == model_.pump(now_, budget));
        break;
      }
      case Do::kGet:
        get(command.a % 2 == 0);
        break;
      case Do::kAck:
      case Do::kUndeliver:
      case Do::kReject:
        settle(command);
        break;
      case Do::kRequeue:
        requeue(command);
        break;
      case Do::kPurge:
        RC_ASSERT(queue_.purge(&effects_) == model_.purge());
        break;
      case Do::kApply:
        apply(other);
        break;
      case Do::kTouch:
        queue_.touch(now_);
        model_.touch(now_);
        break;
      case Do::kWait:
        wait(command.a % 24);
        break;
      case Do::kWaitLater:
        now_ += command.a % 24;
        break;
    }
    compare(command.what == Do::kPurge);
  }

  void delete_queue() {
    RC_ASSERT(queue_.clear_for_deletion(&effects_) == model_.clear_for_deletion());
    compare(true);
    RC_ASSERT(queue_.counts().ready + queue_.counts().unacked == 0u);
    RC_ASSERT(ledger_.kept().empty());
  }

 private:
  void publish(const Command& command) {
    const Content content{.priority = static_cast<std::uint8_t>(command.a % 8),
                          .expiration_ms = command.b < 128 ? -1 : command.b % 32,
                          .size = command.c % 13,
                          .persistent = command.c % 2 == 0};
    QueueModel::Message message;
    message.priority = content.priority;
    message.size = content.size;
    message.persistent = content.persistent;
    message.expiration_ms = content.expiration_ms;
    const bool accepted = queue_.publish(make_message("m", content), now_, &effects_) ==
                          MessageQueue::PublishResult::kAccepted;
    RC_ASSERT(accepted == model_.publish(message, now_));
  }

  void add_consumer(const Command& command) {
    const ConsumerSpec spec{.cookie = nullptr,
                            .no_ack = command.a % 4 == 0,
                            .exclusive = command.a % 8 == 7,
                            .prefetch = static_cast<std::uint16_t>(command.b % 4),
                            .priority = static_cast<std::int32_t>(command.c % 3) - 1};
    RC_ASSERT(queue_.add_consumer(spec, now_).value == model_.add_consumer(spec, now_));
  }

  void on_consumer(const Command& command) {
    if (model_.consumers().empty()) return;
    const std::uint64_t id = model_.consumers()[command.a % model_.consumers().size()].id;
    if (command.what == Do::kRemoveConsumer) {
      queue_.remove_consumer(ConsumerId(id), now_, &effects_);
      model_.remove_consumer(id, now_);
    } else if (command.what == Do::kPause) {
      queue_.pause_consumer(ConsumerId(id));
      model_.pause(id, true);
    } else {
      queue_.resume_consumer(ConsumerId(id));
      model_.pause(id, false);
    }
  }

  void get(bool no_ack) {
    const auto got = queue_.get(no_ack, now_, &effects_);
    const auto expected = model_.get(no_ack, now_);
    RC_ASSERT(got.has_value() == expected.has_value());
    if (!got) return;
    RC_ASSERT(got->seq.value == expected->seq);
    RC_ASSERT(got->redelivered == expected->redelivered);
    RC_ASSERT(got->delivery_count == expected->count);
    RC_ASSERT(got->message->body_size() == expected->size);
    RC_ASSERT(got->ready_left == model_.counts().ready);
  }

  void settle(const Command& command) {
    std::uint64_t seq = command.b;
    if (!model_.unacked().empty() && command.c != 0) {
      seq = model_.unacked()[command.a % model_.unacked().size()].seq;
    }
    if (command.what == Do::kAck) {
      queue_.ack(MessageSeq(seq), &effects_);
      model_.ack(seq);
    } else if (command.what == Do::kReject) {
      queue_.reject(MessageSeq(seq), &effects_);
      model_.reject(seq);
    } else {
      queue_.undeliver(MessageSeq(seq));
      model_.undeliver(seq);
    }
  }

  // Any number of unacked messages, starting anywhere and in either direction.
  void requeue(const Command& command) {
    std::vector<std::uint64_t> seqs;
    const auto& unacked = model_.unacked();
    for (std::size_t i = 0; i < std::min<std::size_t>(command.b % 6, unacked.size()); ++i) {
      seqs.push_back(unacked[(command.a + i) % unacked.size()].seq);
    }
    if (command.c % 2 == 0) std::reverse(seqs.begin(), seqs.end());
    std::vector<MessageSeq> typed;
    for (std::uint64_t seq : seqs) typed.emplace_back(seq);
    queue_.requeue(typed, command.c % 4 < 2, now_, &effects_);
    model_.requeue(seqs, command.c % 4 < 2, now_);
  }

  void apply(config::QueueSettings settings) {
    settings.max_priority = options_.settings.max_priority;
    settings.single_active_consumer = options_.settings.single_active_consumer;
    queue_.apply_settings(settings, now_, &effects_);
    model_.apply_settings(settings, now_);
  }

  void wait(MonotonicMs ms) {
    now_ += ms;
    const auto deadline = queue_.next_deadline();
    if (deadline && *deadline <= now_) {
      queue_.on_timer(now_, &effects_);
      const auto next = queue_.next_deadline();
      RC_ASSERT(!next || *next > now_);
    }
    // The model looks at every tick: a deadline that the queue forgets shows as a difference.
    model_.on_timer(now_);
  }

  void compare(bool any_order) {
    std::vector<std::string> said;
    for (const Effect& effect : effects_) {
      ledger_.note(effect);
      said.push_back(sentence(effect));
    }
    effects_.clear();
    std::vector<std::string> expected = model_.take_said();
    if (any_order) {
      std::sort(said.begin(), said.end());
      std::sort(expected.begin(), expected.end());
    }
    RC_ASSERT(said == expected);
    const auto tied = [](const QueueCounts& c) {
      return std::tuple(c.ready, c.unacked, c.consumers, c.ready_bytes, c.unacked_bytes);
    };
    RC_ASSERT(tied(queue_.counts()) == tied(model_.counts()));
    RC_ASSERT(queue_.has_exclusive_consumer() == model_.has_exclusive_consumer());
    // The queue may wake up for a message that has left, but never too late.
    if (const auto deadline = model_.deadline()) {
      RC_ASSERT(queue_.next_deadline().has_value());
      RC_ASSERT(*queue_.next_deadline() <= *deadline);
    }
  }

  const QueueOptions options_;
  MonotonicMs now_ = 1000;
  MessageQueue queue_;
  QueueModel model_;
  StoreLedger ledger_;
  Effects effects_;
};

RC_GTEST_PROP(QueueModelProperty, AnyCommandsHaveTheEffectsOfTheModel, ()) {
  QueueOptions options;
  options.durable = *rc::gen::arbitrary<bool>();
  options.auto_delete = *rc::gen::arbitrary<bool>();
  options.settings = random_settings();
  options.settings.max_priority = maybe<std::uint8_t>(0, 6);
  options.settings.single_active_consumer =
      *rc::gen::weightedElement<bool>({{3, false}, {1, true}});
  const config::QueueSettings other = random_settings();
  const auto commands =
      *rc::gen::scale(3.0, rc::gen::container<std::vector<Command>>(random_command()));
  const std::int64_t before = Message::bytes_alive();
  {
    Pair pair(options);
    bool use_other = true;
    for (const Command& command : commands) {
      pair.run(command, use_other ? other : options.settings);
      if (command.what == Do::kApply) use_other = !use_other;
    }
    pair.delete_queue();
  }
  RC_ASSERT(Message::bytes_alive() == before);
}

}  // namespace
}  // namespace leveret::queue::test
