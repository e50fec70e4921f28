#include "exchange/exchange_type.h"

#include <array>

namespace leveret::exchange {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 4> kNames{"direct", "fanout", "topic", "headers"};
static_assert(static_cast<std::size_t>(ExchangeType::kHeaders) + 1 == kNames.size());

}  // namespace

std::optional<ExchangeType> parse_exchange_type(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ExchangeType>(i);
  }
  return std::nullopt;
}

std::string_view exchange_type_name(ExchangeType type) {
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace leveret::exchange
