#include <gtest/gtest.h>
#include <string>

#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

void with_dlx(QueueOptions& o) {
  o.settings.dead_letter_exchange = "dlx";
}

Script::Configure ttl(std::int64_t ms) {
  return [ms](QueueOptions& o) {
    with_dlx(o);
    o.settings.message_ttl_ms = ms;
  };
}

Script::Configure expires(std::int64_t ms) {
  return [ms](QueueOptions& o) { o.settings.expires_ms = ms; };
}

TEST(MessageTtl, ExpiresToTheMillisecond) {
  Script q(ttl(100));
  q.publish("m1");
  EXPECT_EQ(q.queue().next_deadline(), q.now() + 100);
  q.advance(99);
  q.expect_nothing();
  q.advance(1);
  q.expect({"m1 dead: expired"});
  q.expect_counts(0, 0);
  EXPECT_EQ(q.queue().next_deadline(), std::nullopt);
}

TEST(MessageTtl, WithoutDeadLetterExchangeExpiredOnesVanish) {
  Script q([](QueueOptions& o) { o.settings.message_ttl_ms = 5; });
  q.publish("m1");
  q.advance(5);
  q.expect_nothing();
  q.expect_counts(0, 0);
}

TEST(MessageTtl, ExpiresAnywhereInTheQueue) {
  Script q(with_dlx);
  q.publish("m1");
  q.publish("m2", {.expiration_ms = 20});
  q.publish("m3", {.expiration_ms = 10});
  q.publish("m4");
  q.advance(10);
  q.expect({"m3 dead: expired"});
  q.advance(10);
  q.expect({"m2 dead: expired"});
  EXPECT_EQ(q.get(), "m1");
  EXPECT_EQ(q.get(), "m4");
}

TEST(MessageTtl, DueTogetherGoInOrderOfDeadlineThenPublishing) {
  Script q(with_dlx);
  q.publish("m1", {.expiration_ms = 30});
  q.publish("m2", {.expiration_ms = 10});
  q.publish("m3", {.expiration_ms = 10});
  q.advance(50);
  q.expect({"m2 dead: expired", "m3 dead: expired", "m1 dead: expired"});
}

TEST(MessageTtl, SmallerOfQueueAndMessageCounts) {
  Script q(ttl(50));
  q.publish("short", {.expiration_ms = 10});
  q.publish("long", {.expiration_ms = 1000});
  q.advance(10);
  q.expect({"short dead: expired"});
  q.advance(40);
  q.expect({"long dead: expired"});
}

TEST(MessageTtl, ZeroWithAConsumerIsDelivered) {
  Script q(ttl(0));
  q.consume("c1");
  q.publish("m1");
  q.publish("m2", {.expiration_ms = 0});
  q.expect({"m1 -> c1", "m2 -> c1"});
}

TEST(MessageTtl, ZeroWithoutAConsumerExpiresAtOnce) {
  Script q(ttl(0));
  q.publish("m1");
  q.expect({"m1 dead: expired"});
  q.consume("c1", {.prefetch = 1});
  q.publish("m2");
  q.publish("m3");
  q.expect({"m2 -> c1", "m3 dead: expired"});
}

TEST(MessageTtl, ExpirationZeroWithoutAConsumerExpiresAtOnce) {
  Script q(with_dlx);
  q.publish("m1", {.expiration_ms = 0});
  q.expect({"m1 dead: expired"});
}

TEST(MessageTtl, LateTimerDeliversNothingThatHasExpired) {
  Script q(ttl(10));
  q.publish("m1");
  q.advance_without_timer(10);
  q.consume("c1");
  q.pump();
  q.expect({"m1 dead: expired"});
  q.pause("c1");
  q.publish("m2");
  q.advance_without_timer(10);
  EXPECT_EQ(q.get(), "");
  q.expect({"m2 dead: expired"});
}

TEST(MessageTtl, UnackedOnesDoNotExpireUntilTheyReturn) {
  Script q(ttl(10));
  q.publish("m1");
  EXPECT_EQ(q.get(), "m1");
  q.advance(100);
  q.expect_nothing();
  q.requeue({"m1"});
  q.advance(0);
  q.expect({"m1 dead: expired"});
}

