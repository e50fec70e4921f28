#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "exchange/route_snapshot.h"
#include "protocol/field_table.h"

namespace leveret::exchange {

struct MatchContext;

struct RouteRequest {
  std::string_view exchange = {};
  std::string_view routing_key = {};
  // CC and BCC: more keys for the same exchange.
  std::span<const std::string_view> extra_keys = {};
  // The message's headers; only looked at by exchanges that route by them.
  protocol::FieldTable headers = {};
};

enum class RouteStatus : std::uint8_t { kOk, kNoExchange };

struct RouteOutcome {
  RouteStatus status = RouteStatus::kOk;
  // The same exchange, key and extra keys give the same queues under this snapshot whatever the
  // headers are: the caller may cache them.
  bool cacheable = true;
};

// Finds the queues a message goes to: bindings, exchange-to-exchange bindings, alternate exchanges.
//
// One a loop; keeps its working memory between calls, so that a route allocates nothing once warm.
// No recursion: exchange graphs and keys of any shape need bounded stack, and time bounded by the
// exchanges, bindings and words they involve.
class Router {
 public:
  Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;
  ~Router();

  // Replaces *queues with every destination once, in no particular order. Ids only: whether a queue
  // still exists is for its home loop to say.
  RouteOutcome route(const RouteSnapshot& snapshot, const RouteRequest& request,
                     std::vector<QueueId>* queues);

 private:
  std::unique_ptr<MatchContext> context_;
};

}  // namespace leveret::exchange
