#pragma once

#include <cstdint>
#include <string_view>

#include "exchange/persistent/hash.h"
#include "exchange/persistent/map.h"
#include "exchange/persistent/shared_string.h"

namespace leveret::exchange {

template <typename V>
struct StringMapTraits {
  using Key = SharedString;
  using Value = V;
  using Lookup = std::string_view;

  static std::string_view lookup(const SharedString& key) { return key.view(); }
  static bool equal(const SharedString& key, std::string_view text) { return key.view() == text; }
  static std::uint64_t hash(std::string_view text, unsigned round) {
    return hash_bytes(text, round);
  }
};

// Strings to V.
template <typename V>
using StringMap = PersistentMap<StringMapTraits<V>>;

}  // namespace leveret::exchange
