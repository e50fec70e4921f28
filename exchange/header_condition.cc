#include "exchange/header_condition.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exchange/persistent/hash.h"

namespace leveret::exchange {
namespace {

constexpr char kInteger = 'i';
// A timestamp beyond what a signed number holds.
constexpr char kLargeTimestamp = 'T';
constexpr char kReal = 'd';
constexpr char kBoolean = 't';
constexpr char kText = 'S';
constexpr char kDecimal = 'D';
constexpr char kArray = 'A';
constexpr char kTable = 'F';
constexpr char kEmptyList = '0';
// A header without value: there, but equal to nothing.
constexpr char kVoid = 'V';

template <typename Number>
void append_number(std::string* bytes, Number number) {
  char raw[sizeof(number)];
  std::memcpy(raw, &number, sizeof(number));
  bytes->append(raw, sizeof(number));
}

template <typename Number>
Number take_number(std::string_view* bytes) {
  Number number;
  std::memcpy(&number, bytes->data(), sizeof(number));
  bytes->remove_prefix(sizeof(number));
  return number;
}

std::string_view take_text(std::string_view* bytes, std::size_t size) {
  const std::string_view text = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return text;
}

bool before(const HeaderCondition& a, const HeaderCondition& b) {
  const int order = a.name.compare(b.name);
  return order != 0 ? order < 0 : a.occurrence < b.occurrence;
}

}  // namespace

PlainValue::PlainValue(const protocol::FieldValue& value) {
  switch (value.type) {
    case 'S':
    case 'x':
      kind_ = kText;
      text_ = value.payload;
      return;
    case 't':
      kind_ = kBoolean;
      text_ = value.boolean().value_or(false) ? "1" : "0";
      return;
    case 'f':
    case 'd':
      set_real(value.number().value_or(0));
      return;
    case 'A':
    case 'F':
      kind_ = value.payload.empty() ? kEmptyList : value.type == 'A' ? kArray : kTable;
      text_ = value.payload;
      return;
    case 'D':
      kind_ = kDecimal;
      text_ = value.payload;
      return;
    case 'V':
      kind_ = kVoid;
      return;
    default:
      set_integer(value.integer().value_or(0));
      if (value.type == 'T' && value.integer().value_or(0) < 0) kind_ = kLargeTimestamp;
      return;
  }
}

PlainValue::PlainValue(char kind, std::string_view bytes) : kind_(kind), text_(bytes) {}

void PlainValue::set_integer(std::int64_t value) {
  kind_ = kInteger;
  number_size_ = sizeof(value);
  std::memcpy(number_.data(), &value, sizeof(value));
}

void PlainValue::set_real(double value) {
  // Exact: both bounds are powers of two.
  if (value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value)) {
    set_integer(static_cast<std::int64_t>(value));
    return;
  }
  kind_ = kReal;
  number_size_ = sizeof(value);
  std::memcpy(number_.data(), &value, sizeof(value));
}

std::uint64_t HeaderCondition::hash(unsigned round) const {
  const std::uint64_t what = hash_bytes(value.bytes(), 2 * round + 1);
  const std::uint64_t where = hash_bytes(name, 2 * round) + occurrence;
  return fold_multiply(where, what ^ static_cast<unsigned char>(value.kind()));
}

void HeaderCondition::append_to(std::string* bytes) const {
  append_number(bytes, static_cast<std::uint8_t>(name.size()));
  bytes->append(name);
  append_number(bytes, occurrence);
  bytes->push_back(value.kind());
  append_number(bytes, static_cast<std::uint32_t>(value.bytes().size()));
  bytes->append(value.bytes());
}

HeaderCondition HeaderCondition::take_from(std::string_view* bytes) {
  HeaderCondition condition;
  condition.name = take_text(bytes, take_number<std::uint8_t>(bytes));
  condition.occurrence = take_number<std::uint32_t>(bytes);
  const char kind = take_number<char>(bytes);
  condition.value = PlainValue(kind, take_text(bytes, take_number<std::uint32_t>(bytes)));
  return condition;
}

void sort_conditions(std::vector<HeaderCondition>* conditions) {
  std::uint32_t position = 0;
  for (HeaderCondition& condition : *conditions) condition.occurrence = position++;
  std::ranges::sort(*conditions, before);
  const HeaderCondition* last = nullptr;
  for (HeaderCondition& condition : *conditions) {
    condition.occurrence =
        last != nullptr && last->name == condition.name ? last->occurrence + 1 : 0;
    last = &condition;
  }
}

const std::vector<HeaderCondition>& SortedHeaders::load(const protocol::FieldTable& table) {
  if (loaded_) return headers_;
  headers_.clear();
  for (const protocol::FieldTable::Entry& entry : table) {
    headers_.push_back({entry.name, 0, PlainValue(entry.value)});
  }
  sort_conditions(&headers_);
  loaded_ = true;
  return headers_;
}

bool SortedHeaders::satisfy(const HeaderCondition& condition) const {
  const auto found = std::ranges::lower_bound(headers_, condition, before);
  if (found == headers_.end() || found->name != condition.name) return false;
  if (found->occurrence != condition.occurrence) return false;
  return condition.value.is_any() || condition.value == found->value;
}

bool SortedHeaders::satisfy_all(std::string_view conditions) const {
  while (!conditions.empty()) {
    if (!satisfy(HeaderCondition::take_from(&conditions))) return false;
  }
  return true;
}

}  // namespace leveret::exchange
