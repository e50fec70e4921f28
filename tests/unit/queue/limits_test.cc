#include <gtest/gtest.h>

#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

using config::Overflow;

Script::Configure max_length(std::int64_t n, Overflow overflow = Overflow::kDropHead) {
  return [n, overflow](QueueOptions& o) {
    o.settings.max_length = n;
    o.settings.overflow = overflow;
    o.settings.dead_letter_exchange = "dlx";
  };
}

Script::Configure max_bytes(std::int64_t n, Overflow overflow = Overflow::kDropHead) {
  return [n, overflow](QueueOptions& o) {
    o.settings.max_length_bytes = n;
    o.settings.overflow = overflow;
    o.settings.dead_letter_exchange = "dlx";
  };
}

TEST(MaxLength, DropsTheHead) {
  Script q(max_length(2));
  q.publish("m1");
  q.publish("m2");
  q.expect_nothing();
  q.publish("m3");
  q.expect({"m1 dead: maxlen"});
  EXPECT_EQ(q.get(), "m2");
}

TEST(MaxLength, CountsReadyMessagesOnly) {
  Script q(max_length(1));
  q.publish("m1");
  q.get();
  q.publish("m2");
  q.expect_nothing();
  q.expect_counts(1, 1);
}

TEST(MaxLength, ZeroWorksWithAWaitingConsumer) {
  Script q(max_length(0));
  q.publish("m1");
  q.expect({"m1 dead: maxlen"});
  q.consume("c1", {.prefetch = 1});
  q.publish("m2");
  q.publish("m3");
  q.expect({"m2 -> c1", "m3 dead: maxlen"});
}

TEST(MaxLength, RequeueMayOverflowAndDropsHeads) {
  Script q(max_length(2));
  q.publish("m1");
  q.publish("m2");
  q.get();
  q.get();
  q.publish("m3");
  q.publish("m4");
  q.requeue({"m2", "m1"});
  q.expect({"m1 dead: maxlen", "m2 dead: maxlen"});
  EXPECT_EQ(q.get(), "m3");
}

TEST(MaxLength, RequeuedMessageThatAConsumerTakesDoesNotOverflow) {
  Script q(max_length(1));
  q.consume("c1", {.prefetch = 1});
  q.publish("m1");
  q.publish("m2");
  q.expect_delivered("c1", "m1");
  q.requeue({"m1"}, false);
  q.expect({"m1 -> c1 again"});
  q.expect_counts(1, 1);
}

TEST(MaxLength, WithPrioritiesTheLowestIsDropped) {
  Script q([](QueueOptions& o) {
    max_length(2)(o);
    o.settings.max_priority = 5;
  });
  q.publish("low1", {.priority = 1});
  q.publish("high", {.priority = 5});
  q.publish("low2", {.priority = 1});
  q.expect({"low1 dead: maxlen"});
  q.publish("lower", {.priority = 0});
  q.expect({"lower dead: maxlen"});
}

TEST(MaxLengthBytes, DropsHeadsUntilTheNewOneFits) {
  Script q(max_bytes(100));
  q.publish("m1", {.size = 40});
  q.publish("m2", {.size = 40});
  q.publish("m3", {.size = 20});
  q.expect_nothing();
  q.publish("m4", {.size = 70});
  q.expect({"m1 dead: maxlen", "m2 dead: maxlen"});
  EXPECT_EQ(q.queue().counts().ready_bytes, 90u);
}

TEST(MaxLengthBytes, MessageLargerThanTheLimitEmptiesTheQueue) {
  Script q(max_bytes(100));
  q.publish("m1", {.size = 10});
  q.publish("m2", {.size = 101});
  q.expect({"m1 dead: maxlen", "m2 dead: maxlen"});
  q.expect_counts(0, 0);
}

TEST(MaxLengthBytes, EmptyBodiesAreFree) {
  Script q(max_bytes(0));
  q.publish("m1", {.size = 0});
  q.publish("m2", {.size = 0});
  q.expect_nothing();
  q.expect_counts(2, 0);
}

TEST(MaxLength, BothLimitsHoldTogether) {
  Script q([](QueueOptions& o) {
    max_length(3)(o);
    o.settings.max_length_bytes = 10;
  });
  q.publish("m1", {.size = 1});
  q.publish("m2", {.size = 1});
  q.publish("m3", {.size = 1});
  q.publish("m4", {.size = 1});
  q.expect({"m1 dead: maxlen"});
  q.publish("m5", {.size = 9});
  q.expect({"m2 dead: maxlen", "m3 dead: maxlen"});
}

TEST(RejectPublish, FullQueueRefusesAndKeepsWhatItHas) {
  Script q(max_length(1, Overflow::kRejectPublish));
  q.publish("m1");
  q.publish_refused("m2");
  q.expect_nothing();
  EXPECT_EQ(q.get(true), "m1");
  q.publish("m3");
}

TEST(RejectPublish, BytesCountTheNewMessage) {
  Script q(max_bytes(10, Overflow::kRejectPublish));
  q.publish("m1", {.size = 6});
  q.publish_refused("m2", {.size = 5});
  q.publish("m3", {.size = 4});
}

TEST(RejectPublish, LimitComesBeforeAWaitingConsumer) {
  Script q(max_length(0, Overflow::kRejectPublish));
  q.consume("c1");
  q.publish_refused("m1");
  q.expect_nothing();
}

TEST(RejectPublish, RequeueIsNeverRefused) {
  Script q(max_length(1, Overflow::kRejectPublish));
  q.publish("m1");
  q.get();
  q.publish("m2");
  q.requeue({"m1"});
  q.expect_nothing();
  q.expect_counts(2, 0);
}

TEST(RejectPublishDlx, DeadLettersTheRefusedMessage) {
  Script q(max_length(1, Overflow::kRejectPublishDlx));
  q.publish("m1");
  q.publish_refused("m2", {.persistent = true});
  q.expect({"m2 dead: maxlen"});
  q.expect_counts(1, 0);
}

}  // namespace
}  // namespace leveret::queue::test
