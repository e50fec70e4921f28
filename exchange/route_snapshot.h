#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "exchange/exchange_type.h"
#include "protocol/base/ids.h"

namespace leveret::exchange {

// What a publisher, a consumer or a declare needs to know of one exchange.
struct ExchangeInfo {
  ExchangeType type = ExchangeType::kDirect;
  bool internal = false;
};

// All exchanges, bindings and queue names of one vhost at one moment. Immutable: every loop holds
// one and routes through it without a lock. Made by RouteBuilder; shares all it can with the
// snapshot before it.
class RouteSnapshot {
 public:
  // Grows with every snapshot of the vhost: caches of routes compare it.
  std::uint64_t version() const;
  std::optional<QueueId> find_queue(std::string_view name) const;
  std::optional<ExchangeInfo> find_exchange(std::string_view name) const;
};

using RouteSnapshotRef = std::shared_ptr<const RouteSnapshot>;

}  // namespace leveret::exchange
