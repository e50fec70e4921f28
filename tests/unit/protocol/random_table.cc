#include "tests/unit/protocol/random_table.h"

#include <array>
#include <vector>

#include "protocol/field_table.h"
#include "protocol/limits.h"
#include "protocol/utf8.h"

namespace leveret::protocol::test {

namespace {

constexpr std::array<char, 17> kTypes = {'t', 'b', 'B', 's', 'u', 'I', 'i', 'l', 'L',
                                         'f', 'd', 'D', 'T', 'V', 'S', 'x', 'A'};

std::string fixed_payload(std::size_t size) {
  return *rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
}

std::string table_entries(int levels);

FieldValue random_value(int levels, std::string* storage) {
  const bool nest = levels > 0 && *rc::gen::inRange(0, 4) == 0;
  const char type = nest ? *rc::gen::element('A', 'F') : *rc::gen::elementOf(kTypes);
  const std::uint8_t size = detail::kPayloadBytes[static_cast<std::uint8_t>(type)];
  if (type == 'F') {
    *storage = table_entries(levels - 1);
  } else if (type == 'A') {
    const int count = levels > 0 ? *rc::gen::inRange(0, 4) : 0;
    std::string array;
    for (int i = 0; i < count; ++i) {
      std::string element;
      append_array_value(array, random_value(levels - 1, &element));
    }
    *storage = array;
  } else if (size == detail::kSizedPayload) {
    *storage = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  } else {
    *storage = fixed_payload(size);
  }
  return FieldValue{type, *storage};
}

std::string table_entries(int levels) {
  FieldTableBuilder builder;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    std::string storage;
    const std::string name = *random_short_bytes();
    builder.value(name.substr(0, utf8_cut(name, kShortStringMax)), random_value(levels, &storage));
  }
  return builder.take();
}

}  // namespace

rc::Gen<std::string> random_table() {
  return rc::gen::exec([] { return table_entries(3); });
}

rc::Gen<std::string> random_name() {
  // Pieces of one to four bytes each.
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "a", "queue", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x90\x87", ".", "#")),
                      [](const std::vector<std::string>& pieces) {
                        std::string name;
                        for (const std::string& piece : pieces) {
                          if (name.size() + piece.size() <= kShortStringMax) name += piece;
                        }
                        return name;
                      });
}

rc::Gen<std::string> random_short_bytes() {
  return rc::gen::map(rc::gen::container<std::string>(rc::gen::arbitrary<char>()),
                      [](std::string s) { return s.substr(0, kShortStringMax); });
}

}  // namespace leveret::protocol::test
