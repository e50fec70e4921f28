#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exchange/exchange_type.h"

namespace leveret::exchange {

struct ExchangeSpec {
  std::string name = {};
  ExchangeType type = ExchangeType::kDirect;
  bool internal = false;
  std::optional<std::string> alternate_exchange = {};
  // Entries of the declare's arguments table.
  std::string arguments = {};
};

// One binding. Two bindings are the same if all five parts are (arguments byte for byte).
struct Binding {
  std::string source = {};
  std::string destination = {};
  bool to_exchange = false;
  std::string routing_key = {};
  std::string arguments = {};  // entries of the arguments table

  friend bool operator==(const Binding&, const Binding&) = default;
};

// The entries of an arguments table sorted by name. RabbitMQ takes two bindings for the same if
// their arguments differ in nothing but order: sort them before a bind, an unbind or a look-up.
std::string sort_arguments(std::string_view arguments);

}  // namespace leveret::exchange
