#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exchange/persistent/hash.h"
#include "exchange/persistent/map.h"
#include "protocol/base/ids.h"

namespace leveret::exchange {

// Place of an exchange in its vhost's route tables.
struct ExchangeSlot {
  std::uint32_t value = 0;

  friend constexpr bool operator==(ExchangeSlot, ExchangeSlot) = default;
};

// Where a binding leads: a queue or another exchange.
class Destination {
 public:
  static Destination queue(QueueId id) { return {id.index, id.generation, id.loop, 0}; }
  static Destination exchange(ExchangeSlot slot) { return {slot.value, 0, 0, 1}; }

  bool is_exchange() const { return is_exchange_ != 0; }
  // REQUIRES: !is_exchange().
  QueueId queue_id() const { return {index_, generation_, loop_}; }
  // REQUIRES: is_exchange().
  ExchangeSlot exchange_slot() const { return {index_}; }

  std::uint64_t hash(unsigned round = 0) const {
    const std::uint64_t number = static_cast<std::uint64_t>(generation_) << 32 | index_;
    const std::uint64_t rest = static_cast<std::uint64_t>(round) << 32 |
                               static_cast<std::uint64_t>(is_exchange_) << 16 | loop_;
    return fold_multiply(number ^ 0x9E3779B97F4A7C15u, rest ^ 0xBF58476D1CE4E5B9u);
  }

  // For a map of destinations: neighbours in number, which are dense, share its nodes, so that a
  // large fanout walks over full ones. The 5-bit groups of the number, highest first.
  std::uint64_t map_hash(unsigned round) const {
    if (round > 0) return hash(round);
    std::uint64_t groups = index_ >> 30 | static_cast<std::uint64_t>(loop_ & 7) << 2;
    for (unsigned level = 1; level < 7; ++level) {
      groups |= static_cast<std::uint64_t>(index_ >> (30 - 5 * level) & 31) << (5 * level);
    }
    return groups | hash() << 35;
  }

  friend bool operator==(const Destination&, const Destination&) = default;

 private:
  Destination(std::uint32_t index, std::uint32_t generation, std::uint16_t loop,
              std::uint16_t is_exchange)
      : index_(index), generation_(generation), loop_(loop), is_exchange_(is_exchange) {}

  std::uint32_t index_;
  std::uint32_t generation_;
  std::uint16_t loop_;
  std::uint16_t is_exchange_;
};
static_assert(sizeof(Destination) == 12,
              "with its count it fills 16 bytes, of which sets are made");

// Destinations, each with the number of bindings that lead to it. A value: copies are free and
// independent, a change costs O(log n), and most sets (one destination) take no memory beyond the
// 24 bytes of the object.
class DestinationSet {
 public:
  DestinationSet() = default;
  DestinationSet(const DestinationSet& other) noexcept;
  DestinationSet(DestinationSet&& other) noexcept;
  DestinationSet& operator=(DestinationSet other) noexcept;
  ~DestinationSet() { drop(); }

  bool empty() const { return kind_ == Kind::kEmpty; }
  // Counts one more binding to it.
  void add(const Destination& destination);
  // Counts one binding less; at none, the destination leaves the set.
  // REQUIRES: the destination is in the set.
  void remove(const Destination& destination);

  template <typename Visit>
  void for_each(Visit&& visit) const {
    switch (kind_) {
      case Kind::kEmpty:
        return;
      case Kind::kOne:
        visit(content_.one.destination);
        return;
      case Kind::kArray:
        for (const Counted& counted : content_.array->entries()) visit(counted.destination);
        return;
      case Kind::kMap:
        content_.map->map.for_each(
            [&visit](const Destination& destination, std::uint32_t) { visit(destination); });
        return;
    }
  }

 private:
  enum class Kind : std::uint8_t { kEmpty, kOne, kArray, kMap };

  struct Counted {
    Destination destination;
    std::uint32_t bindings;
  };

  struct MapTraits {
    using Key = Destination;
    using Value = std::uint32_t;
    using Lookup = Destination;
    static Destination lookup(const Destination& key) { return key; }
    static bool equal(const Destination& key, const Destination& other) { return key == other; }
    static std::uint64_t hash(const Destination& key, unsigned round) {
      return key.map_hash(round);
    }
  };

  // Followed in memory by its entries. Never changed: a change makes another one.
  struct Array : RefCounted {
    explicit Array(std::uint32_t entry_count) : count(entry_count) {}

    static Array* make(std::size_t count);
    std::span<const Counted> entries() const {
      return {reinterpret_cast<const Counted*>(this + 1), count};
    }
    Counted* begin() { return reinterpret_cast<Counted*>(this + 1); }

    const std::uint32_t count;
  };

  struct Map : RefCounted {
    PersistentMap<MapTraits> map;
  };

  union Content {
    Content() : array(nullptr) {}
    Counted one;
    Array* array;
    Map* map;
  };

  void drop();
  void become(const Counted& counted);
  void become(Array* array);
  void become(Map* map);
  void add_to_array(const Destination& destination);
  void remove_from_array(const Destination& destination);
  void remove_from_map(const Destination& destination);
  Map* own_map();

  Content content_;
  Kind kind_ = Kind::kEmpty;
};

}  // namespace leveret::exchange
