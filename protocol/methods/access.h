#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class access (30): obsolete, kept for clients that still ask.
namespace leveret::protocol {

struct AccessRequest {
  static constexpr std::uint16_t class_id = 30;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "access.request";

  std::string_view realm;
  bool exclusive = false;
  bool passive = false;
  bool active = false;
  bool write = false;
  bool read = false;

  static constexpr auto fields() {
    return std::make_tuple(
        wire::short_string("realm", &AccessRequest::realm),
        wire::bit("exclusive", &AccessRequest::exclusive),
        wire::bit("passive", &AccessRequest::passive), wire::bit("active", &AccessRequest::active),
        wire::bit("write", &AccessRequest::write), wire::bit("read", &AccessRequest::read));
  }
};

struct AccessRequestOk {
  static constexpr std::uint16_t class_id = 30;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "access.request-ok";

  std::uint16_t ticket = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &AccessRequestOk::ticket));
  }
};

}  // namespace leveret::protocol
