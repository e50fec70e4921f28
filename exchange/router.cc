#include "exchange/router.h"

#include "exchange/match_context.h"

namespace leveret::exchange {
namespace {

void route_by_queue_name(const RouteTables& tables, const RouteRequest& request,
                         MatchContext& context) {
  for_each_key(request, [&](std::string_view key) {
    if (const QueueId* id = tables.queues.find(key)) context.found.add_queue(*id);
  });
}

}  // namespace

Router::Router() : context_(std::make_unique<MatchContext>()) {}
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

RouteOutcome Router::route(const RouteSnapshot& snapshot, const RouteRequest& request,
                           std::vector<QueueId>* queues) {
  const RouteTables& tables = snapshot.tables();
  MatchContext& context = *context_;
  context.begin(queues);
  RouteOutcome outcome;
  if (request.exchange.empty()) {
    route_by_queue_name(tables, request, context);
    return outcome;
  }
  const ExchangeSlot* start = tables.exchange_slots.find(request.exchange);
  if (start == nullptr) {
    outcome.status = RouteStatus::kNoExchange;
    return outcome;
  }
  context.found.visit_exchange(*start);
  while (const std::optional<ExchangeSlot> slot = context.found.next_exchange()) {
    const Exchange& exchange = **tables.exchanges.find(*slot);
    const std::size_t given_before = context.found.given();
    exchange.matcher->match(request, context);
    if (exchange.matcher->looks_at_headers()) outcome.cacheable = false;
    // A destination that other exchanges gave already counts: the bindings took the message.
    if (context.found.given() != given_before || exchange.alternate.empty()) continue;
    const ExchangeSlot* alternate = tables.exchange_slots.find(exchange.alternate.view());
    if (alternate != nullptr) context.found.visit_exchange(*alternate);
  }
  return outcome;
}

}  // namespace leveret::exchange
