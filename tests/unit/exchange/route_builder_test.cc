#include "exchange/route_builder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "broker_words.h"

namespace leveret::exchange {
namespace {

using testing::Routes;

TEST(RouteBuilder, SnapshotIsTheSameObjectUntilSomethingChanges) {
  Routes routes;
  routes.exchange("d", "direct");
  routes.queues({"q"});
  const RouteSnapshotRef first = routes.builder.snapshot();
  EXPECT_EQ(routes.builder.snapshot(), first);
  routes.exchange("d", "direct");
  routes.builder.put_queue("q", {0, 1, 0});
  EXPECT_FALSE(routes.builder.unbind(Routes::to_queue("d", "q", "k")));
  EXPECT_EQ(routes.builder.snapshot(), first);
  routes.bind(Routes::to_queue("d", "q", "k"));
  const RouteSnapshotRef second = routes.builder.snapshot();
  EXPECT_NE(second, first);
  EXPECT_GT(second->version(), first->version());
}

TEST(RouteBuilder, OldSnapshotsOutliveTheBuilder) {
  RouteSnapshotRef old;
  {
    Routes routes;
    routes.exchange("d", "direct");
    routes.queues({"q"});
    routes.bind(Routes::to_queue("d", "q", "k"));
    old = routes.builder.snapshot();
    routes.builder.remove_exchange("d");
    routes.builder.remove_queue("q");
  }
  Router router;
  std::vector<QueueId> queues;
  EXPECT_EQ(router
                .route(*old, {.exchange = "d", .routing_key = "k", .extra_keys = {}, .headers = {}},
                       &queues)
                .status,
            RouteStatus::kOk);
  EXPECT_EQ(queues.size(), 1u);
}

TEST(RouteBuilder, RemovingAnExchangeTakesItsBindingsInBothDirections) {
  Routes routes;
  routes.exchange("a", "fanout");
  routes.exchange("b", "fanout");
  routes.queues({"q"});
  routes.bind(Routes::to_exchange("a", "b"));
  routes.bind(Routes::to_exchange("b", "b", "self"));
  routes.bind(Routes::to_queue("b", "q"));
  routes.bind(Routes::to_queue("a", "q"));
  EXPECT_EQ(routes.builder.remove_exchange("b").size(), 3u);
  EXPECT_EQ(routes.builder.binding_count(), 1u);
  EXPECT_EQ(routes.builder.source_count("a"), 1u);
  EXPECT_EQ(routes.builder.source_count("b"), 0u);
  EXPECT_EQ(routes.publish("a", ""), "q");
  EXPECT_TRUE(routes.builder.remove_exchange("b").empty());
}

TEST(RouteBuilder, AnExchangeInTheSlotOfARemovedOneInheritsNothing) {
  Routes routes;
  routes.exchange("a", "fanout");
  routes.exchange("b", "fanout");
  routes.queues({"q"});
  routes.bind(Routes::to_exchange("a", "b"));
  routes.bind(Routes::to_queue("b", "q"));
  routes.builder.remove_exchange("b");
  routes.exchange("c", "fanout");
  routes.bind(Routes::to_queue("c", "q"));
  EXPECT_EQ(routes.publish("a", ""), "");
}

TEST(RouteBuilder, RemovingAQueueReturnsItsBindings) {
  Routes routes;
  routes.exchange("d", "direct");
  routes.exchange("t", "topic");
  routes.queues({"q", "r"});
  routes.bind(Routes::to_queue("d", "q", "k"));
  routes.bind(Routes::to_queue("t", "q", "a.#"));
  routes.bind(Routes::to_queue("d", "r", "k"));
  const std::vector<Binding> removed = routes.builder.remove_queue("q");
  EXPECT_EQ(removed, (std::vector<Binding>{Routes::to_queue("d", "q", "k"),
                                           Routes::to_queue("t", "q", "a.#")}));
  EXPECT_EQ(routes.publish("d", "k"), "r");
  EXPECT_EQ(routes.publish("t", "a"), "");
}

TEST(RouteBuilder, ListsBindingsByBothEndsInTheOrderOfBinding) {
  Routes routes;
  routes.exchange("d", "direct");
  routes.exchange("e", "direct");
  routes.queues({"q"});
  const Binding first = Routes::to_queue("d", "q", "1");
  const Binding second = Routes::to_exchange("d", "e", "2");
  const Binding third = Routes::to_queue("e", "q", "3");
  for (const Binding& binding : {first, second, third}) routes.bind(binding);
  EXPECT_EQ(routes.builder.bindings_from("d"), (std::vector<Binding>{first, second}));
  EXPECT_EQ(routes.builder.bindings_to("q", false), (std::vector<Binding>{first, third}));
  EXPECT_EQ(routes.builder.bindings_to("e", true), std::vector<Binding>{second});
  EXPECT_TRUE(routes.builder.bindings_to("q", true).empty());
  EXPECT_TRUE(routes.builder.bindings_from("missing").empty());
}

TEST(RouteBuilder, AQueueThatGetsAnotherIdKeepsItsBindings) {
  Routes routes;
  routes.exchange("d", "direct");
  routes.exchange("f", "fanout");
  routes.queues({"old", "new"});
  routes.bind(Routes::to_queue("d", "old", "k"));
  routes.bind(Routes::to_queue("f", "old", "1"));
  routes.bind(Routes::to_queue("f", "old", "2"));
  routes.builder.put_queue("old", *routes.builder.snapshot()->find_queue("new"));
  EXPECT_EQ(routes.publish("d", "k"), "new");
  EXPECT_EQ(routes.publish("f", ""), "new");
  EXPECT_EQ(routes.publish("", "old"), "new");
  routes.builder.remove_queue("old");
  EXPECT_EQ(routes.publish("f", ""), "");
}

TEST(RouteBuilder, AQueueAmongManyGoesAloneAndAllAtOnce) {
  Routes routes;
  routes.exchange("t", "topic");
  routes.exchange("f", "fanout");
  constexpr std::uint32_t kQueues = 20'000;
  for (std::uint32_t i = 0; i < kQueues; ++i) {
    const std::string name = "q" + std::to_string(i);
    routes.builder.put_queue(name, {i, 1, 0});
    routes.bind(Routes::to_queue("f", name));
    routes.bind(Routes::to_queue("t", "q0", "k." + std::to_string(i)));
  }
  EXPECT_EQ(routes.builder.remove_queue("q7").size(), 1u);
  EXPECT_EQ(routes.builder.remove_queue("q0").size(), kQueues + 1);
  EXPECT_EQ(routes.builder.source_count("f"), kQueues - 2);
  EXPECT_EQ(routes.builder.source_count("t"), 0u);
}

TEST(RouteSnapshot, FindsQueuesAndExchanges) {
  Routes routes;
  routes.exchange("t", "topic");
  routes.queues({"q"});
  const RouteSnapshotRef snapshot = routes.builder.snapshot();
  EXPECT_EQ(snapshot->find_exchange("t")->type, ExchangeType::kTopic);
  EXPECT_EQ(snapshot->find_exchange("")->type, ExchangeType::kDirect);
  EXPECT_FALSE(snapshot->find_exchange("missing"));
  EXPECT_EQ(snapshot->find_queue("q"), (QueueId{0, 1, 0}));
  EXPECT_FALSE(snapshot->find_queue("missing"));
}

TEST(Binding, SortedArgumentsAreTheSameWhateverTheOrderWas) {
  using protocol::FieldTableBuilder;
  const std::string ab = FieldTableBuilder().int32("a", 1).string("b", "x").take();
  const std::string ba = FieldTableBuilder().string("b", "x").int32("a", 1).take();
  EXPECT_EQ(sort_arguments(ba), ab);
  EXPECT_EQ(sort_arguments(ab), ab);
  EXPECT_EQ(sort_arguments(""), "");
  const std::string repeated = FieldTableBuilder().int32("b", 2).int32("b", 1).take();
  EXPECT_EQ(sort_arguments(repeated), repeated) << "repeated names keep their order";
}

TEST(ExchangeType, NamesReadBack) {
  for (const char* name : {"direct", "fanout", "topic", "headers"}) {
    EXPECT_EQ(exchange_type_name(*parse_exchange_type(name)), name);
  }
  EXPECT_FALSE(parse_exchange_type("Direct"));
  EXPECT_FALSE(parse_exchange_type(""));
}

TEST(RouteBuilder, OnlyHeadersBindingsAreValidated) {
  Binding binding;
  binding.arguments = protocol::FieldTableBuilder().string("x-match", "foo").take();
  EXPECT_TRUE(RouteBuilder::validate(ExchangeType::kHeaders, binding));
  EXPECT_FALSE(RouteBuilder::validate(ExchangeType::kDirect, binding));
  EXPECT_FALSE(RouteBuilder::validate(ExchangeType::kTopic, binding));
}

}  // namespace
}  // namespace leveret::exchange
