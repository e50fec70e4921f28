#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "exchange/destination_set.h"
#include "exchange/persistent/epoch_set.h"
#include "exchange/persistent/string_map.h"

namespace leveret::exchange {

// Calls visit(word) for the words of a key or pattern: what dots separate. Words may be empty; the
// empty key has none.
template <typename Visit>
void for_each_word(std::string_view key, Visit&& visit) {
  if (key.empty()) return;
  while (true) {
    const std::size_t dot = key.find('.');
    visit(key.substr(0, dot));
    if (dot == std::string_view::npos) return;
    key.remove_prefix(dot + 1);
  }
}

// Binding patterns of a topic exchange as a trie over their words, `*` and `#` being branches of
// their own. A value: copies are free and independent, a change costs O(words × log n).
//
// A run of wildcards that has a `#` means the same as its `*`s followed by one `#`, and is stored
// so; therefore a `#` never follows a `#` directly.
class TopicTrie {
 public:
  class Scratch;

  void add(std::string_view pattern, const Destination& destination);
  // REQUIRES: the pattern leads to the destination.
  void remove(std::string_view pattern, const Destination& destination);
  bool empty() const { return !root_; }
  // Of all patterns together. Walks everything.
  std::size_t node_count() const;

  // Calls found(set) for the destinations of every pattern that matches, each pattern once.
  //
  // Goes through the key once, with the set of all places in the trie that the words so far lead
  // to. A place is in that set once, so the time is bounded by words × places, whatever the
  // patterns are.
  template <typename Found>
  void match(std::string_view key, Scratch& scratch, Found&& found) const;

 private:
  struct Node;
  friend void intrusive_ptr_add_ref(const Node* node);
  friend void intrusive_ptr_release(const Node* node);

  // What is next to the node at `word` of a pattern. Null if there is none.
  static Ref<Node>* find_branch(Node& node, std::string_view word);
  static Ref<Node>* make_branch(Node& node, std::string_view word);
  static void cut_branch(Node& node, std::string_view word);
  static Node& own(Ref<Node>& node);

  Ref<Node> root_;
};

struct TopicTrie::Node : RefCounted {
  bool leads_on() const { return !words.empty() || star || hash; }

  StringMap<Ref<Node>> words;
  Ref<Node> star;
  Ref<Node> hash;
  // Of the patterns that end here.
  DestinationSet ends;
};

// Working memory of match(), for one thread.
class TopicTrie::Scratch {
 public:
  // Looks at nodes since the beginning; lets tests bound the work without a clock.
  std::uint64_t steps() const { return steps_; }

 private:
  friend class TopicTrie;

  struct HashOfPointer {
    std::uint64_t operator()(const Node* node) const {
      return fold_multiply(reinterpret_cast<std::uintptr_t>(node), 0x9E3779B97F4A7C15u);
    }
  };

  void begin();
  // Takes one more word of the key.
  template <typename Found>
  void advance(std::string_view word, Found& found);
  template <typename Found>
  void enter(const Node* node, Found& found);

  // Places reached by exactly the words so far. Each has one parent in the trie, and its parent is
  // here or in lasting_ once at most: so is the place.
  std::vector<const Node*> reached_;
  std::vector<const Node*> reached_next_;
  // `#` places: once reached they stay, as `#` takes any word.
  std::vector<const Node*> lasting_;
  EpochSet<const Node*, HashOfPointer> entered_;
  std::uint64_t steps_ = 0;
};

template <typename Found>
void TopicTrie::match(std::string_view key, Scratch& scratch, Found&& found) const {
  if (!root_) return;
  scratch.begin();
  scratch.reached_.push_back(root_.get());
  scratch.enter(root_.get(), found);
  for_each_word(key, [&](std::string_view word) { scratch.advance(word, found); });
  for (const Node* node : scratch.reached_) found(node->ends);
}

template <typename Found>
void TopicTrie::Scratch::advance(std::string_view word, Found& found) {
  if (reached_.empty() && lasting_.empty()) return;
  const std::uint64_t hash = StringMapTraits<Ref<Node>>::hash(word, 0);
  const auto go = [&](const Node* node) {
    ++steps_;
    if (const Ref<Node>* next = node->words.find(word, hash)) {
      reached_next_.push_back(next->get());
      enter(next->get(), found);
    }
    if (node->star) {
      reached_next_.push_back(node->star.get());
      enter(node->star.get(), found);
    }
  };
  reached_next_.clear();
  // What this word adds to lasting_ takes part from the next word on.
  const std::size_t lasting = lasting_.size();
  for (const Node* node : reached_) go(node);
  for (std::size_t i = 0; i < lasting; ++i) go(lasting_[i]);
  reached_.swap(reached_next_);
}

// Follows the branch `#` of a place just reached: it needs no word.
template <typename Found>
void TopicTrie::Scratch::enter(const Node* node, Found& found) {
  ++steps_;
  if (!node->hash || !entered_.insert(node->hash.get())) return;
  // Whatever follows in the key, it matches.
  found(node->hash->ends);
  if (node->hash->leads_on()) lasting_.push_back(node->hash.get());
}

}  // namespace leveret::exchange
