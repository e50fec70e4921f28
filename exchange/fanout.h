#pragma once

#include <memory>

#include "exchange/destination_set.h"
#include "exchange/matcher.h"

namespace leveret::exchange {

// Every destination, whatever the key.
class FanoutMatcher final : public Matcher {
 public:
  std::unique_ptr<Matcher> clone() const override;
  void add(const BoundKey& binding) override;
  void remove(const BoundKey& binding) override;
  void match(const RouteRequest& request, MatchContext& context) const override;

 private:
  DestinationSet destinations_;
};

}  // namespace leveret::exchange
