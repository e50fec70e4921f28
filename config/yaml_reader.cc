#include "config/yaml_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>

#include "config/pattern.h"
#include "config/yaml_loader.h"
#include "protocol/base/assert.h"
#include "protocol/limits.h"

namespace leveret::config {

namespace {

// A digit string and what follows it. Empty if it does not begin with a digit or does not fit.
struct Quantity {
  std::uint64_t number = 0;
  std::string_view unit;
};

std::optional<Quantity> split_quantity(std::string_view text) {
  Quantity result;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  result.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return result;
}

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr auto kDurationUnits =
    std::to_array<Unit>({{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}});
constexpr auto kSizeUnits = std::to_array<Unit>({{"", 1},
                                                 {"B", 1},
                                                 {"kB", 1000},
                                                 {"KB", 1000},
                                                 {"MB", 1000000},
                                                 {"GB", 1000000000},
                                                 {"TB", 1000000000000},
                                                 {"KiB", 1024},
                                                 {"MiB", 1048576},
                                                 {"GiB", 1073741824},
                                                 {"TiB", 1099511627776}});

// number * unit if the unit is known and the product is at most max.
template <std::size_t N>
std::optional<std::uint64_t> scaled(const Quantity& quantity, const std::array<Unit, N>& units,
                                    std::uint64_t max) {
  for (const Unit& unit : units) {
    if (unit.name != quantity.unit) continue;
    if (quantity.number > max / unit.factor) return std::nullopt;
    return quantity.number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

void YamlValue::fail_at(YamlPlace place, const std::string& message) const {
  throw ConfigError(place_text(*file_, place) + (path_.empty() ? "the document" : path_) + ": " +
                    message);
}

void YamlValue::fail_expected(const std::string& expected) const {
  // Long values would bury the rest of the message.
  constexpr std::size_t kShownMax = 60;
  std::string got;
  switch (node_->kind) {
    case YamlNode::Kind::kNull:
      got = "nothing";
      break;
    case YamlNode::Kind::kScalar:
      got = node_->text.size() > kShownMax
                ? "a text of " + std::to_string(node_->text.size()) + " bytes"
                : (node_->plain ? "'" : "quoted '") + node_->text + "'";
      break;
    case YamlNode::Kind::kSequence:
      got = "a list";
      break;
    case YamlNode::Kind::kMap:
      got = "a mapping";
      break;
  }
  fail("got " + got + "; expected " + expected);
}

std::string YamlValue::text() const {
  if (node_->kind != YamlNode::Kind::kScalar) fail_expected("text");
  return node_->text;
}

std::string YamlValue::name() const {
  std::string result = short_text();
  if (result.empty()) fail("is empty; expected a name");
  return result;
}

std::string YamlValue::short_text() const {
  std::string result = text();
  if (result.size() > protocol::kShortStringMax) {
    fail("has " + std::to_string(result.size()) + " bytes; expected at most 255");
  }
  return result;
}

bool YamlValue::boolean() const {
  if (node_->kind == YamlNode::Kind::kScalar && node_->plain) {
    if (node_->text == "true") return true;
    if (node_->text == "false") return false;
  }
  fail_expected("true or false");
}

std::int64_t YamlValue::integer(std::int64_t min, std::int64_t max) const {
  const std::string& digits = node_->text;
  std::int64_t result = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, result);
  if (node_->kind != YamlNode::Kind::kScalar || !node_->plain || digits.empty() ||
      parsed.ec != std::errc() || parsed.ptr != end || result < min || result > max) {
    fail_expected("an integer from " + std::to_string(min) + " to " + std::to_string(max));
  }
  return result;
}

std::int64_t YamlValue::duration_ms(std::int64_t max_ms, bool bare_ms) const {
  const std::string expected = "a duration such as 10s, 500ms or 1m, at most " +
                               std::to_string(max_ms / 1000) + "s" +
                               (bare_ms ? ", or milliseconds" : "");
  if (node_->kind != YamlNode::Kind::kScalar) fail_expected(expected);
  std::optional<Quantity> quantity = split_quantity(node_->text);
  if (!quantity) fail_expected(expected);
  if (quantity->unit.empty() && (bare_ms || quantity->number == 0)) quantity->unit = "ms";
  const auto result = scaled(*quantity, kDurationUnits, static_cast<std::uint64_t>(max_ms));
  if (!result) fail_expected(expected);
  return static_cast<std::int64_t>(*result);
}

std::uint64_t YamlValue::size(std::uint64_t min, std::uint64_t max) const {
  const std::string expected = "a size such as 128MiB or 50MB, or bytes, from " +
                               std::to_string(min) + " to " + std::to_string(max);
  if (node_->kind != YamlNode::Kind::kScalar) fail_expected(expected);
  const std::optional<Quantity> quantity = split_quantity(node_->text);
  const auto result = quantity ? scaled(*quantity, kSizeUnits, max) : std::nullopt;
  if (!result || *result < min) fail_expected(expected);
  return *result;
}

std::string YamlValue::pattern() const {
  std::string result = text();
  std::string error;
  if (!Pattern::compile(result, &error)) {
    fail("not a regular expression: " + error + "; expected PCRE syntax");
  }
  return result;
}

std::vector<YamlValue> YamlValue::items() const {
  std::vector<YamlValue> result;
  if (node_->kind == YamlNode::Kind::kNull) return result;
  if (node_->kind != YamlNode::Kind::kSequence) fail_expected("a list");
  result.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    result.emplace_back(*file_, node_->items[i], path_ + "[" + std::to_string(i) + "]");
  }
  return result;
}

std::vector<std::string> YamlValue::names() const {
  std::vector<std::string> result;
  std::unordered_set<std::string> seen;
  for (const YamlValue& item : items()) {
    result.push_back(item.name());
    if (!seen.insert(result.back()).second) {
      item.fail("'" + result.back() + "' is there twice; expected each name once");
    }
  }
  return result;
}

std::vector<std::pair<std::string, YamlValue>> YamlValue::entries() const {
  std::vector<std::pair<std::string, YamlValue>> result;
  if (node_->kind == YamlNode::Kind::kNull) return result;
  if (node_->kind != YamlNode::Kind::kMap) fail_expected("a mapping");
  for (const YamlEntry& entry : node_->entries) {
    if (entry.key.size() > protocol::kShortStringMax) {
      fail_at(entry.place,
              "key of " + std::to_string(entry.key.size()) + " bytes; expected at most 255");
    }
    result.emplace_back(entry.key, YamlValue(*file_, entry.value, path_ + "." + entry.key));
  }
  return result;
}

YamlFields::YamlFields(YamlValue value, std::initializer_list<std::string_view> keys)
    : value_(std::move(value)), keys_(keys) {
  const YamlNode& node = value_.node();
  if (node.kind == YamlNode::Kind::kNull) return;
  std::string expected;
  for (const std::string_view key : keys) {
    expected += (expected.empty() ? "" : ", ") + std::string(key);
  }
  if (node.kind != YamlNode::Kind::kMap) value_.fail_expected("a mapping with " + expected);
  for (const YamlEntry& entry : node.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) {
      value_.fail_at(entry.place, "unknown key '" + entry.key + "'; expected " + expected);
    }
  }
}

std::optional<YamlValue> YamlFields::find(std::string_view key) const {
  LEVERET_ASSERT(std::find(keys_.begin(), keys_.end(), key) != keys_.end());
  for (const YamlEntry& entry : value_.node().entries) {
    if (entry.key != key) continue;
    const std::string prefix = value_.path_.empty() ? "" : value_.path_ + ".";
    return YamlValue(*value_.file_, entry.value, prefix + entry.key);
  }
  return std::nullopt;
}

YamlValue YamlFields::require(std::string_view key) const {
  std::optional<YamlValue> found = find(key);
  if (!found) value_.fail("has no '" + std::string(key) + "'; expected that key");
  return *std::move(found);
}

std::string YamlFields::name_or(std::string_view key, const char* otherwise) const {
  const auto found = find(key);
  return found ? found->name() : std::string(otherwise);
}

bool YamlFields::boolean_or(std::string_view key, bool otherwise) const {
  const auto found = find(key);
  return found ? found->boolean() : otherwise;
}

std::int64_t YamlFields::integer_or(std::string_view key, std::int64_t otherwise, std::int64_t min,
                                    std::int64_t max) const {
  const auto found = find(key);
  return found ? found->integer(min, max) : otherwise;
}

std::string YamlFields::table_or_empty(std::string_view key) const {
  const auto found = find(key);
  return found ? found->table() : std::string();
}

}  // namespace leveret::config
