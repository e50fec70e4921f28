#include "exchange/fanout.h"

#include "exchange/match_context.h"

namespace leveret::exchange {

std::unique_ptr<Matcher> FanoutMatcher::clone() const {
  return std::make_unique<FanoutMatcher>(*this);
}

void FanoutMatcher::add(const BoundKey& binding) {
  destinations_.add(binding.destination);
}

void FanoutMatcher::remove(const BoundKey& binding) {
  destinations_.remove(binding.destination);
}

void FanoutMatcher::match(const RouteRequest&, MatchContext& context) const {
  context.found.add(destinations_);
}

}  // namespace leveret::exchange
