#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "exchange/persistent/map.h"
#include "exchange/persistent/string_map.h"

namespace leveret::exchange {
namespace {

// Hash: which of the first rounds separate which keys.
template <typename Hash>
struct NumberTraits {
  using Key = std::uint32_t;
  using Value = std::string;
  using Lookup = std::uint32_t;
  static std::uint32_t lookup(std::uint32_t key) { return key; }
  static bool equal(std::uint32_t key, std::uint32_t other) { return key == other; }
  static std::uint64_t hash(std::uint32_t key, unsigned round) { return Hash{}(key, round); }
};

struct GoodHash {
  std::uint64_t operator()(std::uint32_t key, unsigned round) const {
    return fold_multiply(key + 0x9E3779B97F4A7C15u, round * 2 + 0xBF58476D1CE4E5B9u);
  }
};
// All bits of a round equal for many keys: collisions through all levels, then through rounds.
struct BadHash {
  std::uint64_t operator()(std::uint32_t key, unsigned round) const {
    return round < 2 ? key % 3 : key;
  }
};
// Ways that part only at the last levels.
struct DeepHash {
  std::uint64_t operator()(std::uint32_t key, unsigned) const {
    return static_cast<std::uint64_t>(key) << 50;
  }
};

template <typename Map>
std::map<std::uint32_t, std::string> contents(const Map& map) {
  std::map<std::uint32_t, std::string> all;
  map.for_each([&](std::uint32_t key, const std::string& value) {
    EXPECT_TRUE(all.emplace(key, value).second) << "visited twice: " << key;
  });
  return all;
}

template <typename Map>
void set(Map* map, std::uint32_t key, const std::string& value) {
  *map->insert(key, [key] { return key; }).value = value;
}

using Step = std::pair<std::uint8_t, std::uint32_t>;

// Inserts, changes, erases and copies as the steps say, beside a std::map; every copy must stay
// what it was.
template <typename Hash>
void behave_like_std_map(const std::vector<Step>& steps) {
  using Map = PersistentMap<NumberTraits<Hash>>;
  Map map;
  std::map<std::uint32_t, std::string> model;
  std::vector<std::pair<Map, std::map<std::uint32_t, std::string>>> copies;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint32_t key = steps[i].second % 64;
    const std::string value = std::to_string(i);
    switch (steps[i].first % 6) {
      case 0:
      case 1: {
        const auto inserted = map.insert(key, [key] { return key; });
        RC_ASSERT(inserted.fresh == !model.contains(key));
        *inserted.value = value;
        model[key] = value;
        break;
      }
      case 2: {
        std::string* edited = map.edit(key);
        RC_ASSERT((edited != nullptr) == model.contains(key));
        if (edited != nullptr) *edited = model[key] = value;
        break;
      }
      case 3:
      case 4:
        RC_ASSERT(map.erase(key) == (model.erase(key) > 0));
        break;
      case 5:
        copies.emplace_back(map, model);
        break;
    }
    RC_ASSERT(map.empty() == model.empty());
    const std::string* found = map.find(key);
    RC_ASSERT((found != nullptr) == model.contains(key));
    if (found != nullptr) RC_ASSERT(*found == model[key]);
  }
  RC_ASSERT(contents(map) == model);
  for (const auto& [copy, expected] : copies) RC_ASSERT(contents(copy) == expected);
}

RC_GTEST_PROP(PersistentMap, BehavesLikeStdMapAndCopiesStay, (const std::vector<Step>& steps)) {
  behave_like_std_map<GoodHash>(steps);
}

RC_GTEST_PROP(PersistentMap, SurvivesCollidingHashes, (const std::vector<Step>& steps)) {
  behave_like_std_map<BadHash>(steps);
}

RC_GTEST_PROP(PersistentMap, SurvivesHashesThatPartLate, (const std::vector<Step>& steps)) {
  behave_like_std_map<DeepHash>(steps);
}

TEST(PersistentMap, HoldsManyKeysAndLetsThemGo) {
  PersistentMap<NumberTraits<GoodHash>> map;
  constexpr std::uint32_t kKeys = 50'000;
  for (std::uint32_t key = 0; key < kKeys; ++key) set(&map, key, std::to_string(key));
  const auto copy = map;
  for (std::uint32_t key = 0; key < kKeys; ++key) EXPECT_TRUE(map.erase(key));
  EXPECT_TRUE(map.empty());
  for (std::uint32_t key = 0; key < kKeys; ++key) ASSERT_EQ(*copy.find(key), std::to_string(key));
}

TEST(PersistentMap, ErasingKeysThatCollideLeavesTheOthersInReach) {
  PersistentMap<NumberTraits<BadHash>> map;
  for (const std::uint32_t key : {3u, 6u, 9u}) set(&map, key, "v");
  map.erase(6);
  EXPECT_NE(map.find(3), nullptr);
  EXPECT_NE(map.find(9), nullptr);
  map.erase(3);
  EXPECT_NE(map.find(9), nullptr);
  EXPECT_EQ(map.find(3), nullptr);
  map.erase(9);
  EXPECT_TRUE(map.empty());
}

TEST(PersistentMap, AChangeOfACopyKeepsValuesElsewhereInPlace) {
  PersistentMap<NumberTraits<GoodHash>> map;
  for (std::uint32_t key = 0; key < 10'000; ++key) set(&map, key, "v");
  const auto copy = map;
  set(&map, 10'001, "new");
  std::size_t shared = 0;
  for (std::uint32_t key = 0; key < 10'000; ++key) shared += map.find(key) == copy.find(key);
  // Copied: one way from the root, of nodes with 32 entries at most.
  EXPECT_GE(shared, 10'000 - 4 * 32);
}

TEST(PersistentMap, WorksInPlaceWhileNobodyElseLooks) {
  PersistentMap<NumberTraits<GoodHash>> map;
  for (std::uint32_t key = 0; key < 1000; ++key) set(&map, key, "v");
  const std::string* before = map.find(7);
  EXPECT_EQ(map.edit(7), before);
}

TEST(PersistentMap, KeyIsOnlyMadeWhenItIsNew) {
  StringMap<int> map;
  int made = 0;
  const auto make = [&] {
    ++made;
    return SharedString("k");
  };
  EXPECT_TRUE(map.insert("k", make).fresh);
  EXPECT_FALSE(map.insert("k", make).fresh);
  EXPECT_EQ(made, 1);
}

TEST(PersistentMap, StringsOfEveryLengthAreFound) {
  StringMap<std::size_t> map;
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string key(size, 'x');
    *map.insert(key, [&] { return SharedString(key); }).value = size;
  }
  for (std::size_t size = 0; size < 300; ++size) {
    const std::size_t* found = map.find(std::string(size, 'x'));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, size);
  }
  EXPECT_EQ(map.find(std::string("\0", 1)), nullptr);
}

}  // namespace
}  // namespace leveret::exchange
