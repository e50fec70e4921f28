#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "exchange/persistent/ref_counted.h"

namespace leveret::exchange {

// std::popcount is a call into a library where the processor's own instruction may not be used.
inline std::size_t count_bits(std::uint32_t bits) {
#ifdef __POPCNT__
  return static_cast<std::size_t>(std::popcount(bits));
#else
  bits -= bits >> 1 & 0x55555555u;
  bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0Fu;
  return bits * 0x01010101u >> 24;
#endif
}

// A hash map whose copies are free and independent: a 32-way trie over hash bits, of which copies
// share all nodes until one of them changes.
//
// A change copies the nodes on the way to its key that somebody else owns too, and works in place
// on those it owns alone; so a run of changes between two copies pays for each node once.
// Threads: different copies may be used by different threads at the same time, one copy only as a
// std container may. Pointers to values are valid until the next change of the same copy.
//
// Traits:
//   Key, Value       as stored; copying them must not throw
//   Lookup           what a key is searched by; cheap to copy
//   lookup(key)      -> Lookup
//   equal(key, lookup)
//   hash(lookup, round) -> 64 bits; rounds after 0 must separate keys that collided before them
//
// Invariant: a node below the root has at least two keys in its subtree, so that erasing leaves no
// empty branches and equal contents have equal shape.
template <typename Traits>
class PersistentMap {
 public:
  using Key = typename Traits::Key;
  using Value = typename Traits::Value;
  using Lookup = typename Traits::Lookup;

