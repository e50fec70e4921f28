#include "exchange/matcher.h"

#include <cstdlib>

#include "exchange/direct.h"
#include "exchange/fanout.h"
#include "exchange/headers.h"
#include "exchange/topic.h"

namespace leveret::exchange {

std::unique_ptr<Matcher> make_matcher(const ExchangeSpec& spec) {
  switch (spec.type) {
    case ExchangeType::kDirect:
      return std::make_unique<DirectMatcher>();
    case ExchangeType::kFanout:
      return std::make_unique<FanoutMatcher>();
    case ExchangeType::kTopic:
      return std::make_unique<TopicMatcher>();
    case ExchangeType::kHeaders:
      return std::make_unique<HeadersMatcher>();
  }
  std::abort();
}

}  // namespace leveret::exchange
