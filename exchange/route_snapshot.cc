#include "exchange/route_snapshot.h"

#include <utility>

namespace leveret::exchange {

RouteSnapshot::RouteSnapshot(std::uint64_t version, RouteTables tables)
    : version_(version), tables_(std::move(tables)) {}

std::optional<QueueId> RouteSnapshot::find_queue(std::string_view name) const {
  const QueueId* id = tables_.queues.find(name);
  if (id == nullptr) return std::nullopt;
  return *id;
}

std::optional<ExchangeInfo> RouteSnapshot::find_exchange(std::string_view name) const {
  if (name.empty()) return ExchangeInfo{};
  const Exchange* exchange = tables_.find_exchange(name);
  if (exchange == nullptr) return std::nullopt;
  return exchange->info;
}

}  // namespace leveret::exchange