TEST(MessageTtl, ClockOfARequeuedMessageStartedAtPublishing) {
  Script q(ttl(100));
  q.publish("m1");
  q.advance(60);
  EXPECT_EQ(q.get(), "m1");
  q.requeue({"m1"});
  q.advance(39);
  q.expect_nothing();
  q.advance(1);
  q.expect({"m1 dead: expired"});
}

TEST(MessageTtl, UndeliveredOnesExpireAsBefore) {
  Script q(ttl(100));
  q.publish("m1");
  q.get();
  q.undeliver("m1");
  q.advance(100);
  q.expect({"m1 dead: expired"});
}

TEST(MessageTtl, UndeliveredLateTheyExpireAtOnce) {
  Script q(ttl(100));
  q.publish("m1");
  q.publish("m2", {.expiration_ms = 50});
  q.get();
  q.advance(100);
  q.expect({"m2 dead: expired"});
  q.undeliver("m1");
  q.advance(0);
  q.expect({"m1 dead: expired"});
}

TEST(MessageTtl, ExpiresInEveryPriority) {
  Script q([](QueueOptions& o) {
    with_dlx(o);
    o.settings.max_priority = 2;
  });
  q.publish("low", {.priority = 0, .expiration_ms = 10});
  q.publish("over", {.priority = 9, .expiration_ms = 20});
  q.publish("high", {.priority = 2});
  q.advance(10);
  q.expect({"low dead: expired"});
  q.advance(10);
  q.expect({"over dead: expired"});
  EXPECT_EQ(q.get(), "high");
}

TEST(MessageTtl, ManyDeliveriesLeaveNoDeadlinesBehindForGood) {
  Script q(ttl(1'000'000));
  q.publish("stays");
  for (int i = 0; i < 20'000; ++i) {
    q.publish("m" + std::to_string(i));
    EXPECT_EQ(q.get(true), i == 0 ? "stays" : "m" + std::to_string(i - 1));
  }
  q.advance(1'000'000);
  q.expect({"m19999 dead: expired"});
}

TEST(QueueExpiry, UnusedQueueExpires) {
  Script q(expires(100));
  EXPECT_EQ(q.queue().next_deadline(), q.now() + 100);
  q.advance(99);
  q.expect_nothing();
  q.advance(1);
  q.expect({"expired"});
}

TEST(QueueExpiry, IsSaidOnceAPeriod) {
  Script q(expires(100));
  q.advance(100);
  q.expect({"expired"});
  q.advance(99);
  q.expect_nothing();
  q.advance(1);
  q.expect({"expired"});
}

TEST(QueueExpiry, PublishingDoesNotKeepAQueue) {
  Script q(expires(100));
  q.advance(60);
  q.publish("m1");
  q.advance(40);
  q.expect({"expired"});
}

TEST(QueueExpiry, GetAndDeclareKeepIt) {
  Script q(expires(100));
  q.advance(60);
  EXPECT_EQ(q.get(), "");
  q.advance(60);
  q.queue().touch(q.now());
  q.advance(99);
  q.expect_nothing();
  q.advance(1);
  q.expect({"expired"});
}

TEST(QueueExpiry, ConsumerHoldsItAndItsEndStartsTheClock) {
  Script q(expires(100));
  q.advance(50);
  q.consume("c1");
  EXPECT_EQ(q.queue().next_deadline(), std::nullopt);
  q.advance(1000);
  q.cancel("c1");
  EXPECT_EQ(q.queue().next_deadline(), q.now() + 100);
  q.advance(99);
  q.expect_nothing();
  q.advance(1);
  q.expect({"expired"});
}

TEST(QueueExpiry, ExpiredMessagesGoBeforeTheQueue) {
  Script q([](QueueOptions& o) {
    with_dlx(o);
    o.settings.expires_ms = 100;
    o.settings.message_ttl_ms = 100;
  });
  q.publish("m1");
  q.advance(100);
  q.expect({"m1 dead: expired", "expired"});
}

}  // namespace
}  // namespace leveret::queue::test
