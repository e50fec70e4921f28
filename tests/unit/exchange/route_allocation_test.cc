#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <vector>

#include "exchange/route_builder.h"
#include "exchange/router.h"

namespace {
thread_local std::uint64_t allocations = 0;
}  // namespace

// Not inlined: GCC would see free() on what new returned, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace leveret::exchange {
namespace {

TEST(RouteAllocation, AWarmRouterAllocatesNothing) {
  RouteBuilder builder;
  builder.put_exchange({.name = "d", .type = ExchangeType::kDirect});
  builder.put_exchange({.name = "f", .type = ExchangeType::kFanout});
  builder.put_exchange({.name = "t", .type = ExchangeType::kTopic});
  builder.put_exchange({.name = "h", .type = ExchangeType::kHeaders});
  const std::string headers = protocol::FieldTableBuilder()
                                  .int32("a", 1)
                                  .string("b", "two")
                                  .real("c", 0.5)
                                  .string("b", "again")
                                  .take();
  for (std::uint32_t i = 0; i < 500; ++i) {
    const std::string name = "q" + std::to_string(i);
    builder.put_queue(name, {i, 1, 0});
    builder.bind({.source = "d", .destination = name, .routing_key = "a.b.c"});
    builder.bind({.source = "f", .destination = name});
    builder.bind({.source = "t", .destination = name, .routing_key = "#.b.*." + name});
    builder.bind({.source = "t", .destination = name, .routing_key = "a.#.c"});
    builder.bind({.source = "h", .destination = name, .arguments = headers});
  }
  builder.bind({.source = "f", .destination = "t", .to_exchange = true});
  builder.bind({.source = "t", .destination = "h", .to_exchange = true, .routing_key = "#"});
  const RouteSnapshotRef snapshot = builder.snapshot();
  Router router;
  std::vector<QueueId> queues;
  const std::string_view extra[] = {"a.b.x.q7", "q9"};
  const auto route_everywhere = [&] {
    for (const char* exchange : {"", "d", "f", "t", "h"}) {
      router.route(*snapshot,
                   {.exchange = exchange,
                    .routing_key = "a.b.c",
                    .extra_keys = extra,
                    .headers = protocol::FieldTable(headers)},
                   &queues);
      EXPECT_EQ(queues.size(), *exchange == '\0' ? 1u : 500u);
    }
  };
  route_everywhere();
  const std::uint64_t before = allocations;
  route_everywhere();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace leveret::exchange
