#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exchange/route_builder.h"
#include "exchange/router.h"

namespace leveret::exchange {
namespace {

// How a snapshot comes from the builder's thread to a reader's: the server posts it to each loop.
class Post {
 public:
  void put(RouteSnapshotRef snapshot) {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(snapshot);
  }
  RouteSnapshotRef get() {
    const std::lock_guard lock(mutex_);
    return snapshot_;
  }

 private:
  std::mutex mutex_;
  RouteSnapshotRef snapshot_;
};

Binding binding(const char* source, std::uint32_t number) {
  const std::string text = std::to_string(number);
  Binding made{source, "q" + text, false, "k." + text + ".#", ""};
  if (source == std::string_view("h")) {
    made.arguments = protocol::FieldTableBuilder()
                         .int32("n", static_cast<int>(number % 7))
                         .string("s", text)
                         .take();
  }
  return made;
}

constexpr const char* kSources[] = {"d", "f", "t", "h"};

// Every snapshot has each queue bound to all exchanges or to none.
void read_until(const std::atomic<bool>& done, Post& post, std::atomic<int>& torn) {
  Router router;
  std::vector<QueueId> by_fanout;
  std::vector<QueueId> queues;
  std::uint64_t version = 0;
  while (!done) {
    const RouteSnapshotRef snapshot = post.get();
    if (snapshot->version() < version) ++torn;
    version = snapshot->version();
    RouteRequest request;
    request.exchange = "f";
    router.route(*snapshot, request, &by_fanout);
    for (std::size_t i = 0; i < by_fanout.size(); i += 1 + by_fanout.size() / 8) {
      const std::uint32_t number = by_fanout[i].index;
      const Binding direct = binding("d", number);
      const Binding headers = binding("h", number);
      request.headers = protocol::FieldTable(headers.arguments);
      const std::string key = "k." + std::to_string(number) + ".x";
      for (const char* source : {"d", "t", "h"}) {
        request.exchange = source;
        request.routing_key = *source == 'd' ? direct.routing_key : key;
        router.route(*snapshot, request, &queues);
        if (queues != std::vector<QueueId>{by_fanout[i]}) ++torn;
      }
    }
  }
}

TEST(SnapshotThreads, ReadersSeeWholeSnapshotsWhileTheBuilderGoesOn) {
  RouteBuilder builder;
  builder.put_exchange({.name = "d", .type = ExchangeType::kDirect});
  builder.put_exchange({.name = "f", .type = ExchangeType::kFanout});
  builder.put_exchange({.name = "t", .type = ExchangeType::kTopic});
  builder.put_exchange({.name = "h", .type = ExchangeType::kHeaders});
  Post post;
  post.put(builder.snapshot());
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] { read_until(done, post, torn); });
  }
  constexpr std::uint32_t kQueues = 200;
  for (std::uint32_t turn = 0; turn < 4 * kQueues; ++turn) {
    const std::uint32_t number = turn * 31 % kQueues;
    const std::string name = "q" + std::to_string(number);
    if (turn / kQueues % 2 == 0) {
      builder.put_queue(name, {number, 1, 0});
      for (const char* source : kSources) builder.bind(binding(source, number));
    } else {
      builder.remove_queue(name);
    }
    post.put(builder.snapshot());
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(builder.binding_count(), 0u);
}

}  // namespace
}  // namespace leveret::exchange
