#include "server/unacked_deliveries.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <rapidcheck/gtest.h>
#include <utility>
#include <vector>

namespace leveret::server {
namespace {

UnackedDeliveries::Entry entry(std::uint64_t tag) {
  UnackedDeliveries::Entry entry;
  entry.tag = tag;
  entry.seq = MessageSeq(tag * 10);
  entry.consumer = static_cast<ConsumerKey>(tag % 5);
  return entry;
}

UnackedDeliveries with_tags(std::initializer_list<std::uint64_t> tags) {
  UnackedDeliveries unacked;
  for (std::uint64_t tag : tags) unacked.add(entry(tag));
  return unacked;
}

std::vector<std::uint64_t> tags_of(const std::vector<UnackedDeliveries::Entry>& entries) {
  std::vector<std::uint64_t> tags;
  for (const auto& each : entries) tags.push_back(each.tag);
  return tags;
}

using Tags = std::vector<std::uint64_t>;

TEST(UnackedDeliveries, EachIsTakenOnce) {
  auto unacked = with_tags({1, 2, 3});
  std::vector<UnackedDeliveries::Entry> out;
  EXPECT_TRUE(unacked.take(2, &out));
  EXPECT_FALSE(unacked.take(2, &out));
  EXPECT_FALSE(unacked.take(4, &out));
  EXPECT_FALSE(unacked.take(0, &out));
  EXPECT_EQ(tags_of(out), Tags{2});
  EXPECT_EQ(out[0].seq, MessageSeq(20));
  EXPECT_EQ(unacked.size(), 2u);
}

TEST(UnackedDeliveries, MultipleTakesInOrderAndLeavesTheRest) {
  auto unacked = with_tags({1, 2, 3, 4, 5});
  std::vector<UnackedDeliveries::Entry> out;
  unacked.take(2, &out);
  out.clear();
  EXPECT_TRUE(unacked.take_up_to(4, &out));
  EXPECT_EQ(tags_of(out), (Tags{1, 3, 4}));
  EXPECT_EQ(unacked.size(), 1u);
}

TEST(UnackedDeliveries, MultipleWithAnUnknownTagIsRefusedAndTakesNothing) {
  auto unacked = with_tags({3, 5});
  std::vector<UnackedDeliveries::Entry> out;
  EXPECT_FALSE(unacked.take_up_to(2, &out));
  EXPECT_FALSE(unacked.take_up_to(4, &out));
  EXPECT_FALSE(unacked.take_up_to(6, &out));
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(unacked.size(), 2u);
}

TEST(UnackedDeliveries, TagZeroMeansAll) {
  auto unacked = with_tags({3, 5});
  std::vector<UnackedDeliveries::Entry> out;
  EXPECT_TRUE(unacked.take_up_to(0, &out));
  EXPECT_EQ(tags_of(out), (Tags{3, 5}));
  EXPECT_TRUE(unacked.empty());
  EXPECT_TRUE(unacked.take_up_to(0, &out));
}

TEST(UnackedDeliveries, RollbackMakesThemOutstandingAgain) {
  auto unacked = with_tags({1, 2, 3, 4});
  std::vector<UnackedDeliveries::Entry> out;
  unacked.take(3, &out);
  unacked.take_up_to(2, &out);
  unacked.put_back(std::move(out));
  out = {};
  unacked.take_all(&out);
  EXPECT_EQ(tags_of(out), (Tags{1, 2, 3, 4}));
}

TEST(UnackedDeliveries, OldestOneHeldForLongDoesNotSlowTheOthersDown) {
  UnackedDeliveries unacked;
  std::vector<UnackedDeliveries::Entry> out;
  unacked.add(entry(1));
  for (std::uint64_t tag = 2; tag < 300'000; ++tag) {
    unacked.add(entry(tag));
    ASSERT_TRUE(unacked.take(tag, &out));
  }
  EXPECT_EQ(unacked.size(), 1u);
  out.clear();
  EXPECT_TRUE(unacked.take_up_to(1, &out));
  EXPECT_TRUE(unacked.empty());
}

RC_GTEST_PROP(UnackedDeliveriesProperty, AreAMapByTag, ()) {
  UnackedDeliveries unacked;
  std::map<std::uint64_t, MessageSeq> map;
  std::vector<UnackedDeliveries::Entry> kept;  // taken, and may be put back
  std::uint64_t last_tag = 0;
  const auto steps = *rc::gen::scale(
      5.0, rc::gen::container<std::vector<std::pair<unsigned, unsigned>>>(
               rc::gen::pair(rc::gen::inRange(0u, 20u), rc::gen::inRange(0u, 1000u))));
  // A tag that is there, as often as not.
  const auto some_tag = [&](unsigned n) {
    if (map.empty() || n % 2 == 0) return n % (last_tag + 3);
    auto at = map.begin();
    std::advance(at, n % map.size());
    return at->first;
  };
  for (const auto& [what, n] : steps) {
    std::vector<UnackedDeliveries::Entry> out;
    std::vector<std::uint64_t> expected;
    if (what < 9) {
      last_tag += n % 3 == 0 ? 1 + n % 5 : 1;
      unacked.add(entry(last_tag));
      map.emplace(last_tag, MessageSeq(last_tag * 10));
    } else if (what < 15) {
      const std::uint64_t tag = some_tag(n);
      RC_ASSERT(unacked.take(tag, &out) == (map.count(tag) == 1));
      if (map.count(tag) == 1) expected = {tag};
    } else if (what < 17) {
      const std::uint64_t tag = some_tag(n);
      RC_ASSERT(unacked.take_up_to(tag, &out) == (tag == 0 || map.count(tag) == 1));
      if (tag == 0 || map.count(tag) == 1) {
        for (const auto& [each, seq] : map) {
          if (tag == 0 || each <= tag) expected.push_back(each);
        }
      }
    } else if (what == 17) {
      unacked.take_all(&out);
      for (const auto& [each, seq] : map) expected.push_back(each);
    } else if (what == 18) {
      for (const auto& each : kept) map.emplace(each.tag, each.seq);
      unacked.put_back(std::exchange(kept, {}));
    } else {
      kept.clear();
    }
    RC_ASSERT(tags_of(out) == expected);
    for (const auto& each : out) RC_ASSERT(each.seq == map.at(each.tag));
    for (std::uint64_t tag : expected) map.erase(tag);
    kept.insert(kept.end(), out.begin(), out.end());
    RC_ASSERT(unacked.size() == map.size());
    RC_ASSERT(unacked.empty() == map.empty());
  }
}

}  // namespace
}  // namespace leveret::server
