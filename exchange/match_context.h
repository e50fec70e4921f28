#pragma once

#include <string_view>

#include "exchange/destination_collector.h"
#include "exchange/header_condition.h"
#include "exchange/router.h"
#include "exchange/topic_trie.h"

namespace leveret::exchange {

// What the matchers of one message share: where destinations go, and working memory that is kept
// from message to message.
struct MatchContext {
  DestinationCollector found;
  TopicTrie::Scratch topic;
  SortedHeaders headers;

  void begin(std::vector<QueueId>* queues) {
    found.begin(queues);
    headers.forget();
  }
};

// The routing key and the extra ones, in their order.
template <typename Visit>
void for_each_key(const RouteRequest& request, Visit&& visit) {
  visit(request.routing_key);
  for (const std::string_view key : request.extra_keys) visit(key);
}

}  // namespace leveret::exchange
