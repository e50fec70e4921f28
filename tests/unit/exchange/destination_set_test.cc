#include "exchange/destination_set.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace leveret::exchange {
namespace {

Destination queue(std::uint32_t index) {
  return Destination::queue({index, 7, 1});
}

std::multiset<std::uint32_t> members(const DestinationSet& set) {
  std::multiset<std::uint32_t> indexes;
  set.for_each([&](const Destination& d) { indexes.insert(d.queue_id().index); });
  return indexes;
}

std::multiset<std::uint32_t> keys_of(const std::map<std::uint32_t, int>& counts) {
  std::multiset<std::uint32_t> keys;
  for (const auto& [key, count] : counts) keys.insert(key);
  return keys;
}

RC_GTEST_PROP(DestinationSet, CountsBindingsLikeAMapAndCopiesStay,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& steps)) {
  DestinationSet set;
  std::map<std::uint32_t, int> model;
  std::vector<std::pair<DestinationSet, std::map<std::uint32_t, int>>> copies;
  for (const auto& [what, which] : steps) {
    const std::uint32_t index = which % 40;
    if (what % 8 == 0) copies.emplace_back(set, model);
    if (what % 3 != 0) {
      set.add(queue(index));
      ++model[index];
    } else if (model.contains(index)) {
      set.remove(queue(index));
      if (--model[index] == 0) model.erase(index);
    }
    RC_ASSERT(set.empty() == model.empty());
  }
  RC_ASSERT(members(set) == keys_of(model));
  for (auto& [copy, expected] : copies) {
    RC_ASSERT(members(copy) == keys_of(expected));
    for (const auto& [index, count] : expected) {
      for (int i = 0; i < count; ++i) copy.remove(queue(index));
    }
    RC_ASSERT(copy.empty());
  }
}

TEST(DestinationSet, GrowsThroughEveryFormAndBackToNothing) {
  DestinationSet set;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    set.add(queue(i));
    ASSERT_EQ(members(set).size(), i + 1);
  }
  for (std::uint32_t i = 0; i < 1000; ++i) set.remove(queue(i));
  EXPECT_TRUE(set.empty());
}

TEST(DestinationSet, TellsQueuesFromExchangesOfTheSameNumber) {
  DestinationSet set;
  set.add(Destination::queue({3, 0, 0}));
  set.add(Destination::exchange({3}));
  int queues = 0;
  int exchanges = 0;
  set.for_each([&](const Destination& d) { ++(d.is_exchange() ? exchanges : queues); });
  EXPECT_EQ(queues, 1);
  EXPECT_EQ(exchanges, 1);
}

TEST(DestinationSet, QueuesOfDifferentLoopsAndGenerationsDiffer) {
  DestinationSet set;
  set.add(Destination::queue({3, 1, 0}));
  set.add(Destination::queue({3, 2, 0}));
  set.add(Destination::queue({3, 1, 1}));
  EXPECT_EQ(members(set).size(), 3u);
}

}  // namespace
}  // namespace leveret::exchange
