#include <gtest/gtest.h>

#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

constexpr Content kPersistent{.persistent = true};

void durable(QueueOptions& o) {
  o.durable = true;
}

TEST(Store, PersistentMessageInDurableQueueIsKeptUntilItsAck) {
  Script q(durable);
  q.publish("m1", kPersistent);
  q.expect_store({"append m1"});
  q.get();
  q.expect_store({});
  q.ack("m1");
  q.expect_store({"settle m1"});
}

TEST(Store, AppendCarriesTheMessage) {
  MessageQueue queue({.durable = true, .auto_delete = false, .settings = {}}, 0);
  Effects effects;
  const MessageRef message = make_message("m1", kPersistent);
  queue.publish(message, 0, &effects);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].kind, Effect::Kind::kAppend);
  EXPECT_EQ(effects[0].message, message);
}

TEST(Store, TransientMessageOrQueueIsNotKept) {
  Script transient_queue;
  transient_queue.publish("m1", kPersistent);
  transient_queue.get(true);
  transient_queue.expect_store({});
  Script durable_queue(durable);
  durable_queue.publish("m1");
  durable_queue.get(true);
  durable_queue.expect_store({});
}

TEST(Store, DirectDeliveryToAnAckingConsumerIsKept) {
  Script q(durable);
  q.consume("c1");
  q.publish("m1", kPersistent);
  q.expect_delivered("c1", "m1");
  q.expect_store({"append m1"});
  q.ack("m1");
  q.expect_store({"settle m1"});
}

TEST(Store, DirectDeliveryToANoAckConsumerNeedsNoStore) {
  Script q(durable);
  q.consume("c1", {.no_ack = true});
  q.publish("m1", kPersistent);
  q.expect_delivered("c1", "m1");
  q.expect_store({});
}

TEST(Store, BacklogDeliveredWithoutAckIsSettled) {
  Script q(durable);
  q.publish("m1", kPersistent);
  q.consume("c1", {.no_ack = true});
  q.pump();
  q.expect_delivered("c1", "m1");
  q.expect_store({"append m1", "settle m1"});
}

TEST(Store, EveryWayOutSettlesOnce) {
  Script q([](QueueOptions& o) {
    durable(o);
    o.settings.max_length = 4;
    o.settings.delivery_limit = 0;
    o.settings.dead_letter_exchange = "dlx";
  });
  q.publish("dropped", kPersistent);
  q.publish("returned", kPersistent);
  q.publish("rejected", kPersistent);
  q.publish("got", kPersistent);
  q.publish("expired", {.expiration_ms = 5, .persistent = true});
  q.expect({"dropped dead: maxlen"});
  q.get();
  q.get();
  q.get(true);
  q.requeue({"returned"});
  q.expect({"returned dead: delivery-limit"});
  q.reject("rejected");
  q.expect({"rejected dead: rejected"});
  q.advance(5);
  q.expect({"expired dead: expired"});
  q.expect_store({"append dropped", "append returned", "append rejected", "append got",
                  "append expired", "settle dropped", "settle got", "settle returned",
                  "settle rejected", "settle expired"});
}

TEST(Store, RequeueAndUndeliverKeepIt) {
  Script q(durable);
  q.publish("m1", kPersistent);
  q.get();
  q.requeue({"m1"});
  q.get();
  q.undeliver("m1");
  q.expect_store({"append m1"});
  q.get();
  q.ack("m1");
  q.ack("m1");
  q.expect_store({"settle m1"});
}

TEST(Store, DeadLetterComesBeforeTheSettlement) {
  MessageQueue queue(
      [] {
        QueueOptions options;
        options.durable = true;
        options.settings.dead_letter_exchange = "dlx";
        return options;
      }(),
      0);
  Effects effects;
  queue.publish(make_message("m1", kPersistent), 0, &effects);
  const auto got = queue.get(false, 0, &effects);
  effects.clear();
  queue.reject(got->seq, &effects);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].kind, Effect::Kind::kDeadLetter);
  EXPECT_EQ(effects[1].kind, Effect::Kind::kSettle);
}

TEST(Store, ExpiredAtOnceIsAppendedAndSettled) {
  Script q(durable);
  q.publish("m1", {.expiration_ms = 0, .persistent = true});
  q.expect_store({"append m1", "settle m1"});
}

TEST(Store, PurgeSettlesReadyOnes) {
  Script q(durable);
  q.publish("m1", kPersistent);
  q.publish("m2", kPersistent);
  q.publish("m3");
  q.get();
  q.queue().purge(q.effects());
  q.collect();
  q.expect_store({"append m1", "append m2", "settle m2"});
}

TEST(Store, DeletionSettlesReadyAndUnacked) {
  Script q(durable);
  q.publish("m1", kPersistent);
  q.publish("m2", kPersistent);
  q.get();
  q.queue().clear_for_deletion(q.effects());
  q.collect();
  q.expect_store({"append m1", "append m2", "settle m1", "settle m2"});
}

TEST(Store, RefusedPublishIsNotKept) {
  Script q([](QueueOptions& o) {
    durable(o);
    o.settings.max_length = 0;
    o.settings.overflow = config::Overflow::kRejectPublishDlx;
  });
  q.publish_refused("m1", kPersistent);
  q.expect_store({});
}

}  // namespace
}  // namespace leveret::queue::test
