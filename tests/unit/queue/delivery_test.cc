#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

TEST(Delivery, MessagesGoOutInTheOrderOfPublishing) {
  Script q;
  q.publish("m1");
  q.publish("m2");
  q.publish("m3");
  q.consume("c1");
  q.expect_nothing();
  q.pump();
  q.expect({"m1 -> c1", "m2 -> c1", "m3 -> c1"});
  q.expect_counts(0, 3);
}

TEST(Delivery, WaitingConsumerGetsAPublishAtOnce) {
  Script q;
  q.consume("c1");
  q.publish("m1");
  q.expect_delivered("c1", "m1");
  q.expect_counts(0, 1);
}

TEST(Delivery, PublishDoesNotOvertakeWhatIsReady) {
  Script q;
  q.consume("c1", {.prefetch = 1});
  q.publish("m1");
  q.publish("m2");
  q.expect_delivered("c1", "m1");
  q.ack("m1");
  q.publish("m3");
  q.expect_nothing();
  q.pump();
  q.expect_delivered("c1", "m2");
}

TEST(Delivery, NoAckDeliveryIsSettledByItself) {
  Script q;
  q.consume("c1", {.no_ack = true, .prefetch = 1});
  q.publish("m1");
  q.publish("m2");
  q.expect({"m1 -> c1", "m2 -> c1"});
  q.expect_counts(0, 0);
}

TEST(Delivery, BudgetEndsAPumpThatHasMoreToDo) {
  Script q;
  for (const char* name : {"m1", "m2", "m3"}) q.publish(name);
  q.consume("c1", {.prefetch = 2});
  EXPECT_TRUE(q.pump(1));
  q.expect_delivered("c1", "m1");
  EXPECT_FALSE(q.pump(1)) << "nobody has credit for m3";
  q.expect_delivered("c1", "m2");
  EXPECT_FALSE(q.pump(0));
}

TEST(Delivery, CookieAndNoAckComeBackWithTheDelivery) {
  MessageQueue queue({}, 0);
  Effects effects;
  int cookie = 0;
  const ConsumerId id = queue.add_consumer({.cookie = &cookie, .no_ack = true}, 0);
  queue.publish(make_message("m1"), 0, &effects);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].cookie, &cookie);
  EXPECT_EQ(effects[0].consumer, id);
  EXPECT_TRUE(effects[0].no_ack);
}

TEST(Requeue, ReturnsToTheOriginalPlace) {
  Script q;
  for (const char* name : {"m1", "m2", "m3", "m4"}) q.publish(name);
  EXPECT_EQ(q.get(), "m1");
  EXPECT_EQ(q.get(), "m2");
  q.requeue({"m1"});
  EXPECT_EQ(q.get(), "m1 again count=1");
  EXPECT_EQ(q.get(), "m3");
}

TEST(Requeue, OrderOfTheCallDoesNotMatter) {
  const std::vector<std::vector<std::string>> orders = {
      {"m1", "m2", "m3"}, {"m3", "m2", "m1"}, {"m2", "m3", "m1"}, {"m3", "m1", "m2"}};
  for (const auto& order : orders) {
    Script q;
    for (const char* name : {"m1", "m2", "m3", "m4"}) q.publish(name);
    for (int i = 0; i < 3; ++i) q.get();
    for (const std::string& name : order) q.requeue({name}, false);
    q.consume("c1");
    q.pump();
    q.expect({"m1 -> c1 again", "m2 -> c1 again", "m3 -> c1 again", "m4 -> c1"});
  }
}

TEST(Requeue, OneThatWasHandedOverDirectlyGoesBeforeLaterOnes) {
  Script q;
  q.consume("c1", {.prefetch = 1});
  q.publish("m1");
  q.publish("m2");
  q.expect_delivered("c1", "m1");
  q.requeue({"m1"}, false);
  q.pump();
  q.expect({"m1 -> c1 again"});
  q.expect_counts(1, 1);
}

TEST(Requeue, ReturnsBelongToTheirPriority) {
  Script q([](QueueOptions& o) { o.settings.max_priority = 5; });
  q.publish("low1");
  q.publish("low2");
  q.publish("high", {.priority = 5});
  for (int i = 0; i < 3; ++i) q.get();
  q.requeue({"low2", "high", "low1"}, false);
  EXPECT_EQ(q.get(), "high again");
  EXPECT_EQ(q.get(), "low1 again");
  EXPECT_EQ(q.get(), "low2 again");
}

TEST(Requeue, UnknownAndSettledSeqsAreIgnored) {
  Script q;
  q.publish("m1");
  q.get();
  q.ack("m1");
  q.requeue({"m1", "never"});
  q.ack("m1");
  q.reject("m1");
  q.undeliver("m1");
  q.expect_nothing();
  q.expect_counts(0, 0);
}

TEST(Undeliver, LeavesNoTrace) {
  Script q;
  q.publish("m1");
  q.publish("m2");
  q.consume("c1", {.prefetch = 1});
  q.pump();
  q.expect_delivered("c1", "m1");
  q.undeliver("m1");
  q.expect_counts(2, 0);
  q.pump();
  q.expect_delivered("c1", "m1");
}

TEST(Undeliver, KeepsEarlierFlags) {
  Script q;
  q.publish("m1");
  q.get();
  q.requeue({"m1"});
  q.get();
  q.undeliver("m1");
  EXPECT_EQ(q.get(), "m1 again count=1");
}

TEST(Get, EmptyQueueHasNothing) {
  Script q;
  EXPECT_EQ(q.get(), "");
}

