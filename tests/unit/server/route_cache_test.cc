#include "server/route_cache.h"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace leveret::server {
namespace {

std::vector<QueueId> queues(std::uint32_t count) {
  std::vector<QueueId> ids;
  for (std::uint32_t i = 0; i < count; ++i) ids.push_back({i, 1, 0});
  return ids;
}

TEST(RouteCache, FindsWhatWasPut) {
  RouteCache cache;
  const int access = 0;
  EXPECT_EQ(cache.find("ex", "key", 1, &access), nullptr);
  cache.put("ex", "key", 1, &access, queues(3));
  ASSERT_NE(cache.find("ex", "key", 1, &access), nullptr);
  EXPECT_EQ(*cache.find("ex", "key", 1, &access), queues(3));
  EXPECT_EQ(cache.find("ex", "kez", 1, &access), nullptr);
  EXPECT_EQ(cache.find("ez", "key", 1, &access), nullptr);
}

TEST(RouteCache, KnowsThatARouteLeadsNowhere) {
  RouteCache cache;
  cache.put("ex", "key", 1, nullptr, {});
  ASSERT_NE(cache.find("ex", "key", 1, nullptr), nullptr);
  EXPECT_TRUE(cache.find("ex", "key", 1, nullptr)->empty());
}

TEST(RouteCache, OtherRoutesOrAccessMeanUnknown) {
  RouteCache cache;
  const int before = 0;
  const int after = 0;
  cache.put("ex", "key", 1, &before, queues(1));
  EXPECT_EQ(cache.find("ex", "key", 2, &before), nullptr);
  EXPECT_EQ(cache.find("ex", "key", 1, &after), nullptr);
}

TEST(RouteCache, EmptyNamesInAFreshCacheAreUnknown) {
  RouteCache cache;
  cache.put("other", "key", 0, nullptr, queues(1));
  EXPECT_EQ(cache.find("", "", 0, nullptr), nullptr);
}

TEST(RouteCache, VeryLongListsAreNotKept) {
  RouteCache cache;
  cache.put("ex", "key", 1, nullptr, queues(1025));
  EXPECT_EQ(cache.find("ex", "key", 1, nullptr), nullptr);
  cache.put("ex", "key", 1, nullptr, queues(1024));
  EXPECT_NE(cache.find("ex", "key", 1, nullptr), nullptr);
}

RC_GTEST_PROP(RouteCacheProperty, NeverAnswersForSomethingElse, ()) {
  using Key = std::tuple<std::string, std::string, std::uint64_t>;
  RouteCache cache;
  std::map<Key, std::vector<QueueId>> all;
  const auto name = rc::gen::container<std::string>(rc::gen::element('a', 'b'));
  const auto key_gen = rc::gen::tuple(rc::gen::resize(3, name), rc::gen::resize(3, name),
                                      rc::gen::inRange<std::uint64_t>(0, 3));
  const auto steps = *rc::gen::container<std::vector<std::pair<bool, Key>>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(), key_gen));
  std::uint32_t count = 0;
  for (const auto& [put, key] : steps) {
    const auto& [exchange, routing_key, version] = key;
    if (put) {
      all[key] = queues(++count);
      cache.put(exchange, routing_key, version, nullptr, all[key]);
      RC_ASSERT(cache.find(exchange, routing_key, version, nullptr) != nullptr);
    }
    const auto* found = cache.find(exchange, routing_key, version, nullptr);
    if (found != nullptr) RC_ASSERT(*found == all.at(key));
  }
}

}  // namespace
}  // namespace leveret::server
