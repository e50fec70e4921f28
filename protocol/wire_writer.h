#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "protocol/base/buffer.h"
#include "protocol/big_endian.h"
#include "protocol/field_table.h"
#include "protocol/limits.h"
#include "protocol/utf8.h"

namespace leveret::protocol {

// Writes AMQP primitives, big-endian, to memory that is known to be large enough.
class WireCursor {
 public:
  explicit WireCursor(char* at) : at_(at) {}

  void octet(std::uint8_t v) { *at_++ = static_cast<char>(v); }
  void short_uint(std::uint16_t v) {
    store_u16(at_, v);
    at_ += sizeof v;
  }
  void long_uint(std::uint32_t v) {
    store_u32(at_, v);
    at_ += sizeof v;
  }
  void longlong_uint(std::uint64_t v) {
    store_u64(at_, v);
    at_ += sizeof v;
  }
  // Cuts at 255 bytes, never inside a UTF-8 sequence.
  void short_string(std::string_view v) {
    if (v.size() > kShortStringMax) [[unlikely]]
      v = v.substr(0, utf8_cut(v, kShortStringMax));
    octet(static_cast<std::uint8_t>(v.size()));
    raw(v);
  }
  // REQUIRES: less than 4 GiB.
  void long_string(std::string_view v) {
    long_uint(static_cast<std::uint32_t>(v.size()));
    raw(v);
  }
  void raw(std::string_view v) {
    if (v.empty()) return;
    std::memcpy(at_, v.data(), v.size());
    at_ += v.size();
  }

  char* at() const { return at_; }

 private:
  char* at_;
};

// Appends AMQP primitives to a buffer, big-endian.
class WireWriter {
 public:
  explicit WireWriter(Buffer& out) : out_(out) {}

  void octet(std::uint8_t v) {
    WireCursor(out_.prepare(sizeof v)).octet(v);
    out_.commit(sizeof v);
  }
  void short_uint(std::uint16_t v) {
    WireCursor(out_.prepare(sizeof v)).short_uint(v);
    out_.commit(sizeof v);
  }
  void long_uint(std::uint32_t v) {
    WireCursor(out_.prepare(sizeof v)).long_uint(v);
    out_.commit(sizeof v);
  }
  void longlong_uint(std::uint64_t v) {
    WireCursor(out_.prepare(sizeof v)).longlong_uint(v);
    out_.commit(sizeof v);
  }
  // Cuts at 255 bytes, never inside a UTF-8 sequence.
  void short_string(std::string_view v) {
    char* const start = out_.prepare(1 + kShortStringMax);
    WireCursor cursor(start);
    cursor.short_string(v);
    out_.commit(static_cast<std::size_t>(cursor.at() - start));
  }
  void long_string(std::string_view v) {
    long_uint(static_cast<std::uint32_t>(v.size()));
    out_.append(v);
  }
  void table(FieldTable v) { long_string(v.bytes()); }
  void raw(std::string_view v) { out_.append(v); }

 private:
  Buffer& out_;
};

}  // namespace leveret::protocol
