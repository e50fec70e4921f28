#include "exchange/destination_set.h"

#include <algorithm>
#include <new>
#include <utility>

#include "protocol/base/assert.h"

namespace leveret::exchange {
namespace {

// A change copies the whole array: 16 destinations are 256 bytes, about what a change of the map
// copies.
constexpr std::size_t kArrayMax = 16;

}  // namespace

DestinationSet::Array* DestinationSet::Array::make(std::size_t count) {
  void* memory = ::operator new(sizeof(Array) + count * sizeof(Counted));
  auto* array = new (memory) Array(static_cast<std::uint32_t>(count));
  array->acquire();
  return array;
}

DestinationSet::DestinationSet(const DestinationSet& other) noexcept
    : content_(other.content_), kind_(other.kind_) {
  if (kind_ == Kind::kArray) content_.array->acquire();
  if (kind_ == Kind::kMap) content_.map->acquire();
}

DestinationSet::DestinationSet(DestinationSet&& other) noexcept
    : content_(other.content_), kind_(std::exchange(other.kind_, Kind::kEmpty)) {}

DestinationSet& DestinationSet::operator=(DestinationSet other) noexcept {
  std::swap(content_, other.content_);
  std::swap(kind_, other.kind_);
  return *this;
}

void DestinationSet::drop() {
  if (kind_ == Kind::kArray && content_.array->release()) {
    content_.array->~Array();
    ::operator delete(content_.array);
  }
  if (kind_ == Kind::kMap && content_.map->release()) delete content_.map;
  kind_ = Kind::kEmpty;
}

void DestinationSet::become(const Counted& counted) {
  const Counted kept = counted;
  drop();
  content_.one = kept;
  kind_ = Kind::kOne;
}

void DestinationSet::become(Array* array) {
  drop();
  content_.array = array;
  kind_ = Kind::kArray;
}

void DestinationSet::become(Map* map) {
  drop();
  content_.map = map;
  kind_ = Kind::kMap;
}

void DestinationSet::add(const Destination& destination) {
  switch (kind_) {
    case Kind::kEmpty:
      become(Counted{destination, 1});
      return;
    case Kind::kOne: {
      if (content_.one.destination == destination) {
        ++content_.one.bindings;
        return;
      }
      Array* array = Array::make(2);
      new (array->begin()) Counted(content_.one);
      new (array->begin() + 1) Counted{destination, 1};
      become(array);
      return;
    }
    case Kind::kArray:
      add_to_array(destination);
      return;
    case Kind::kMap:
      ++*own_map()->map.insert(destination, [&] { return destination; }).value;
      return;
  }
}

void DestinationSet::add_to_array(const Destination& destination) {
  const std::span<const Counted> old = content_.array->entries();
  const auto found = std::ranges::find(old, destination, &Counted::destination);
  if (found == old.end() && old.size() == kArrayMax) {
    auto* map = new Map;
    map->acquire();
    for (const Counted& counted : old) {
      *map->map.insert(counted.destination, [&] { return counted.destination; }).value =
          counted.bindings;
    }
    *map->map.insert(destination, [&] { return destination; }).value = 1;
    become(map);
    return;
  }
  Array* array = Array::make(old.size() + (found == old.end() ? 1 : 0));
  std::uninitialized_copy(old.begin(), old.end(), array->begin());
  if (found == old.end()) {
    new (array->begin() + old.size()) Counted{destination, 1};
  } else {
    ++array->begin()[found - old.begin()].bindings;
  }
  become(array);
}

void DestinationSet::remove(const Destination& destination) {
  switch (kind_) {
    case Kind::kEmpty:
      LEVERET_ASSERT(false);
      return;
    case Kind::kOne:
      LEVERET_ASSERT(content_.one.destination == destination);
      if (--content_.one.bindings == 0) drop();
      return;
    case Kind::kArray:
      remove_from_array(destination);
      return;
    case Kind::kMap:
      remove_from_map(destination);
      return;
  }
}

void DestinationSet::remove_from_array(const Destination& destination) {
  const std::span<const Counted> old = content_.array->entries();
  const auto found = std::ranges::find(old, destination, &Counted::destination);
  LEVERET_ASSERT(found != old.end());
  if (found->bindings == 1 && old.size() == 2) {
    become(found == old.begin() ? old[1] : old[0]);
    return;
  }
  const bool gone = found->bindings == 1;
  Array* array = Array::make(old.size() - (gone ? 1 : 0));
  Counted* to = std::uninitialized_copy(old.begin(), found, array->begin());
  if (!gone) new (to++) Counted{destination, found->bindings - 1};
  std::uninitialized_copy(found + 1, old.end(), to);
  become(array);
}

void DestinationSet::remove_from_map(const Destination& destination) {
  Map* own = own_map();
  std::uint32_t* bindings = own->map.edit(destination);
  LEVERET_ASSERT(bindings != nullptr);
  if (--*bindings > 0) return;
  own->map.erase(destination);
  // Stays a map while it shrinks: a set around the limit would change its form at every step.
  if (own->map.empty()) drop();
}

DestinationSet::Map* DestinationSet::own_map() {
  if (!content_.map->has_one_owner()) {
    auto* map = new Map(*content_.map);
    map->acquire();
    become(map);
  }
  return content_.map;
}

}  // namespace leveret::exchange