  PersistentMap() = default;
  PersistentMap(const PersistentMap& other) noexcept : root_(other.root_) {
    if (root_ != nullptr) root_->acquire();
  }
  PersistentMap(PersistentMap&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  PersistentMap& operator=(PersistentMap other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~PersistentMap() { unref(root_); }

  bool empty() const { return root_ == nullptr; }
  void clear() { unref(std::exchange(root_, nullptr)); }

  const Value* find(const Lookup& key) const { return find(key, Traits::hash(key, 0)); }

  // hash: Traits::hash(key, 0), for a caller who searches several maps for one key.
  const Value* find(const Lookup& key, std::uint64_t hash) const {
    const Entry* entry = find_entry(key, hash);
    return entry == nullptr ? nullptr : &entry->value;
  }

  // The key as it is stored.
  const Key* find_key(const Lookup& key) const {
    const Entry* entry = find_entry(key, Traits::hash(key, 0));
    return entry == nullptr ? nullptr : &entry->key;
  }

  // The value of a key, to be changed; null, and nothing copied, if the key is absent.
  Value* edit(const Lookup& key) {
    if (find(key) == nullptr) return nullptr;
    Cursor at(Traits::hash(key, 0));
    Node** slot = &root_;
    while (true) {
      Node* node = own(slot);
      const std::uint32_t bit = at.bit();
      if ((node->nodes & bit) == 0) return &node->entry(bit)->value;
      slot = node->child(bit);
      at.descend(key);
    }
  }

  struct Inserted {
    Value* value;
    bool fresh;
  };

  // The value of a key, to be changed; a new one if the key is absent. make_key() is only called
  // for a new one.
  template <typename MakeKey>
  Inserted insert(const Lookup& key, MakeKey&& make_key) {
    if (root_ == nullptr) root_ = allocate({});
    Cursor at(Traits::hash(key, 0));
    Node** slot = &root_;
    while (true) {
      Node* node = *slot;
      const std::uint32_t bit = at.bit();
      if ((node->nodes & bit) == 0) {
        if ((node->data & bit) == 0) {
          Key fresh = make_key();
          node = reshape(slot, {node->data | bit, node->nodes});
          return {&(new (node->entry(bit)) Entry{std::move(fresh), Value()})->value, true};
        }
        if (Traits::equal(node->entry(bit)->key, key)) {
          return {&own(slot)->entry(bit)->value, false};
        }
        push_down(slot, bit, at);
      }
      node = own(slot);
      slot = node->child(bit);
      at.descend(key);
    }
  }

  // False if the key is absent.
  bool erase(const Lookup& key) {
    if (find(key) == nullptr) return false;
    Cursor at(Traits::hash(key, 0));
    Node** slot = &root_;
    // The deepest place above the key that holds more than the way to it.
    Node** anchor = slot;
    std::uint32_t anchor_bit = at.bit();
    while (true) {
      const std::uint32_t bit = at.bit();
      if (((*slot)->nodes & bit) == 0) break;
      Node* node = own(slot);
      if (slot == &root_ || node->data != 0 || node->nodes != bit) {
        anchor = slot;
        anchor_bit = bit;
      }
      slot = node->child(bit);
      at.descend(key);
    }
    Node* node = reshape(slot, {(*slot)->data & ~at.bit(), (*slot)->nodes});
    if (slot == &root_) {
      if (node->data == 0 && node->nodes == 0) clear();
    } else if (node->nodes == 0 && std::has_single_bit(node->data)) {
      pull_up(anchor, anchor_bit, node);
    }
    return true;
  }

  // Calls visit(key, value) for every entry. Nested no deeper than the trie: 13 levels, but for
  // keys whose 64-bit hashes are equal.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    if (root_ != nullptr) for_each(root_, visit);
  }

 private:
  struct Entry {
    Key key;
    [[no_unique_address]] Value value;
  };

  // Which of the 32 places hold an entry and which a child node; never both.
  struct Shape {
    std::uint32_t data = 0;
    std::uint32_t nodes = 0;
  };

  // Followed in memory by the child pointers, then the entries, each in the order of their bits.
  struct alignas(void*) Node : RefCounted {
    explicit Node(Shape shape) : data(shape.data), nodes(shape.nodes) { this->acquire(); }

    Node** children() const { return reinterpret_cast<Node**>(const_cast<Node*>(this) + 1); }
    Entry* entries() const { return reinterpret_cast<Entry*>(children() + count_bits(nodes)); }
    Node** child(std::uint32_t bit) const { return children() + count_bits(nodes & (bit - 1)); }
    Entry* entry(std::uint32_t bit) const { return entries() + count_bits(data & (bit - 1)); }
    std::size_t entry_count() const { return count_bits(data); }
    std::size_t child_count() const { return count_bits(nodes); }

    const std::uint32_t data;
    const std::uint32_t nodes;
  };
  static_assert(alignof(Entry) <= alignof(Node*));

  // Where on the way from the root to a key a walk is.
  class Cursor {
   public:
    explicit Cursor(std::uint64_t hash) : hash_(hash) {}

    std::uint32_t bit() const { return 1u << (hash_ >> shift_ & 31); }
    void descend(const Lookup& key) {
      shift_ += 5;
      if (shift_ < 60) return;
      shift_ = 0;
      hash_ = Traits::hash(key, ++round_);
    }
    // The bit of another key with the same way so far, one level further down.
    std::uint32_t next_bit_of(const Lookup& other) const {
      Cursor cursor = *this;
      cursor.hash_ = Traits::hash(other, round_);
      cursor.descend(other);
      return cursor.bit();
    }

   private:
    std::uint64_t hash_;
    unsigned shift_ = 0;
    unsigned round_ = 0;
  };

  const Entry* find_entry(const Lookup& key, std::uint64_t hash) const {
    Cursor at(hash);
    for (const Node* node = root_; node != nullptr; at.descend(key)) {
      const std::uint32_t bit = at.bit();
      if ((node->nodes & bit) != 0) {
        node = *node->child(bit);
        continue;
      }
      if ((node->data & bit) == 0) return nullptr;
      const Entry* entry = node->entry(bit);
      return Traits::equal(entry->key, key) ? entry : nullptr;
    }
    return nullptr;
  }

  static Node* allocate(Shape shape) {
    const auto children = count_bits(shape.nodes);
    const auto entries = count_bits(shape.data);
    void* memory =
        ::operator new(sizeof(Node) + children * sizeof(Node*) + entries * sizeof(Entry));
    return new (memory) Node(shape);
  }

  static void unref(Node* node) {
    if (node == nullptr || !node->release()) return;
    for (std::size_t i = 0; i < node->child_count(); ++i) unref(node->children()[i]);
    free_node(node);
  }

  static void free_node(Node* node) {
    std::destroy_n(node->entries(), node->entry_count());
    node->~Node();
    ::operator delete(node);
  }

  // Makes the node in *slot one that nobody else owns.
  static Node* own(Node** slot) {
    if ((*slot)->has_one_owner()) return *slot;
    return reshape(slot, {(*slot)->data, (*slot)->nodes});
  }

  // Replaces the node in *slot by one of another shape. What both shapes have is carried over;
  // what only the new one has is left for the caller to construct.
  static Node* reshape(Node** slot, Shape shape) {
    Node* old = *slot;
    Node* fresh = allocate(shape);
    const bool sole = old->has_one_owner();
    carry_entries(*old, *fresh, sole);
    carry_children(*old, *fresh, sole);
    if (sole) {
      free_node(old);
    } else {
      unref(old);
    }
    *slot = fresh;
    return fresh;
  }

  static void carry_entries(Node& old, Node& fresh, bool sole) {
    Entry* from = old.entries();
    Entry* to = fresh.entries();
    for (std::uint32_t bits = old.data | fresh.data; bits != 0; bits &= bits - 1) {
      const std::uint32_t bit = bits & -bits;
      if ((old.data & fresh.data & bit) != 0) {
        if (sole) {
          new (to) Entry(std::move(*from));
        } else {
          new (to) Entry(*from);
        }
      }
      if ((old.data & bit) != 0) ++from;
      if ((fresh.data & bit) != 0) ++to;
    }
  }

  static void carry_children(Node& old, Node& fresh, bool sole) {
    Node** from = old.children();
    Node** to = fresh.children();
    for (std::uint32_t bits = old.nodes | fresh.nodes; bits != 0; bits &= bits - 1) {
      const std::uint32_t bit = bits & -bits;
      const bool kept = (old.nodes & fresh.nodes & bit) != 0;
      if (kept) *to = *from;
      if (kept && !sole) (*from)->acquire();
      if (!kept && sole && (old.nodes & bit) != 0) unref(*from);
      if ((old.nodes & bit) != 0) ++from;
      if ((fresh.nodes & bit) != 0) ++to;
    }
  }

  // Moves the entry at `bit` into a child of its own, to make room for a key beside it.
  static void push_down(Node** slot, std::uint32_t bit, const Cursor& at) {
    Entry moved = *(*slot)->entry(bit);
    const std::uint32_t bit_below = at.next_bit_of(Traits::lookup(moved.key));
    Node* child = allocate({bit_below, 0});
    new (child->entries()) Entry(std::move(moved));
    Node* node = reshape(slot, {(*slot)->data & ~bit, (*slot)->nodes | bit});
    *node->child(bit) = child;
  }

  // Puts the only entry of `last` in the place of the branch that leads to it.
  static void pull_up(Node** anchor, std::uint32_t bit, Node* last) {
    Entry moved = std::move(*last->entries());
    Node* node = reshape(anchor, {(*anchor)->data | bit, (*anchor)->nodes & ~bit});
    new (node->entry(bit)) Entry(std::move(moved));
  }

  template <typename Visit>
  static void for_each(const Node* node, Visit& visit) {
    Node* const* children = node->children();
    const std::size_t child_count = node->child_count();
    // Nodes lie all over the memory: one wait for all of them instead of one for each.
    for (std::size_t i = 0; i < child_count; ++i) __builtin_prefetch(children[i]);
    const Entry* entries = node->entries();
    const std::size_t entry_count = node->entry_count();
    for (std::size_t i = 0; i < entry_count; ++i) visit(entries[i].key, entries[i].value);
    for (std::size_t i = 0; i < child_count; ++i) for_each(children[i], visit);
  }

  Node* root_ = nullptr;
};

// Value of a map that is a set.
struct Nothing {};

}  // namespace leveret::exchange
