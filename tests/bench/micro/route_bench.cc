// Cost of one route and of one bind at different numbers of bindings of one exchange.

#include <benchmark/benchmark.h>
#include <cstdint>
#include <malloc.h>
#include <string>
#include <vector>

#include "exchange/route_builder.h"
#include "exchange/router.h"

namespace leveret::exchange {
namespace {

constexpr const char* kSource = "x";

std::string queue_name(std::uint32_t number) {
  return "queue-" + std::to_string(number);
}

// The number-th binding of an exchange; every tenth message of a topic exchange's keys also meets a
// pattern of another shape.
Binding make_binding(ExchangeType type, std::uint32_t number) {
  const std::string text = std::to_string(number);
  Binding binding{.source = kSource, .destination = queue_name(number)};
  switch (type) {
    case ExchangeType::kDirect:
      binding.routing_key = "orders.created." + text;
      break;
    case ExchangeType::kFanout:
      break;
    case ExchangeType::kTopic:
      binding.routing_key = number % 2 == 0   ? "orders.eu." + text + ".created"
                            : number % 4 == 1 ? "orders.*." + text + ".#"
                                              : "#.site" + text + ".*";
      break;
    case ExchangeType::kHeaders:
      binding.arguments = protocol::FieldTableBuilder()
                              .string("x-match", number % 4 == 0 ? "any" : "all")
                              .string("format", number % 2 == 0 ? "pdf" : "xml")
                              .int32("tenant", static_cast<std::int32_t>(number))
                              .take();
      // `any` with a format of their own, or a quarter of all bindings would match.
      if (number % 4 == 0) {
        binding.arguments = protocol::FieldTableBuilder()
                                .string("x-match", "any")
                                .string("customer", text)
                                .int32("tenant", static_cast<std::int32_t>(number))
                                .take();
      }
      break;
  }
  return binding;
}

void fill(RouteBuilder* builder, ExchangeType type, std::uint32_t bindings) {
  builder->put_exchange({.name = kSource, .type = type});
  for (std::uint32_t i = 0; i <= bindings; ++i) builder->put_queue(queue_name(i), {i, 1, 0});
  for (std::uint32_t i = 0; i < bindings; ++i) builder->bind(make_binding(type, i));
}

// What a message needs to reach binding 4k + 2: one match.
struct Message {
  std::string key;
  std::string headers;
};

Message make_message(ExchangeType type, std::uint32_t number) {
  const std::string text = std::to_string(number);
  if (type == ExchangeType::kTopic) return {"orders.eu." + text + ".created", ""};
  return {"orders.created." + text, protocol::FieldTableBuilder()
                                        .string("format", "pdf")
                                        .int32("tenant", static_cast<std::int32_t>(number))
                                        .string("trace", "0af7651916cd43dd8448eb211c80319c")
                                        .take()};
}

void one_route(benchmark::State& state, ExchangeType type) {
  const auto bindings = static_cast<std::uint32_t>(state.range(0));
  RouteBuilder builder;
  fill(&builder, type, bindings);
  const RouteSnapshotRef snapshot = builder.snapshot();
  std::vector<Message> messages;
  for (std::uint32_t i = 0; i < 64; ++i) {
    messages.push_back(make_message(type, (i * 7919 % bindings) / 4 * 4 + 2));
  }
  Router router;
  std::vector<QueueId> queues;
  std::size_t next = 0;
  std::size_t routed = 0;
  for (auto _ : state) {
    const Message& message = messages[next++ % messages.size()];
    RouteRequest request{.exchange = kSource, .routing_key = message.key};
    request.headers = protocol::FieldTable(message.headers);
    router.route(*snapshot, request, &queues);
    routed += queues.size();
  }
  state.counters["matches"] =
      benchmark::Counter(static_cast<double>(routed), benchmark::Counter::kAvgIterations);
}

// One bind and its unbind, each followed by a snapshot, as when a client waits for each reply.
void one_bind(benchmark::State& state, ExchangeType type) {
  const auto bindings = static_cast<std::uint32_t>(state.range(0));
  RouteBuilder builder;
  fill(&builder, type, bindings);
  const Binding binding = make_binding(type, bindings);
  RouteSnapshotRef held = builder.snapshot();
  for (auto _ : state) {
    builder.bind(binding);
    held = builder.snapshot();
    builder.unbind(binding);
    held = builder.snapshot();
  }
}

std::size_t used_bytes() {
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

// Binding everything without a snapshot in between, as when definitions are loaded: each queue
// once. Reports the memory of a queue name and that of a binding, in the builder and the snapshot.
void load(benchmark::State& state, ExchangeType type) {
  const auto bindings = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    const std::size_t before = used_bytes();
    RouteBuilder builder;
    builder.put_exchange({.name = kSource, .type = type});
    for (std::uint32_t i = 0; i < bindings; ++i) builder.put_queue(queue_name(i), {i, 1, 0});
    const std::size_t with_queues = used_bytes();
    state.ResumeTiming();
    for (std::uint32_t i = 0; i < bindings; ++i) builder.bind(make_binding(type, i));
    const RouteSnapshotRef snapshot = builder.snapshot();
    state.PauseTiming();
    state.counters["bytes_a_queue"] = static_cast<double>(with_queues - before) / bindings;
    state.counters["bytes_a_binding"] = static_cast<double>(used_bytes() - with_queues) / bindings;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * bindings);
}

#define SIZES Arg(10)->Arg(1'000)->Arg(100'000)
BENCHMARK_CAPTURE(one_route, direct, ExchangeType::kDirect)->SIZES;
BENCHMARK_CAPTURE(one_route, fanout, ExchangeType::kFanout)->SIZES;
BENCHMARK_CAPTURE(one_route, topic, ExchangeType::kTopic)->SIZES;
BENCHMARK_CAPTURE(one_route, headers, ExchangeType::kHeaders)->SIZES;
BENCHMARK_CAPTURE(one_bind, direct, ExchangeType::kDirect)->SIZES;
BENCHMARK_CAPTURE(one_bind, fanout, ExchangeType::kFanout)->SIZES;
BENCHMARK_CAPTURE(one_bind, topic, ExchangeType::kTopic)->SIZES;
BENCHMARK_CAPTURE(one_bind, headers, ExchangeType::kHeaders)->SIZES;
BENCHMARK_CAPTURE(load, direct, ExchangeType::kDirect)->Arg(1'000'000)->Iterations(1);
BENCHMARK_CAPTURE(load, fanout, ExchangeType::kFanout)->Arg(1'000'000)->Iterations(1);
BENCHMARK_CAPTURE(load, topic, ExchangeType::kTopic)->Arg(1'000'000)->Iterations(1);
BENCHMARK_CAPTURE(load, headers, ExchangeType::kHeaders)->Arg(1'000'000)->Iterations(1);

}  // namespace
}  // namespace leveret::exchange
