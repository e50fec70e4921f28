#pragma once

#include <memory>

#include "exchange/matcher.h"
#include "exchange/topic_trie.h"

namespace leveret::exchange {

// Destinations whose binding pattern matches the words of the routing key.
class TopicMatcher final : public Matcher {
 public:
  std::unique_ptr<Matcher> clone() const override;
  void add(const BoundKey& binding) override;
  void remove(const BoundKey& binding) override;
  void match(const RouteRequest& request, MatchContext& context) const override;

 private:
  TopicTrie patterns_;
};

}  // namespace leveret::exchange
