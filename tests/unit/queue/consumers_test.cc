#include <gtest/gtest.h>

#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

TEST(Consumers, TakeTurns) {
  Script q;
  q.consume("c1");
  q.consume("c2");
  q.consume("c3");
  for (const char* name : {"m1", "m2", "m3", "m4"}) q.publish(name);
  q.expect({"m1 -> c1", "m2 -> c2", "m3 -> c3", "m4 -> c1"});
}

TEST(Consumers, TurnSkipsWhoHasNoCredit) {
  Script q;
  q.consume("c1", {.prefetch = 1});
  q.consume("c2");
  for (const char* name : {"m1", "m2", "m3", "m4"}) q.publish(name);
  q.expect({"m1 -> c1", "m2 -> c2", "m3 -> c2", "m4 -> c2"});
  q.ack("m1");
  q.publish("m5");
  q.publish("m6");
  q.expect({"m5 -> c2", "m6 -> c1"});
}

TEST(Consumers, NeverHoldMoreThanTheirPrefetch) {
  Script q;
  q.consume("c1", {.prefetch = 2});
  for (const char* name : {"m1", "m2", "m3"}) q.publish(name);
  q.expect({"m1 -> c1", "m2 -> c1"});
  q.ack("m2");
  q.pump();
  q.expect_delivered("c1", "m3");
  q.pump();
  q.expect_nothing();
}

TEST(Consumers, EverySettlementGivesCreditBack) {
  Script q;
  q.consume("c1", {.prefetch = 1});
  for (const char* name : {"m1", "m2", "m3", "m4"}) q.publish(name);
  q.expect_delivered("c1", "m1");
  q.reject("m1");
  q.pump();
  q.expect_delivered("c1", "m2");
  q.undeliver("m2");
  q.pump();
  q.expect_delivered("c1", "m2");
  q.requeue({"m2"});
  q.pump();
  q.expect({"m2 -> c1 again count=1"});
}

TEST(Consumers, PausedOneGetsNothingUntilResumed) {
  Script q;
  q.consume("c1");
  q.consume("c2");
  q.pause("c1");
  q.publish("m1");
  q.publish("m2");
  q.expect({"m1 -> c2", "m2 -> c2"});
  q.pause("c2");
  q.publish("m3");
  q.expect_nothing();
  q.resume("c1");
  q.pump();
  q.expect_delivered("c1", "m3");
}

TEST(Consumers, PauseHoldsNoAckConsumersToo) {
  Script q;
  q.consume("c1", {.no_ack = true});
  q.pause("c1");
  q.publish("m1");
  q.expect_counts(1, 0);
  q.resume("c1");
  q.pump();
  q.expect_delivered("c1", "m1");
}

TEST(Consumers, PauseAndResumeTwiceIsTheSameAsOnce) {
  Script q;
  q.consume("c1");
  q.pause("c1");
  q.pause("c1");
  q.resume("c1");
  q.resume("c1");
  q.publish("m1");
  q.expect_delivered("c1", "m1");
}

TEST(Consumers, HigherPriorityGoesFirstUntilItsPrefetchIsFull) {
  Script q;
  q.consume("low", {.priority = -5});
  q.consume("high1", {.prefetch = 1, .priority = 10});
  q.consume("high2", {.prefetch = 1, .priority = 10});
  q.consume("middle", {.prefetch = 1});
  for (const char* name : {"m1", "m2", "m3", "m4", "m5"}) q.publish(name);
  q.expect({"m1 -> high1", "m2 -> high2", "m3 -> middle", "m4 -> low", "m5 -> low"});
  q.ack("m2");
  q.publish("m6");
  q.expect_delivered("high2", "m6");
}

TEST(Consumers, CancelledOnesKeepTheirUnacked) {
  Script q;
  q.consume("c1");
  q.publish("m1");
  q.expect_delivered("c1", "m1");
  q.cancel("c1");
  q.expect_counts(0, 1);
  q.consume("c2", {.prefetch = 1});
  q.ack("m1");
  q.expect_counts(0, 0);
  q.publish("m2");
  q.expect_delivered("c2", "m2");
}

