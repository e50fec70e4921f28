#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/field_table.h"

namespace leveret::protocol {

enum class WireError : std::uint8_t { kNone, kTruncated, kBadUtf8, kBadTable, kTableTooDeep };

// Reads AMQP primitives off a byte view, bounds-checked. The first error sticks: later reads give
// zero or empty, and the caller looks at error() once at the end. Strings and tables are views into
// the input.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  std::uint8_t octet();
  std::uint16_t short_uint();
  std::uint32_t long_uint();
  std::uint64_t longlong_uint();
  // Checks that the bytes are UTF-8, as RabbitMQ does for method arguments.
  std::string_view short_string();
  // Any bytes: short strings in properties are not checked by RabbitMQ.
  std::string_view short_bytes();
  std::string_view long_string();
  // Checks the whole table, nested ones too.
  FieldTable table();

  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool at_end() const { return at_ == end_; }
  bool ok() const { return error_ == WireError::kNone; }
  WireError error() const { return error_; }

 private:
  const char* take(std::size_t n);
  void fail(WireError error);

  const char* at_;
  const char* end_;
  WireError error_ = WireError::kNone;
};

}  // namespace leveret::protocol
