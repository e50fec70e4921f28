#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "exchange/destination_set.h"
#include "exchange/exchange_type.h"
#include "exchange/matcher.h"
#include "exchange/persistent/map.h"
#include "exchange/persistent/ref_counted.h"
#include "exchange/persistent/string_map.h"
#include "protocol/base/ids.h"

namespace leveret::exchange {

// What a publisher, a consumer or a declare needs to know of one exchange.
struct ExchangeInfo {
  ExchangeType type = ExchangeType::kDirect;
  bool internal = false;
};

// One exchange with its bindings. Immutable once a snapshot shares it.
class Exchange : public RefCounted {
 public:
  explicit Exchange(const ExchangeSpec& spec);
  // Costs O(1): the bindings are shared until one of the two changes.
  Exchange(const Exchange& other);

  void set_alternate(const std::optional<std::string>& name);

  ExchangeInfo info;
  // Where a message goes that no binding takes; empty for nowhere.
  SharedString alternate;
  std::unique_ptr<Matcher> matcher;
};

inline void intrusive_ptr_add_ref(const Exchange* exchange) {
  exchange->acquire();
}
inline void intrusive_ptr_release(const Exchange* exchange) {
  if (exchange->release()) delete exchange;
}

struct ExchangeSlotTraits {
  using Key = ExchangeSlot;
  using Value = Ref<Exchange>;
  using Lookup = ExchangeSlot;
  static ExchangeSlot lookup(ExchangeSlot key) { return key; }
  static bool equal(ExchangeSlot key, ExchangeSlot other) { return key == other; }
  // Slots are small and dense: as they are they make the flattest trie.
  static std::uint64_t hash(ExchangeSlot key, unsigned) { return key.value; }
};

// All that routing in one vhost looks at. A value: copies are free and independent.
struct RouteTables {
  StringMap<QueueId> queues;
  StringMap<ExchangeSlot> exchange_slots;
  PersistentMap<ExchangeSlotTraits> exchanges;

  // Null if there is none of that name.
  const Exchange* find_exchange(std::string_view name) const;
};

}  // namespace leveret::exchange
