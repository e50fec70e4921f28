#include "exchange/topic.h"

#include "exchange/match_context.h"

namespace leveret::exchange {

std::unique_ptr<Matcher> TopicMatcher::clone() const {
  return std::make_unique<TopicMatcher>(*this);
}

void TopicMatcher::add(const BoundKey& binding) {
  patterns_.add(binding.routing_key.view(), binding.destination);
}

void TopicMatcher::remove(const BoundKey& binding) {
  patterns_.remove(binding.routing_key.view(), binding.destination);
}

void TopicMatcher::match(const RouteRequest& request, MatchContext& context) const {
  for_each_key(request, [&](std::string_view key) {
    patterns_.match(key, context.topic, [&](const DestinationSet& set) { context.found.add(set); });
  });
}

}  // namespace leveret::exchange
