#include "exchange/router.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "broker_words.h"

namespace leveret::exchange {
namespace {

using testing::Routes;

TEST(Router, DefaultExchangeKnowsEveryQueueByName) {
  Routes routes;
  routes.queues({"q", "r"});
  EXPECT_EQ(routes.publish("", "q"), "q");
  EXPECT_EQ(routes.publish("", "missing"), "");
  EXPECT_EQ(routes.outcome.status, RouteStatus::kOk);
  EXPECT_EQ(routes.publish("", {.key = "q", .extra_keys = {"r", "q", "missing"}}), "q r");
  routes.builder.remove_queue("q");
  EXPECT_EQ(routes.publish("", "q"), "");
}

TEST(Router, MissingExchangeIsTold) {
  Routes routes;
  routes.queues({"q"});
  EXPECT_EQ(routes.publish("amq.default", "q"), "");
  EXPECT_EQ(routes.outcome.status, RouteStatus::kNoExchange);
}

TEST(Router, DirectNeedsTheWholeKey) {
  Routes routes;
  routes.exchange("d", "direct");
  routes.queues({"q", "r", "s"});
  routes.bind(Routes::to_queue("d", "q", "k"));
  routes.bind(Routes::to_queue("d", "r", "k"));
  routes.bind(Routes::to_queue("d", "s", ""));
  EXPECT_EQ(routes.publish("d", "k"), "q r");
  EXPECT_EQ(routes.publish("d", ""), "s");
  EXPECT_EQ(routes.publish("d", "K"), "");
}

TEST(Router, FanoutIgnoresKeysAndGivesOneCopyUntilTheLastBindingIsGone) {
  Routes routes;
  routes.exchange("f", "fanout");
  routes.queues({"q", "r"});
  routes.bind(Routes::to_queue("f", "q", "one"));
  routes.bind(Routes::to_queue("f", "q", "two"));
  routes.bind(Routes::to_queue("f", "r"));
  EXPECT_EQ(routes.publish("f", {.key = "x", .extra_keys = {"y", "z"}}), "q r");
  EXPECT_TRUE(routes.builder.unbind(Routes::to_queue("f", "q", "one")));
  EXPECT_EQ(routes.publish("f", "x"), "q r");
  EXPECT_TRUE(routes.builder.unbind(Routes::to_queue("f", "q", "two")));
  EXPECT_EQ(routes.publish("f", "x"), "r");
}

TEST(Router, TopicGivesAQueueOnceHoweverManyPatternsMatch) {
  Routes routes;
  routes.exchange("t", "topic");
  routes.queues({"q", "r"});
  for (const char* pattern : {"a.b", "a.*", "#", "*.b", "a.#.b"}) {
    routes.bind(Routes::to_queue("t", "q", pattern));
  }
  routes.bind(Routes::to_queue("t", "r", "c"));
  EXPECT_EQ(routes.publish("t", "a.b"), "q");
  EXPECT_EQ(routes.publish("t", {.key = "a.b", .extra_keys = {"c"}}), "q r");
}

TEST(Router, SameKeyWithOtherArgumentsIsAnotherBinding) {
  Routes routes;
  routes.exchange("d", "direct");
  routes.queues({"q"});
  const std::string arguments = protocol::FieldTableBuilder().int32("n", 1).take();
  EXPECT_TRUE(routes.bind(Routes::to_queue("d", "q", "k")));
  EXPECT_TRUE(routes.bind(Routes::to_queue("d", "q", "k", arguments)));
  EXPECT_FALSE(routes.bind(Routes::to_queue("d", "q", "k")));
  EXPECT_EQ(routes.publish("d", "k"), "q");
  routes.builder.unbind(Routes::to_queue("d", "q", "k"));
  EXPECT_EQ(routes.publish("d", "k"), "q");
}

TEST(Router, ExtraKeysAreMatchedOnEveryExchangeOnTheWay) {
  Routes routes;
  routes.exchange("a", "direct");
  routes.exchange("b", "direct");
  routes.queues({"q", "r"});
  routes.bind(Routes::to_exchange("a", "b", "go"));
  routes.bind(Routes::to_queue("b", "q", "cc"));
  routes.bind(Routes::to_queue("b", "r", "go"));
  EXPECT_EQ(routes.publish("a", {.key = "go", .extra_keys = {"cc"}}), "q r");
  EXPECT_EQ(routes.publish("a", {.key = "cc", .extra_keys = {}}), "");
}

TEST(Router, ExchangeCyclesEndWithOneCopy) {
  Routes routes;
  routes.exchange("a", "fanout");
  routes.exchange("b", "fanout");
  routes.queues({"q"});
  routes.bind(Routes::to_exchange("a", "b"));
  routes.bind(Routes::to_exchange("b", "a"));
  routes.bind(Routes::to_exchange("a", "a"));
  routes.bind(Routes::to_queue("a", "q"));
  routes.bind(Routes::to_queue("b", "q"));
  EXPECT_EQ(routes.publish("a", ""), "q");
  EXPECT_EQ(routes.publish("b", ""), "q");
}

TEST(Router, LongChainsOfExchangesNeedNoStack) {
  Routes routes;
  routes.queues({"q"});
  constexpr int kLength = 20'000;
  for (int i = 0; i < kLength; ++i) routes.exchange("x" + std::to_string(i), "fanout");
  for (int i = 1; i < kLength; ++i) {
    routes.bind(Routes::to_exchange("x" + std::to_string(i - 1), "x" + std::to_string(i)));
  }
  routes.bind(Routes::to_queue("x" + std::to_string(kLength - 1), "q"));
  EXPECT_EQ(routes.publish("x0", ""), "q");
}

TEST(AlternateExchange, TakesWhatNoBindingTakes) {
  Routes routes;
  routes.exchange("main", "direct", "spare");
  routes.exchange("spare", "fanout");
  routes.queues({"q", "lost"});
  routes.bind(Routes::to_queue("main", "q", "k"));
  routes.bind(Routes::to_queue("spare", "lost"));
  EXPECT_EQ(routes.publish("main", "k"), "q");
  EXPECT_EQ(routes.publish("main", "other"), "lost");
  EXPECT_EQ(routes.publish("main", {.key = "other", .extra_keys = {"k"}}), "q");
}

TEST(AlternateExchange, ChainsAndCyclesEnd) {
  Routes routes;
  routes.exchange("a", "direct", "b");
  routes.exchange("b", "direct", "c");
  routes.exchange("c", "direct", "a");
  routes.exchange("self", "direct", "self");
  routes.queues({"q"});
  EXPECT_EQ(routes.publish("a", "k"), "");
  EXPECT_EQ(routes.publish("self", "k"), "");
  routes.bind(Routes::to_queue("c", "q", "k"));
  EXPECT_EQ(routes.publish("a", "k"), "q");
}

TEST(AlternateExchange, IsNotUsedWhenABindingLedToAnExchange) {
  Routes routes;
  routes.exchange("main", "direct", "spare");
  routes.exchange("dead-end", "direct");
  routes.exchange("spare", "fanout");
  routes.queues({"lost"});
  routes.bind(Routes::to_queue("spare", "lost"));
  routes.bind(Routes::to_exchange("main", "dead-end", "k"));
  EXPECT_EQ(routes.publish("main", "k"), "");
  routes.bind(Routes::to_exchange("main", "main", "self"));
  EXPECT_EQ(routes.publish("main", "self"), "");
}

TEST(AlternateExchange, OfAnExchangeFurtherOnIsUsed) {
  Routes routes;
  routes.exchange("main", "direct");
  routes.exchange("next", "direct", "spare");
  routes.exchange("spare", "fanout");
  routes.queues({"lost"});
  routes.bind(Routes::to_queue("spare", "lost"));
  routes.bind(Routes::to_exchange("main", "next", "k"));
  EXPECT_EQ(routes.publish("main", "k"), "lost");
}

TEST(AlternateExchange, MissingOrDefaultRoutesNothing) {
  Routes routes;
  routes.exchange("to-missing", "direct", "missing");
  routes.exchange("to-default", "direct", "");
  routes.queues({"q"});
  EXPECT_EQ(routes.publish("to-missing", "q"), "");
  EXPECT_EQ(routes.outcome.status, RouteStatus::kOk);
  EXPECT_EQ(routes.publish("to-default", "q"), "");
}

TEST(AlternateExchange, DeclaredLaterOrReplacedTakesEffect) {
  Routes routes;
  routes.exchange("main", "direct", "late");
  routes.queues({"q", "r"});
  EXPECT_EQ(routes.publish("main", "k"), "");
  routes.exchange("late", "fanout");
  routes.bind(Routes::to_queue("late", "q"));
  EXPECT_EQ(routes.publish("main", "k"), "q");
  routes.exchange("other", "fanout");
  routes.bind(Routes::to_queue("other", "r"));
  routes.exchange("main", "direct", "other");
  EXPECT_EQ(routes.publish("main", "k"), "r");
  routes.exchange("main", "direct");
  EXPECT_EQ(routes.publish("main", "k"), "");
}

TEST(AlternateExchange, MayBeInternal) {
  Routes routes;
  routes.exchange("main", "direct", "inside");
  routes.builder.put_exchange({.name = "inside", .type = ExchangeType::kFanout, .internal = true});
  routes.queues({"q"});
  routes.bind(Routes::to_queue("inside", "q"));
  EXPECT_EQ(routes.publish("main", "k"), "q");
  EXPECT_TRUE(routes.builder.snapshot()->find_exchange("inside")->internal);
}

TEST(Router, OnlyRoutesThatReadHeadersAreNotCacheable) {
  Routes routes;
  routes.exchange("d", "direct");
  routes.exchange("h", "headers");
  routes.exchange("falls", "direct", "h");
  routes.queues({"q"});
  routes.bind(Routes::to_queue("d", "q", "k"));
  routes.bind(Routes::to_exchange("d", "h", "to-h"));
  routes.publish("d", "k");
  EXPECT_TRUE(routes.outcome.cacheable);
  routes.publish("d", "to-h");
  EXPECT_FALSE(routes.outcome.cacheable);
  routes.publish("h", "k");
  EXPECT_FALSE(routes.outcome.cacheable);
  routes.publish("falls", "k");
  EXPECT_FALSE(routes.outcome.cacheable);
}

TEST(Router, HeadersOfOneMessageNeverServeTheNext) {
  Routes routes;
  routes.exchange("h", "headers");
  routes.queues({"q", "r"});
  const std::string one = protocol::FieldTableBuilder().int32("n", 1).take();
  const std::string two = protocol::FieldTableBuilder().int32("n", 2).take();
  routes.bind(Routes::to_queue("h", "q", "", one));
  routes.bind(Routes::to_queue("h", "r", "", two));
  EXPECT_EQ(routes.publish("h", {.key = "", .headers = one}), "q");
  EXPECT_EQ(routes.publish("h", {.key = "", .headers = two}), "r");
  EXPECT_EQ(routes.publish("h", ""), "");
}

}  // namespace
}  // namespace leveret::exchange
