#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/big_endian.h"

// Field tables in RabbitMQ's flavour of AMQP 0-9-1, kept as the bytes they came in.
//
//   table  = long-uint size, { short-string name, value }*
//   array  = long-uint size, { value }*
//   value  = type octet, payload
//
//   t bool      b int8   B uint8   s int16  u uint16  I int32  i uint32  l,L int64
//   f float     d double D decimal (scale octet, int32)  S long string  x bytes
//   T timestamp A array  F table   V void
namespace leveret::protocol {

class FieldTable;
class FieldArray;

// One value: its type octet and the payload bytes (without the length of S, x, A and F).
// A view: valid as long as the table it was read from.
struct FieldValue {
  char type = 'V';
  std::string_view payload;

  // Any of the integer types, T included; empty for other types.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;            // integers, f, d
  std::optional<bool> boolean() const;             // t
  std::optional<std::string_view> string() const;  // S
  std::optional<FieldTable> table() const;         // F
  std::optional<FieldArray> array() const;         // A
  bool is_void() const { return type == 'V'; }

  // RabbitMQ's name of the type as in its reply texts: longstr, signedint, long, bool, ...
  std::string_view type_name() const;
  // The value as RabbitMQ prints it in reply texts: 1000, true, text.
  // Tables and arrays that would take more than a reply text holds are cut short.
  std::string to_text() const;
};

// Cuts one value (type octet and payload) off the front of *rest. False, and *rest as it was, when
// the type is unknown or the payload is longer than *rest. Does not look into tables and arrays.
inline bool read_value(std::string_view* rest, FieldValue* out);

// Equal as RabbitMQ compares arguments of a redeclaration: integers of any width and floating-point
// numbers by value, all else by type and content.
bool equivalent(const FieldValue& a, const FieldValue& b);

// A table's entries without the leading size. A view; the default is the empty table. Iteration
// ends at the last entry, or early at bytes that are no entry.
class FieldTable {
 public:
  struct Entry {
    std::string_view name;
    FieldValue value;
  };
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest) { load(); }
    const Entry& operator*() const { return entry_; }
    const Entry* operator->() const { return &entry_; }
    Iterator& operator++() {
      load();
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return done_ != other.done_ || (!done_ && rest_.size() != other.rest_.size());
    }

   private:
    inline void load();
    std::string_view rest_;
    Entry entry_;
    bool done_ = false;
  };

  FieldTable() = default;
  // REQUIRES: bytes passed validate_table().
  explicit FieldTable(std::string_view bytes) : bytes_(bytes) {}

  Iterator begin() const { return Iterator(bytes_); }
  Iterator end() const { return Iterator({}); }
  bool empty() const { return bytes_.empty(); }
  std::string_view bytes() const { return bytes_; }
  // The first entry of that name.
  std::optional<FieldValue> find(std::string_view name) const;

 private:
  std::string_view bytes_;
};

class FieldArray {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest) { load(); }
    const FieldValue& operator*() const { return value_; }
    const FieldValue* operator->() const { return &value_; }
    Iterator& operator++() {
      load();
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return done_ != other.done_ || (!done_ && rest_.size() != other.rest_.size());
    }

   private:
    inline void load();
    std::string_view rest_;
    FieldValue value_;
    bool done_ = false;
  };

  FieldArray() = default;
  // REQUIRES: bytes passed validation as part of a table.
  explicit FieldArray(std::string_view bytes) : bytes_(bytes) {}
  Iterator begin() const { return Iterator(bytes_); }
  Iterator end() const { return Iterator({}); }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

enum class TableError : std::uint8_t { kNone, kTruncated, kUnknownType, kTooDeep };

// Walks a table's entries (without the leading size) to the last nested value. Iterative: the stack
// it needs does not grow with the depth, which is bounded by kTableDepthMax.
TableError validate_table(std::string_view bytes);

// Builds the entries of a table.
class FieldTableBuilder {
 public:
  // Names longer than 255 bytes are cut.
  FieldTableBuilder& boolean(std::string_view name, bool v);
  FieldTableBuilder& int32(std::string_view name, std::int32_t v);
  FieldTableBuilder& int64(std::string_view name, std::int64_t v);
  FieldTableBuilder& real(std::string_view name, double v);
  FieldTableBuilder& string(std::string_view name, std::string_view v);
  FieldTableBuilder& timestamp(std::string_view name, std::uint64_t seconds);
  FieldTableBuilder& nothing(std::string_view name);
  // v: the entries of a table or array, without size.
  FieldTableBuilder& table(std::string_view name, std::string_view v);
  FieldTableBuilder& array(std::string_view name, std::string_view v);
  // As read from another table, byte for byte. Also for the rarer types: {'x', bytes} and so on.
  FieldTableBuilder& value(std::string_view name, const FieldValue& v);

  std::string take() { return std::move(bytes_); }
  std::string_view bytes() const { return bytes_; }

 private:
  void key(std::string_view name, char type);
  std::string bytes_;
};

// Appends one value of any type to the entries of an array under construction.
void append_array_value(std::string& array, const FieldValue& v);
// Appends one long string to the entries of an array under construction.
void append_array_string(std::string& array, std::string_view v);
// Appends one table (its entries) to the entries of an array under construction.
void append_array_table(std::string& array, std::string_view entries);

namespace detail {

inline constexpr std::uint8_t kSizedPayload = 0xFE;  // a long-uint size comes first
inline constexpr std::uint8_t kUnknownType = 0xFF;

// Payload bytes of each type octet.
inline constexpr std::array<std::uint8_t, 256> kPayloadBytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  bytes.fill(kUnknownType);
  bytes['V'] = 0;
  for (const char type : {'t', 'b', 'B'}) bytes[static_cast<std::uint8_t>(type)] = 1;
  for (const char type : {'s', 'u'}) bytes[static_cast<std::uint8_t>(type)] = 2;
  for (const char type : {'I', 'i', 'f'}) bytes[static_cast<std::uint8_t>(type)] = 4;
  bytes['D'] = 5;
  for (const char type : {'l', 'L', 'd', 'T'}) bytes[static_cast<std::uint8_t>(type)] = 8;
  for (const char type : {'S', 'x', 'A', 'F'}) {
    bytes[static_cast<std::uint8_t>(type)] = kSizedPayload;
  }
  return bytes;
}();

// Cuts one short string off the front of *rest. False, and *rest as it was, when it is longer.
inline bool read_name(std::string_view* rest, std::string_view* name) {
  if (rest->empty()) return false;
  const std::size_t size = static_cast<std::uint8_t>((*rest)[0]);
  if (rest->size() < 1 + size) return false;
  *name = rest->substr(1, size);
  rest->remove_prefix(1 + size);
  return true;
}

}  // namespace detail

inline bool read_value(std::string_view* rest, FieldValue* out) {
  if (rest->empty()) return false;
  std::size_t offset = 1;
  std::size_t size = detail::kPayloadBytes[static_cast<std::uint8_t>((*rest)[0])];
  if (size >= detail::kSizedPayload) {
    if (size == detail::kUnknownType || rest->size() < 5) return false;
    size = load_u32(rest->data() + 1);
    offset = 5;
  }
  if (rest->size() - offset < size) return false;
  out->type = (*rest)[0];
  out->payload = {rest->data() + offset, size};
  rest->remove_prefix(offset + size);
  return true;
}

inline void FieldTable::Iterator::load() {
  done_ = !detail::read_name(&rest_, &entry_.name) || !read_value(&rest_, &entry_.value);
}

inline void FieldArray::Iterator::load() {
  done_ = !read_value(&rest_, &value_);
}

}  // namespace leveret::protocol
