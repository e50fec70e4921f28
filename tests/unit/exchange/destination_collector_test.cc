#include "exchange/destination_collector.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

namespace leveret::exchange {
namespace {

RC_GTEST_PROP(DestinationCollector, GivesEachQueueOnceWhateverTheSets,
              (const std::vector<std::vector<std::vector<std::uint8_t>>>& messages)) {
  DestinationCollector collector;
  std::vector<QueueId> queues;
  for (const auto& sets : messages) {
    collector.begin(&queues);
    std::set<QueueId> expected;
    for (const auto& members : sets) {
      DestinationSet set;
      for (const std::uint8_t index : members) {
        set.add(Destination::queue({index, 0, 0}));
        expected.insert({index, 0, 0});
      }
      collector.add(set);
    }
    RC_ASSERT(std::set<QueueId>(queues.begin(), queues.end()) == expected);
    RC_ASSERT(queues.size() == expected.size());
  }
}

TEST(DestinationCollector, LargeOverlappingSetsCollapse) {
  DestinationSet low;
  DestinationSet high;
  for (std::uint32_t i = 0; i < 2000; ++i) low.add(Destination::queue({i, 0, 0}));
  for (std::uint32_t i = 1000; i < 3000; ++i) high.add(Destination::queue({i, 0, 0}));
  DestinationCollector collector;
  std::vector<QueueId> queues;
  for (int message = 0; message < 3; ++message) {
    collector.begin(&queues);
    collector.add(low);
    collector.add(high);
    collector.add_queue({5, 0, 0});
    EXPECT_EQ(queues.size(), 3000u);
    EXPECT_EQ(collector.given(), 4001u);
  }
}

TEST(DestinationCollector, AsksEachExchangeOnce) {
  DestinationCollector collector;
  std::vector<QueueId> queues;
  collector.begin(&queues);
  collector.visit_exchange({4});
  EXPECT_EQ(collector.next_exchange(), ExchangeSlot{4});
  collector.visit_exchange({4});
  EXPECT_EQ(collector.next_exchange(), std::nullopt);
  collector.begin(&queues);
  collector.visit_exchange({4});
  EXPECT_EQ(collector.next_exchange(), ExchangeSlot{4});
}

}  // namespace
}  // namespace leveret::exchange
