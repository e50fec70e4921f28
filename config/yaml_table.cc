#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "config/yaml_reader.h"
#include "protocol/field_table.h"

// YAML values as field tables: YamlValue::table().
namespace leveret::config {

namespace {

// An integer as a person writes one: no plus sign and no leading zero, so that a plain 007 stays
// the text it most likely is.
bool looks_like_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return false;
  return text.size() == 1 || text.front() != '0';
}

bool looks_like_float(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_of("0123456789") != text.npos &&
         text.find_first_not_of("0123456789.eE+-") == text.npos && text.front() != 'e' &&
         text.front() != 'E' && text.front() != '+' && text.front() != '-' &&
         text.find_first_of(".eE") != text.npos;
}

template <typename T>
struct Parsed {
  bool whole = false;     // all of the text is a number
  bool in_range = false;  // and T holds it
  T value{};
};

template <typename T>
Parsed<T> parse_number(const std::string& text) {
  Parsed<T> result;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, result.value);
  result.whole = parsed.ptr == end && parsed.ec != std::errc::invalid_argument;
  result.in_range = result.whole && parsed.ec == std::errc();
  return result;
}

void put_plain(protocol::FieldTableBuilder& out, std::string_view name, const YamlValue& value) {
  const std::string& text = value.node().text;
  if (text == "true" || text == "True" || text == "TRUE") {
    out.boolean(name, true);
  } else if (text == "false" || text == "False" || text == "FALSE") {
    out.boolean(name, false);
  } else if (looks_like_integer(text)) {
    const auto number = parse_number<std::int64_t>(text);
    if (!number.in_range) value.fail_expected("an integer of at most 64 bits, or quotes");
    using Bounds = std::numeric_limits<std::int32_t>;
    if (number.value >= Bounds::min() && number.value <= Bounds::max()) {
      out.int32(name, static_cast<std::int32_t>(number.value));
    } else {
      out.int64(name, number.value);
    }
  } else if (const auto number = parse_number<double>(text);
             looks_like_float(text) && number.whole) {
    if (!number.in_range) value.fail_expected("a number that fits a double, or quotes");
    out.real(name, number.value);
  } else {
    out.string(name, text);
  }
}

}  // namespace

std::string YamlValue::table_entry(std::string_view name) const {
  protocol::FieldTableBuilder out;
  switch (node_->kind) {
    case YamlNode::Kind::kNull:
      out.nothing(name);
      break;
    case YamlNode::Kind::kScalar:
      if (node_->plain) {
        put_plain(out, name, *this);
      } else {
        out.string(name, node_->text);
      }
      break;
    case YamlNode::Kind::kSequence: {
      std::string array;
      // An element is an entry without the name: an empty one is one octet.
      for (const YamlValue& item : items()) array += item.table_entry("").substr(1);
      out.array(name, array);
      break;
    }
    case YamlNode::Kind::kMap:
      out.table(name, table());
      break;
  }
  return out.take();
}

std::string YamlValue::table() const {
  std::string result;
  for (const auto& [name, value] : entries()) result += value.table_entry(name);
  return result;
}

}  // namespace leveret::config
