#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/big_endian.h"
#include "protocol/field_table.h"
#include "protocol/utf8.h"

namespace leveret::protocol {

enum class WireError : std::uint8_t { kNone, kTruncated, kBadUtf8, kBadTable, kTableTooDeep };

// Reads AMQP primitives off a byte view, bounds-checked. The first error sticks: later reads give
// zero or empty, and the caller looks at error() once at the end. Bad UTF-8 is the exception: it
// leaves the layout intact, so reading goes on and a later error hides it, as in RabbitMQ. Strings
// and tables are views into the input.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  std::uint8_t octet() {
    const char* at = take(1);
    return at == nullptr ? 0 : static_cast<std::uint8_t>(*at);
  }
  std::uint16_t short_uint() {
    const char* at = take(2);
    return at == nullptr ? 0 : load_u16(at);
  }
  std::uint32_t long_uint() {
    const char* at = take(4);
    return at == nullptr ? 0 : load_u32(at);
  }
  std::uint64_t longlong_uint() {
    const char* at = take(8);
    return at == nullptr ? 0 : load_u64(at);
  }
  // Checks that the bytes are UTF-8, as RabbitMQ does for method arguments.
  std::string_view short_string() {
    const std::string_view text = short_bytes();
    if (!valid_utf8(text)) [[unlikely]]
      bad_utf8_ = true;
    return text;
  }
  // Any bytes: short strings in properties and the names in basic.publish are not checked by
  // RabbitMQ.
  std::string_view short_bytes() { return bytes(octet()); }
  std::string_view long_string() { return bytes(long_uint()); }
  // Checks the whole table, nested ones too.
  FieldTable table();

  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool at_end() const { return at_ == end_; }
  bool ok() const { return error() == WireError::kNone; }
  WireError error() const {
    return error_ == WireError::kNone && bad_utf8_ ? WireError::kBadUtf8 : error_;
  }
  // As error(), and kTruncated when bytes are left over: arguments fill their frame exactly.
  WireError finish() {
    if (!at_end()) fail(WireError::kTruncated);
    return error();
  }

 private:
  // The next n bytes; null, and the error set, when there are fewer.
  const char* take(std::size_t n) {
    if (static_cast<std::size_t>(end_ - at_) < n) [[unlikely]] {
      fail(WireError::kTruncated);
      return nullptr;
    }
    const char* at = at_;
    at_ += n;
    return at;
  }
  std::string_view bytes(std::size_t n) {
    const char* at = take(n);
    return at == nullptr ? std::string_view{} : std::string_view{at, n};
  }
  // Nothing can be read any more.
  void fail(WireError error) {
    if (error_ == WireError::kNone) error_ = error;
    at_ = end_;
  }

  const char* at_;
  const char* end_;
  WireError error_ = WireError::kNone;
  bool bad_utf8_ = false;
};

}  // namespace leveret::protocol
