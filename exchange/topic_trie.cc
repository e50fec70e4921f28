#include "exchange/topic_trie.h"

#include <utility>

#include "protocol/base/assert.h"

namespace leveret::exchange {
namespace {

constexpr std::string_view kStar = "*";
constexpr std::string_view kHash = "#";

// The pattern's words, with each run of wildcards that has a `#` as its `*`s and one `#`.
std::vector<std::string_view> normal_words(std::string_view pattern) {
  std::vector<std::string_view> words;
  bool hash_pending = false;
  for_each_word(pattern, [&](std::string_view word) {
    if (word == kHash) {
      hash_pending = true;
      return;
    }
    if (hash_pending && word != kStar) {
      words.push_back(kHash);
      hash_pending = false;
    }
    words.push_back(word);
  });
  if (hash_pending) words.push_back(kHash);
  return words;
}

}  // namespace

void intrusive_ptr_add_ref(const TopicTrie::Node* node) {
  node->acquire();
}

// A node that goes lets its branches go: they queue up here instead of nesting, so that the stack
// does not grow with the trie's depth.
void intrusive_ptr_release(const TopicTrie::Node* node) {
  if (!node->release()) return;
  thread_local std::vector<const TopicTrie::Node*> gone;
  thread_local bool busy = false;
  gone.push_back(node);
  if (busy) return;
  busy = true;
  while (!gone.empty()) {
    const TopicTrie::Node* next = gone.back();
    gone.pop_back();
    delete next;
  }
  // A trie of a million branches is not taken down twice: its list would only lie about.
  constexpr std::size_t kKeptMax = 1024;
  if (gone.capacity() > kKeptMax) gone.shrink_to_fit();
  busy = false;
}

Ref<TopicTrie::Node>* TopicTrie::find_branch(Node& node, std::string_view word) {
  if (word == kStar) return node.star ? &node.star : nullptr;
  if (word == kHash) return node.hash ? &node.hash : nullptr;
  return node.words.edit(word);
}

Ref<TopicTrie::Node>* TopicTrie::make_branch(Node& node, std::string_view word) {
  Ref<Node>* branch = word == kStar ? &node.star
                      : word == kHash
                          ? &node.hash
                          : node.words.insert(word, [&] { return SharedString(word); }).value;
  if (!*branch) *branch = new Node;
  return branch;
}

void TopicTrie::cut_branch(Node& node, std::string_view word) {
  if (word == kStar) {
    node.star = nullptr;
  } else if (word == kHash) {
    node.hash = nullptr;
  } else {
    node.words.erase(word);
  }
}

TopicTrie::Node& TopicTrie::own(Ref<Node>& node) {
  if (!node->has_one_owner()) node = new Node(*node);
  return *node;
}

void TopicTrie::add(std::string_view pattern, const Destination& destination) {
  if (!root_) root_ = new Node;
  Ref<Node>* at = &root_;
  for (const std::string_view word : normal_words(pattern)) at = make_branch(own(*at), word);
  own(*at).ends.add(destination);
}

void TopicTrie::remove(std::string_view pattern, const Destination& destination) {
  LEVERET_ASSERT(root_);
  const std::vector<std::string_view> words = normal_words(pattern);
  std::vector<Node*> way{&own(root_)};
  for (const std::string_view word : words) {
    Ref<Node>* branch = find_branch(*way.back(), word);
    LEVERET_ASSERT(branch != nullptr);
    way.push_back(&own(*branch));
  }
  way.back()->ends.remove(destination);
  for (std::size_t i = words.size(); i > 0; --i) {
    if (way[i]->leads_on() || !way[i]->ends.empty()) return;
    cut_branch(*way[i - 1], words[i - 1]);
  }
  if (!root_->leads_on() && root_->ends.empty()) root_ = nullptr;
}

std::size_t TopicTrie::node_count() const {
  std::vector<const Node*> left;
  if (root_) left.push_back(root_.get());
  std::size_t count = 0;
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    ++count;
    node->words.for_each(
        [&](const SharedString&, const Ref<Node>& next) { left.push_back(next.get()); });
    if (node->star) left.push_back(node->star.get());
    if (node->hash) left.push_back(node->hash.get());
  }
  return count;
}

void TopicTrie::Scratch::begin() {
  reached_.clear();
  lasting_.clear();
  entered_.clear();
}

}  // namespace leveret::exchange