TEST(Consumers, OldDeliveriesOfACancelledOneGiveNobodyCredit) {
  Script q;
  q.consume("c1");
  q.publish("m1");
  q.expect_delivered("c1", "m1");
  q.cancel("c1");
  q.consume("c2", {.prefetch = 1});
  q.publish("m2");
  q.publish("m3");
  q.expect_delivered("c2", "m2");
  q.ack("m1");
  q.pump();
  q.expect_nothing();
}

TEST(Consumers, ExclusiveOneIsKnownWhileItIsThere) {
  Script q;
  EXPECT_FALSE(q.queue().has_exclusive_consumer());
  q.consume("c1", {.exclusive = true});
  EXPECT_TRUE(q.queue().has_exclusive_consumer());
  q.cancel("c1");
  EXPECT_FALSE(q.queue().has_exclusive_consumer());
}

TEST(Consumers, UnknownIdsAreIgnored) {
  Script q([](QueueOptions& o) { o.auto_delete = true; });
  q.queue().pause_consumer(ConsumerId(7));
  q.queue().resume_consumer(ConsumerId(7));
  q.queue().remove_consumer(ConsumerId(7), q.now(), q.effects());
  q.collect();
  q.expect_nothing();
}

TEST(Consumers, EmptyPrioritiesLeaveTheOrderOfTheOthers) {
  Script q;
  for (int priority = 0; priority < 50; ++priority) {
    q.consume("passing", {.priority = priority});
    q.cancel("passing");
  }
  q.consume("c1", {.priority = 3});
  q.consume("c2", {.priority = 4});
  q.publish("m1");
  q.expect_delivered("c2", "m1");
}

TEST(AutoDelete, QueueIsUnusedWhenTheLastConsumerGoes) {
  Script q([](QueueOptions& o) { o.auto_delete = true; });
  q.consume("c1");
  q.consume("c2");
  q.cancel("c1");
  q.expect_nothing();
  q.cancel("c2");
  q.expect({"unused"});
}

TEST(AutoDelete, GetDoesNotMakeAQueueUsed) {
  Script q([](QueueOptions& o) { o.auto_delete = true; });
  EXPECT_EQ(q.get(), "");
  q.expect_nothing();
}

TEST(SingleActive, OnlyTheFirstRegisteredConsumes) {
  Script q([](QueueOptions& o) { o.settings.single_active_consumer = true; });
  q.consume("c1", {.prefetch = 1});
  q.consume("c2", {.priority = 10});
  q.publish("m1");
  q.publish("m2");
  q.expect_delivered("c1", "m1");
  q.ack("m1");
  q.pump();
  q.expect_delivered("c1", "m2");
}

TEST(SingleActive, NextInOrderOfRegistrationTakesOver) {
  Script q([](QueueOptions& o) { o.settings.single_active_consumer = true; });
  q.consume("c1", {.prefetch = 1});
  q.consume("c2");
  q.consume("c3");
  q.publish("m1");
  q.publish("m2");
  q.expect_delivered("c1", "m1");
  q.cancel("c1");
  q.pump();
  q.expect_delivered("c2", "m2");
  q.requeue({"m1"}, false);
  q.pump();
  q.expect({"m1 -> c2 again"});
}

TEST(SingleActive, OneThatWaitsMayLeaveUnnoticed) {
  Script q([](QueueOptions& o) { o.settings.single_active_consumer = true; });
  q.consume("c1");
  q.consume("c2");
  q.consume("c3");
  q.cancel("c2");
  q.publish("m1");
  q.expect_delivered("c1", "m1");
  q.cancel("c1");
  q.publish("m2");
  q.expect_delivered("c3", "m2");
}

TEST(SingleActive, PausedActiveOneIsNotReplaced) {
  Script q([](QueueOptions& o) { o.settings.single_active_consumer = true; });
  q.consume("c1");
  q.consume("c2");
  q.pause("c1");
  q.publish("m1");
  q.expect_nothing();
  q.resume("c1");
  q.pump();
  q.expect_delivered("c1", "m1");
}

}  // namespace
}  // namespace leveret::queue::test
