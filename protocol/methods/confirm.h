#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class confirm (85): publisher confirms, an extension of RabbitMQ.
namespace leveret::protocol {

struct ConfirmSelect {
  static constexpr std::uint16_t class_id = 85;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "confirm.select";

  bool nowait = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::bit("nowait", &ConfirmSelect::nowait));
  }
};

struct ConfirmSelectOk {
  static constexpr std::uint16_t class_id = 85;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "confirm.select-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

}  // namespace leveret::protocol