TEST(Get, IsUnackedUntilSettled) {
  Script q;
  q.publish("m1");
  EXPECT_EQ(q.get(), "m1");
  q.expect_counts(0, 1);
  q.ack("m1");
  q.expect_counts(0, 0);
}

TEST(Get, WithNoAckIsGone) {
  Script q;
  q.publish("m1");
  EXPECT_EQ(q.get(true), "m1");
  q.expect_counts(0, 0);
}

TEST(Get, NeedsNoCreditOfAnybody) {
  Script q;
  q.consume("c1", {.prefetch = 1});
  q.publish("m1");
  q.publish("m2");
  q.expect_delivered("c1", "m1");
  EXPECT_EQ(q.get(), "m2");
}

TEST(Reject, WithoutDeadLetterExchangeDropsIt) {
  Script q;
  q.publish("m1");
  q.get();
  q.reject("m1");
  q.expect_nothing();
  q.expect_counts(0, 0);
}

TEST(Reject, WithDeadLetterExchangeDeadLettersIt) {
  Script q([](QueueOptions& o) { o.settings.dead_letter_exchange = "dlx"; });
  q.publish("m1");
  q.get();
  q.reject("m1");
  q.expect({"m1 dead: rejected"});
}

TEST(Purge, DropsReadyOnlyAndNeverDeadLetters) {
  Script q([](QueueOptions& o) { o.settings.dead_letter_exchange = "dlx"; });
  for (const char* name : {"m1", "m2", "m3"}) q.publish(name, {.expiration_ms = 10});
  q.get();
  EXPECT_EQ(q.queue().purge(q.effects()), 2u);
  q.collect();
  q.expect_nothing();
  q.expect_counts(0, 1);
  q.requeue({"m1"});
  q.expect_counts(1, 0);
  q.advance(10);
  q.expect({"m1 dead: expired"});
}

TEST(Deletion, TellsConsumersAndReportsTheReadyCount) {
  Script q([](QueueOptions& o) {
    o.auto_delete = true;
    o.settings.dead_letter_exchange = "dlx";
  });
  q.consume("c1", {.prefetch = 1});
  q.consume("c2", {.prefetch = 1});
  for (const char* name : {"m1", "m2", "m3", "m4"}) q.publish(name);
  q.expect({"m1 -> c1", "m2 -> c2"});
  EXPECT_EQ(q.queue().clear_for_deletion(q.effects()), 2u);
  q.collect();
  q.expect({"cancel c1", "cancel c2"});
  q.expect_counts(0, 0);
  EXPECT_EQ(q.queue().counts().consumers, 0u);
}

TEST(Counts, BytesAreThoseOfBodies) {
  Script q;
  q.publish("m1", {.size = 10});
  q.publish("m2", {.size = 100});
  q.publish("m3", {.size = 0});
  EXPECT_EQ(q.queue().counts().ready_bytes, 110u);
  q.get();
  EXPECT_EQ(q.queue().counts().ready_bytes, 100u);
  EXPECT_EQ(q.queue().counts().unacked_bytes, 10u);
  q.requeue({"m1"});
  EXPECT_EQ(q.queue().counts().ready_bytes, 110u);
  EXPECT_EQ(q.queue().counts().unacked_bytes, 0u);
}

TEST(Priority, HigherGoesFirstAndFirstInFirstOutInside) {
  Script q([](QueueOptions& o) { o.settings.max_priority = 3; });
  q.publish("a0");
  q.publish("a3", {.priority = 3});
  q.publish("b0");
  q.publish("b200", {.priority = 200});
  q.publish("a1", {.priority = 1});
  q.consume("c1");
  q.pump();
  q.expect({"a3 -> c1", "b200 -> c1", "a1 -> c1", "a0 -> c1", "b0 -> c1"});
}

TEST(Priority, QueueWithoutPrioritiesIgnoresThem) {
  Script q;
  q.publish("m1");
  q.publish("m2", {.priority = 9});
  EXPECT_EQ(q.get(), "m1");
  EXPECT_EQ(q.get(), "m2");
}

TEST(DeliveryLimit, AllowsOneDeliveryMoreThanReturns) {
  Script q([](QueueOptions& o) {
    o.settings.delivery_limit = 2;
    o.settings.dead_letter_exchange = "dlx";
  });
  q.publish("m1");
  EXPECT_EQ(q.get(), "m1");
  q.requeue({"m1"});
  EXPECT_EQ(q.get(), "m1 again count=1");
  q.requeue({"m1"});
  EXPECT_EQ(q.get(), "m1 again count=2");
  q.requeue({"m1"});
  q.expect({"m1 dead: delivery-limit"});
  q.expect_counts(0, 0);
}

TEST(DeliveryLimit, ReturnsThatDoNotCountAreUnlimited) {
  Script q([](QueueOptions& o) { o.settings.delivery_limit = 0; });
  q.publish("m1");
  for (int i = 0; i < 5; ++i) {
    q.get();
    q.requeue({"m1"}, false);
  }
  EXPECT_EQ(q.get(), "m1 again");
}

TEST(DeliveryLimit, MinusOneMeansNone) {
  Script q([](QueueOptions& o) { o.settings.delivery_limit = -1; });
  q.publish("m1");
  for (int i = 0; i < 5; ++i) {
    q.get();
    q.requeue({"m1"});
  }
  EXPECT_EQ(q.get(), "m1 again count=5");
}

}  // namespace
}  // namespace leveret::queue::test
