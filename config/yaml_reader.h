#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/yaml_tree.h"

// Typed reading of a YamlNode. All of it throws ConfigError, which names place, key, what was wrong
// and what was expected.
namespace leveret::config {

// A value and its path from the top ("listeners[0].port"). A view: valid as long as the tree.
class YamlValue {
 public:
  YamlValue(const std::string& file, const YamlNode& node, std::string path)
      : file_(&file), node_(&node), path_(std::move(path)) {}

  const YamlNode& node() const { return *node_; }

  // message: "was wrong; expected ...".
  [[noreturn]] void fail(const std::string& message) const { fail_at(node_->place, message); }
  // "got 'text'; expected ...", or got a list, a mapping, nothing.
  [[noreturn]] void fail_expected(const std::string& expected) const;

  std::string text() const;
  // Text of 1 to 255 bytes: what fits a short string on the wire.
  std::string name() const;
  // Text of at most 255 bytes.
  std::string short_text() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  // 10s, 500ms, 1m, 2h; milliseconds for a bare number if `bare_ms`, else only 0 may stand bare.
  std::int64_t duration_ms(std::int64_t max_ms, bool bare_ms) const;
  // 128MiB, 50MB, or bytes for a bare number.
  std::uint64_t size(std::uint64_t min, std::uint64_t max) const;
  // A regular expression that compiles.
  std::string pattern() const;
  std::vector<YamlValue> items() const;
  std::vector<std::string> names() const;  // a list, no name twice
  // A mapping with any keys of at most 255 bytes.
  std::vector<std::pair<std::string, YamlValue>> entries() const;
  // A mapping of anything, as the entries of an encoded field table: plain integers become I if
  // they fit 32 bits, else l; true and false t, other plain numbers d, null V, lists A, mappings F
  // and all other text S.
  std::string table() const;
  // This value under that name, as a table with no other entry.
  std::string table_entry(std::string_view name) const;

 private:
  friend class YamlFields;
  [[noreturn]] void fail_at(YamlPlace place, const std::string& message) const;

  const std::string* file_;
  const YamlNode* node_;
  std::string path_;
};

// A mapping with a fixed set of keys; the constructor refuses others. Empty YAML is an empty
// mapping.
class YamlFields {
 public:
  YamlFields(YamlValue value, std::initializer_list<std::string_view> keys);

  const YamlValue& value() const { return value_; }
  // Empty: the key is not there.
  // REQUIRES: key is one of the constructor's.
  std::optional<YamlValue> find(std::string_view key) const;
  YamlValue require(std::string_view key) const;

  // The values of keys that may be left out.
  std::string name_or(std::string_view key, const char* otherwise) const;
  bool boolean_or(std::string_view key, bool otherwise) const;
  std::int64_t integer_or(std::string_view key, std::int64_t otherwise, std::int64_t min,
                          std::int64_t max) const;
  std::string table_or_empty(std::string_view key) const;

 private:
  YamlValue value_;
  std::vector<std::string_view> keys_;
};

}  // namespace leveret::config
