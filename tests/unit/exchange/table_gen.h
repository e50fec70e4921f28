#pragma once

#include <rapidcheck.h>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/field_table.h"

// Field tables that are small enough to meet each other.
namespace leveret::exchange::testing {

inline const std::vector<protocol::FieldValue>& some_values() {
  using std::string_view_literals::operator""sv;
  static const std::vector<protocol::FieldValue> values{
      {'I', "\0\0\0\1"sv},
      {'l', "\0\0\0\0\0\0\0\1"sv},
      {'b', "\1"sv},
      {'b', "\xFF"sv},
      {'d', "\x3F\xF0\0\0\0\0\0\0"sv},  // 1.0
      {'d', "\x3F\xF8\0\0\0\0\0\0"sv},  // 1.5
      {'f', "\x3F\xC0\0\0"sv},          // 1.5
      {'d', "\xBF\xF0\0\0\0\0\0\0"sv},  // -1.0
      {'t', "\1"sv},
      {'t', "\0"sv},
      {'S', "1"sv},
      {'S', ""sv},
      {'x', "1"sv},
      {'V', ""sv},
      {'A', ""sv},
      {'F', ""sv},
      {'D', "\1\0\0\0\1"sv},
      {'T', "\0\0\0\0\0\0\0\1"sv},
      {'F', "\1aV"sv},
      {'A', "VV"sv},
  };
  return values;
}

inline rc::Gen<std::string> any_headers() {
  const auto entry = rc::gen::pair(
      rc::gen::elementOf(std::vector<std::string>{"a", "a", "b", "c", "x-k", "x", "x-match"}),
      rc::gen::elementOf(some_values()));
  return rc::gen::map(
      rc::gen::container<std::vector<std::pair<std::string, protocol::FieldValue>>>(entry),
      [](const auto& entries) {
        protocol::FieldTableBuilder builder;
        for (const auto& [name, value] : entries) builder.value(name, value);
        return builder.take();
      });
}

inline rc::Gen<std::string> any_arguments() {
  const auto kind =
      rc::gen::elementOf(std::vector<std::string>{"", "all", "any", "all-with-x", "any-with-x"});
  const auto entry =
      rc::gen::pair(rc::gen::elementOf(std::vector<std::string>{"a", "a", "b", "c", "x-k", "x"}),
                    rc::gen::elementOf(some_values()));
  const auto entries = rc::gen::resize(
      6, rc::gen::container<std::vector<std::pair<std::string, protocol::FieldValue>>>(entry));
  return rc::gen::map(rc::gen::pair(kind, entries), [](const auto& both) {
    protocol::FieldTableBuilder builder;
    if (!both.first.empty()) builder.string("x-match", both.first);
    for (const auto& [name, value] : both.second) builder.value(name, value);
    return builder.take();
  });
}

}  // namespace leveret::exchange::testing
