#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/base/buffer.h"
#include "protocol/field_table.h"

namespace leveret::protocol {

// Appends AMQP primitives to a buffer, big-endian.
class WireWriter {
 public:
  explicit WireWriter(Buffer& out) : out_(out) {}

  void octet(std::uint8_t v);
  void short_uint(std::uint16_t v);
  void long_uint(std::uint32_t v);
  void longlong_uint(std::uint64_t v);
  // Cuts at 255 bytes, never inside a UTF-8 sequence.
  void short_string(std::string_view v);
  void long_string(std::string_view v);
  void table(FieldTable v);
  void raw(std::string_view v) { out_.append(v); }

 private:
  Buffer& out_;
};

}  // namespace leveret::protocol
