#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/field_table.h"

namespace leveret::exchange {

// A header value in the one form that all equal values share, so that equality is equality of
// bytes and values can be hashed. Equal as RabbitMQ 3 compares them for a headers exchange:
// integers of all widths, timestamps and whole-numbered reals by value; text and binary by bytes;
// an empty table and an empty array; all else by type and bytes.
// A view: valid as long as the table it came from.
class PlainValue {
 public:
  PlainValue() = default;
  explicit PlainValue(const protocol::FieldValue& value);
  // As kind() and bytes() of another one.
  PlainValue(char kind, std::string_view bytes);
  // Stands for "the header is there" in a condition.
  static PlainValue any() { return {}; }

  bool is_any() const { return kind_ == kAny; }
  char kind() const { return kind_; }
  std::string_view bytes() const {
    return number_size_ > 0 ? std::string_view(number_.data(), number_size_) : text_;
  }
  friend bool operator==(const PlainValue& a, const PlainValue& b) {
    return a.kind_ == b.kind_ && a.bytes() == b.bytes();
  }

 private:
  static constexpr char kAny = '*';

  void set_integer(std::int64_t value);
  void set_real(double value);

  char kind_ = kAny;
  std::uint8_t number_size_ = 0;
  std::array<char, 8> number_{};
  std::string_view text_;
};

// What a binding asks of a header, or what a message has to offer: the occurrence-th header of that
// name (from 0; the names of a table may repeat) has this value.
struct HeaderCondition {
  std::string_view name;
  std::uint32_t occurrence = 0;
  PlainValue value;

  std::uint64_t hash(unsigned round) const;
  friend bool operator==(const HeaderCondition&, const HeaderCondition&) = default;

  //   u8 name size, name, u32 occurrence, u8 kind, u32 value size, value   (machine byte order)
  void append_to(std::string* bytes) const;
  // Takes one condition off the front of bytes that append_to() wrote; a view into them.
  static HeaderCondition take_from(std::string_view* bytes);
};

// A message's headers, sorted by name and occurrence. Keeps its memory from message to message.
class SortedHeaders {
 public:
  void forget() { loaded_ = false; }
  // Sorts the headers if that was not done since forget().
  const std::vector<HeaderCondition>& load(const protocol::FieldTable& table);
  // REQUIRES: load() since forget().
  bool satisfy(const HeaderCondition& condition) const;
  // All of the conditions that append_to() wrote.
  bool satisfy_all(std::string_view conditions) const;

 private:
  std::vector<HeaderCondition> headers_;
  bool loaded_ = false;
};

// Sorts by name and gives each its number among those of the same name, in the order of the table.
void sort_conditions(std::vector<HeaderCondition>* conditions);

}  // namespace leveret::exchange
