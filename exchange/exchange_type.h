#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace leveret::exchange {

enum class ExchangeType : std::uint8_t { kDirect, kFanout, kTopic, kHeaders };

// "direct" and so on; empty for a type this broker does not have.
std::optional<ExchangeType> parse_exchange_type(std::string_view name);
std::string_view exchange_type_name(ExchangeType type);

}  // namespace leveret::exchange
