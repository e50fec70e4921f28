#include "exchange/direct.h"

#include "exchange/match_context.h"
#include "protocol/base/assert.h"

namespace leveret::exchange {

std::unique_ptr<Matcher> DirectMatcher::clone() const {
  return std::make_unique<DirectMatcher>(*this);
}

void DirectMatcher::add(const BoundKey& binding) {
  by_key_.insert(binding.routing_key.view(), [&] { return binding.routing_key; })
      .value->add(binding.destination);
}

void DirectMatcher::remove(const BoundKey& binding) {
  DestinationSet* set = by_key_.edit(binding.routing_key.view());
  LEVERET_ASSERT(set != nullptr);
  set->remove(binding.destination);
  if (set->empty()) by_key_.erase(binding.routing_key.view());
}

void DirectMatcher::match(const RouteRequest& request, MatchContext& context) const {
  for_each_key(request, [&](std::string_view key) {
    if (const DestinationSet* set = by_key_.find(key)) context.found.add(*set);
  });
}

}  // namespace leveret::exchange
