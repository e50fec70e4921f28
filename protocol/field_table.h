#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
  std::optional<double> number() const;          // integers, f, d
  std::optional<bool> boolean() const;           // t
  std::optional<std::string_view> string() const;  // S
  std::optional<FieldTable> table() const;       // F
  std::optional<FieldArray> array() const;       // A
  bool is_void() const { return type == 'V'; }

  // RabbitMQ's name of the type as in its reply texts: longstr, signedint, long, bool, ...
  std::string_view type_name() const;
  // The value as RabbitMQ prints it in reply texts: 1000, true, text.
  std::string to_text() const;
};

// Equal as RabbitMQ compares arguments of a redeclaration: integers of any width by value, all else
// by type and content.
bool equivalent(const FieldValue& a, const FieldValue& b);

// A table's entries without the leading size. A view; the default is the empty table.
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
    void load();
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
    void load();
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
  // As read from another table, byte for byte.
  FieldTableBuilder& value(std::string_view name, const FieldValue& v);

  std::string take() { return std::move(bytes_); }
  std::string_view bytes() const { return bytes_; }

 private:
  void key(std::string_view name, char type);
  std::string bytes_;
};

// Appends one long string to the entries of an array under construction.
void append_array_string(std::string& array, std::string_view v);
// Appends one table (its entries) to the entries of an array under construction.
void append_array_table(std::string& array, std::string_view entries);

}  // namespace leveret::protocol
