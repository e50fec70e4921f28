#include "exchange/topic_trie.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "naive_topic.h"

namespace leveret::exchange {
namespace {

Destination queue(std::size_t index) {
  return Destination::queue({static_cast<std::uint32_t>(index), 0, 0});
}

std::set<std::uint32_t> match(const TopicTrie& trie, std::string_view key,
                              TopicTrie::Scratch& scratch) {
  std::set<std::uint32_t> found;
  trie.match(key, scratch, [&](const DestinationSet& set) {
    set.for_each([&](const Destination& d) { found.insert(d.queue_id().index); });
  });
  return found;
}

bool matches(std::string_view pattern, std::string_view key) {
  TopicTrie trie;
  TopicTrie::Scratch scratch;
  trie.add(pattern, queue(1));
  return !match(trie, key, scratch).empty();
}

rc::Gen<std::string> words_of(std::vector<std::string> vocabulary) {
  const auto word = rc::gen::elementOf(std::move(vocabulary));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(word),
                      [](const std::vector<std::string>& words) {
                        std::string text;
                        for (const std::string& w : words) {
                          if (text.size() + w.size() + 1 > 255) break;
                          text += text.empty() && &w == words.data() ? w : "." + w;
                        }
                        return text;
                      });
}

rc::Gen<std::string> any_pattern() {
  return words_of({"", "a", "b", "*", "*", "#", "#", "#", "a*", "long-word"});
}
rc::Gen<std::string> any_key() {
  return words_of({"", "a", "a", "b", "*", "#", "a*"});
}

RC_GTEST_PROP(TopicTrie, FindsWhatANaiveMatcherFinds, ()) {
  const auto patterns = *rc::gen::container<std::vector<std::string>>(any_pattern());
  const auto keys = *rc::gen::container<std::vector<std::string>>(any_key());
  TopicTrie trie;
  TopicTrie::Scratch scratch;
  for (std::size_t i = 0; i < patterns.size(); ++i) trie.add(patterns[i], queue(i));
  for (const std::string& key : keys) {
    std::set<std::uint32_t> expected;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (naive::topic_matches(patterns[i], key)) expected.insert(static_cast<std::uint32_t>(i));
    }
    RC_ASSERT(match(trie, key, scratch) == expected);
  }
}

RC_GTEST_PROP(TopicTrie, RemovingInAnyOrderLeavesNoNodeBehind, ()) {
  const auto patterns = *rc::gen::container<std::vector<std::string>>(any_pattern());
  const auto key = *any_key();
  TopicTrie trie;
  TopicTrie::Scratch scratch;
  for (std::size_t i = 0; i < patterns.size(); ++i) trie.add(patterns[i], queue(i));
  const TopicTrie full = trie;
  const auto found_before = match(full, key, scratch);
  const std::size_t nodes_before = full.node_count();
  std::vector<std::size_t> order(patterns.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t left = order.size(); left > 0; --left) {
    const auto at = *rc::gen::inRange<std::size_t>(0, left);
    const std::size_t gone = order[at];
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
    trie.remove(patterns[gone], queue(gone));
    RC_ASSERT(!match(trie, key, scratch).contains(static_cast<std::uint32_t>(gone)));
  }
  RC_ASSERT(trie.empty());
  RC_ASSERT(trie.node_count() == 0u);
  RC_ASSERT(match(full, key, scratch) == found_before);
  RC_ASSERT(full.node_count() == nodes_before);
}

