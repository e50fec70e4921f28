#include <gtest/gtest.h>

#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

void with_dlx(QueueOptions& o) {
  o.settings.dead_letter_exchange = "dlx";
}

TEST(ApplySettings, NewTtlCountsFromPublishing) {
  Script q(with_dlx);
  q.publish("m1");
  q.advance(30);
  q.publish("m2");
  q.apply([](QueueOptions& o) { o.settings.message_ttl_ms = 50; });
  q.expect_nothing();
  q.advance(20);
  q.expect({"m1 dead: expired"});
  q.advance(30);
  q.expect({"m2 dead: expired"});
}

TEST(ApplySettings, TtlAlreadyPassedExpiresAtOnce) {
  Script q(with_dlx);
  q.publish("m1");
  q.advance(30);
  q.publish("m2");
  q.apply([](QueueOptions& o) { o.settings.message_ttl_ms = 10; });
  q.expect({"m1 dead: expired"});
}

TEST(ApplySettings, TtlTakenAwayKeepsMessages) {
  Script q([](QueueOptions& o) {
    with_dlx(o);
    o.settings.message_ttl_ms = 10;
  });
  q.publish("m1");
  q.publish("m2", {.expiration_ms = 20});
  q.apply([](QueueOptions& o) { o.settings.message_ttl_ms.reset(); });
  q.advance(100);
  q.expect({"m2 dead: expired"});
  q.expect_counts(1, 0);
}

TEST(ApplySettings, TtlAppliesToUnackedOnesWhenTheyReturn) {
  Script q(with_dlx);
  q.publish("m1");
  q.get();
  q.apply([](QueueOptions& o) { o.settings.message_ttl_ms = 10; });
  q.advance(10);
  q.expect_nothing();
  q.requeue({"m1"});
  q.advance(0);
  q.expect({"m1 dead: expired"});
}

TEST(ApplySettings, ShorterMaxLengthDropsHeads) {
  Script q(with_dlx);
  for (const char* name : {"m1", "m2", "m3"}) q.publish(name);
  q.apply([](QueueOptions& o) { o.settings.max_length = 1; });
  q.expect({"m1 dead: maxlen", "m2 dead: maxlen"});
}

TEST(ApplySettings, FewerBytesDropHeads) {
  Script q(with_dlx);
  for (const char* name : {"m1", "m2", "m3"}) q.publish(name, {.size = 10});
  q.apply([](QueueOptions& o) { o.settings.max_length_bytes = 15; });
  q.expect({"m1 dead: maxlen", "m2 dead: maxlen"});
}

TEST(ApplySettings, RejectPublishDropsNothingThatIsThere) {
  Script q;
  for (const char* name : {"m1", "m2", "m3"}) q.publish(name);
  q.apply([](QueueOptions& o) {
    o.settings.max_length = 1;
    o.settings.overflow = config::Overflow::kRejectPublish;
  });
  q.expect_counts(3, 0);
  q.publish_refused("m4");
}

TEST(ApplySettings, NewDeadLetterExchangeIsUsed) {
  Script q;
  q.publish("m1");
  q.get();
  q.apply(with_dlx);
  q.reject("m1");
  q.expect({"m1 dead: rejected"});
}

TEST(ApplySettings, NewDeliveryLimitCountsEarlierReturns) {
  Script q(with_dlx);
  q.publish("m1");
  for (int i = 0; i < 3; ++i) {
    q.get();
    q.requeue({"m1"});
  }
  q.apply([](QueueOptions& o) { o.settings.delivery_limit = 1; });
  q.get();
  q.requeue({"m1"});
  q.expect({"m1 dead: delivery-limit"});
}

TEST(ApplySettings, NewExpiryCountsFromTheLastUse) {
  Script q;
  q.advance(80);
  q.apply([](QueueOptions& o) { o.settings.expires_ms = 100; });
  q.advance(20);
  q.expect({"expired"});
}

TEST(ApplySettings, AreWhatSettingsSays) {
  Script q;
  q.apply([](QueueOptions& o) { o.settings.max_length = 12; });
  EXPECT_EQ(q.queue().settings().max_length, 12);
}

}  // namespace
}  // namespace leveret::queue::test
