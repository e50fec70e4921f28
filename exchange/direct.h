#pragma once

#include <memory>

#include "exchange/destination_set.h"
#include "exchange/matcher.h"
#include "exchange/persistent/string_map.h"

namespace leveret::exchange {

// Destinations whose binding key equals the routing key. One look-up a key.
class DirectMatcher final : public Matcher {
 public:
  std::unique_ptr<Matcher> clone() const override;
  void add(const BoundKey& binding) override;
  void remove(const BoundKey& binding) override;
  void match(const RouteRequest& request, MatchContext& context) const override;

 private:
  StringMap<DestinationSet> by_key_;
};

}  // namespace leveret::exchange