TEST(TopicTrie, MatchesAsRabbitMqDoes) {
  struct Case {
    const char* pattern;
    const char* key;
    bool expected;
  };
  // Asked of RabbitMQ 3.10.
  const Case cases[] = {
      {"#", "", true},         {"#.#", "", true},       {"", "", true},
      {"*", "", false},        {"#.*", "", false},      {"#", "a", true},
      {"*", "a", true},        {"a.#", "a", true},      {"#.a", "a", true},
      {"*.#", "a", true},      {"#.*", "a", true},      {"#.#.a", "a", true},
      {"#.#.#", "a", true},    {"a.*", "a.", true},     {"a.#", "a.", true},
      {"*.*", "a.", true},     {"a.", "a.", true},      {"a", "a.", false},
      {"*.*", ".", true},      {".", ".", true},        {"#", ".", true},
      {"*.#", ".", true},      {"", ".", false},        {"a.#.b", "a.b", true},
      {"a.#.b", "a..b", true}, {"a.*.b", "a..b", true}, {"a..b", "a..b", true},
      {"*", "*", true},        {"a", "*", false},       {"a*", "ab", false},
      {"a*", "a*", true},      {"#a", "xa", false},     {"#.a", ".a", true},
      {"A", "a", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(matches(c.pattern, c.key), c.expected) << '"' << c.pattern << "\" \"" << c.key;
  }
}

TEST(TopicTrie, WildcardsInAKeyAreOrdinaryWords) {
  EXPECT_FALSE(matches("a", "*"));
  EXPECT_FALSE(matches("a", "#"));
  EXPECT_FALSE(matches("a.b", "#"));
  EXPECT_TRUE(matches("*", "#"));
  EXPECT_TRUE(matches("#.#", "#"));
}

TEST(TopicTrie, OnePatternBoundTwiceNeedsTwoRemovals) {
  TopicTrie trie;
  TopicTrie::Scratch scratch;
  trie.add("a.#.*", queue(1));
  trie.add("a.*.#", queue(1));
  trie.remove("a.#.*", queue(1));
  EXPECT_EQ(match(trie, "a.b", scratch).size(), 1u);
  trie.remove("a.*.#", queue(1));
  EXPECT_TRUE(trie.empty());
}

// 255 dots are 256 empty words, the most a short string holds.
TEST(TopicTrie, HashPatternsAgainstALongKeyTakeBoundedSteps) {
  const std::string dots(255, '.');
  TopicTrie trie;
  TopicTrie::Scratch scratch;
  std::string only_hashes = "#";
  std::string separated = "#";
  std::string starred = "#";
  std::string never = "#";
  for (int i = 1; i < 127; ++i) {
    only_hashes += ".#";
    if (separated.size() < 250) separated += "..#";
    starred += i % 2 == 0 ? ".#" : ".*";
    if (never.size() < 250) never += "..#";
  }
  never += ".x";
  trie.add(only_hashes, queue(0));
  trie.add(separated, queue(1));
  trie.add(starred, queue(2));
  trie.add(never, queue(3));
  EXPECT_EQ(match(trie, dots, scratch), (std::set<std::uint32_t>{0, 1, 2}));
  // Words times places, twice: once to look at a place, once to enter it.
  EXPECT_LE(scratch.steps(), 2 * 257 * trie.node_count());
  EXPECT_LE(trie.node_count(), 350u);
}

TEST(TopicTrie, StepsDoNotGrowWithBindingsThatCannotMatch) {
  TopicTrie trie;
  for (std::size_t i = 0; i < 10'000; ++i) {
    trie.add("site" + std::to_string(i) + ".*.temperature.#", queue(i));
  }
  TopicTrie::Scratch scratch;
  EXPECT_EQ(match(trie, "site77.hall.temperature.max", scratch), std::set<std::uint32_t>{77});
  EXPECT_LE(scratch.steps(), 16u);
}

TEST(TopicTrie, GoesWithoutDeepRecursion) {
  TopicTrie trie;
  // Deeper than any key may be, so that a nested destruction would overflow the stack.
  std::string pattern = "w";
  for (int i = 0; i < 200'000; ++i) pattern += ".w";
  trie.add(pattern, queue(1));
  TopicTrie copy = trie;
  trie.remove(pattern, queue(1));
  EXPECT_TRUE(trie.empty());
}

}  // namespace
}  // namespace leveret::exchange
