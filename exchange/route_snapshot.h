#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "exchange/exchange_type.h"
#include "exchange/route_tables.h"
#include "protocol/base/ids.h"

namespace leveret::exchange {

// All exchanges, bindings and queue names of one vhost at one moment. Immutable: every loop holds
// one and routes through it without a lock. Made by RouteBuilder; shares all it can with the
// snapshot before it.
//
// Whoever drops the last reference frees what no other snapshot shares: little after a bind, but a
// whole exchange after its removal.
class RouteSnapshot {
 public:
  RouteSnapshot(std::uint64_t version, RouteTables tables);

  // Grows with every snapshot of the vhost: caches of routes compare it.
  std::uint64_t version() const { return version_; }
  std::optional<QueueId> find_queue(std::string_view name) const;
  // The default exchange ("") is found too.
  std::optional<ExchangeInfo> find_exchange(std::string_view name) const;
  const RouteTables& tables() const { return tables_; }

 private:
  const std::uint64_t version_;
  const RouteTables tables_;
};

using RouteSnapshotRef = std::shared_ptr<const RouteSnapshot>;

}  // namespace leveret::exchange
