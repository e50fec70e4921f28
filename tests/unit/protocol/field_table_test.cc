#include "protocol/field_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "protocol/limits.h"
#include "tests/unit/protocol/bytes.h"
#include "tests/unit/protocol/random_table.h"

namespace leveret::protocol {
namespace {

using test::bytes;
using test::random_table;

std::string rebuilt_array(FieldArray array);

std::string rebuilt(FieldTable table) {
  FieldTableBuilder builder;
  for (const FieldTable::Entry& entry : table) {
    if (const auto nested = entry.value.table()) {
      builder.table(entry.name, rebuilt(*nested));
    } else if (const auto elements = entry.value.array()) {
      builder.array(entry.name, rebuilt_array(*elements));
    } else {
      builder.value(entry.name, entry.value);
    }
  }
  return builder.take();
}

std::string rebuilt_array(FieldArray array) {
  std::string out;
  for (const FieldValue& value : array) {
    if (const auto nested = value.table()) {
      append_array_table(out, rebuilt(*nested));
    } else if (const auto elements = value.array()) {
      append_array_value(out, {'A', rebuilt_array(*elements)});
    } else {
      append_array_value(out, value);
    }
  }
  return out;
}

// `levels` tables inside each other.
std::string nested(int levels) {
  std::string inner;
  for (int i = 1; i < levels; ++i) inner = FieldTableBuilder().table("t", inner).take();
  return inner;
}

RC_GTEST_PROP(FieldTable, RandomNestedTablesComeBackByteForByte, ()) {
  const std::string entries = *random_table();
  RC_ASSERT(validate_table(entries) == TableError::kNone);
  RC_ASSERT(rebuilt(FieldTable(entries)) == entries);
}

RC_GTEST_PROP(FieldTable, EveryPrefixIsTruncatedOrEndsAtAnEntry, ()) {
  const std::string entries = *random_table();
  std::vector<std::size_t> ends = {0};
  for (const FieldTable::Entry& entry : FieldTable(entries)) {
    ends.push_back(static_cast<std::size_t>(entry.value.payload.data() - entries.data()) +
                   entry.value.payload.size());
  }
  for (std::size_t size = 0; size < entries.size(); ++size) {
    // A copy of exactly that size, so that a sanitizer sees a read behind its end.
    const std::vector<char> prefix(entries.begin(),
                                   entries.begin() + static_cast<std::ptrdiff_t>(size));
    const bool whole = std::find(ends.begin(), ends.end(), size) != ends.end();
    RC_ASSERT(validate_table({prefix.data(), size}) ==
              (whole ? TableError::kNone : TableError::kTruncated));
  }
}

RC_GTEST_PROP(FieldTable, IterationOverAnyBytesStaysInside, (const std::string& any)) {
  const std::vector<char> exact(any.begin(), any.end());
  std::size_t used = 0;
  for (const FieldTable::Entry& entry : FieldTable({exact.data(), exact.size()})) {
    used += 2 + entry.name.size() + entry.value.payload.size();
  }
  RC_ASSERT(used <= any.size());
}

// Payload bytes of the types there are, an empty one's size included.
const std::map<char, std::size_t> kPayloadBytes = {
    {'t', 1}, {'b', 1}, {'B', 1}, {'s', 2}, {'u', 2}, {'I', 4}, {'i', 4}, {'l', 8}, {'L', 8},
    {'f', 4}, {'d', 8}, {'D', 5}, {'S', 4}, {'x', 4}, {'T', 8}, {'A', 4}, {'F', 4}, {'V', 0}};

TEST(FieldTable, OnlyTheKnownTypesAreAcceptedAtAnyDepth) {
  for (int octet = 0; octet < 256; ++octet) {
    const char type = static_cast<char>(octet);
    const auto known = kPayloadBytes.find(type);
    const std::string value =
        type + std::string(known == kPayloadBytes.end() ? 8 : known->second, '\0');
    const TableError expected =
        known == kPayloadBytes.end() ? TableError::kUnknownType : TableError::kNone;
    EXPECT_EQ(validate_table(bytes("\1a") + value), expected) << octet;
    EXPECT_EQ(validate_table(FieldTableBuilder().array("x", value).take()), expected) << octet;
  }
}

TEST(FieldTable, DepthIsBounded) {
  EXPECT_EQ(validate_table(nested(kTableDepthMax)), TableError::kNone);
  EXPECT_EQ(validate_table(nested(kTableDepthMax + 1)), TableError::kTooDeep);
  EXPECT_EQ(validate_table(nested(10000)), TableError::kTooDeep);
  std::string array;
  for (int i = 0; i < kTableDepthMax; ++i) {
    std::string outer;
    append_array_value(outer, {'A', array});
    array = outer;
  }
  EXPECT_EQ(validate_table(FieldTableBuilder().array("x", array).take()), TableError::kTooDeep);
}

TEST(FieldTable, ASizeBeyondTheEndIsTruncated) {
  for (const char type : {'S', 'x', 'A', 'F'}) {
    EXPECT_EQ(validate_table(bytes("\1a") + type +
                             bytes("\xFF\xFF\xFF\xFF"
                                   "zz")),
              TableError::kTruncated);
  }
}

TEST(FieldTable, FindGivesTheFirstOfThatName) {
  FieldTableBuilder builder;
  builder.int32("a", 1).int32("b", 2).int32("b", 3).nothing("");
  const FieldTable table(builder.bytes());
  EXPECT_EQ(table.find("b")->integer(), 2);
  EXPECT_TRUE(table.find("")->is_void());
  EXPECT_FALSE(table.find("c").has_value());
  EXPECT_FALSE(FieldTable().find("a").has_value());
}

TEST(FieldTable, BuilderWritesRabbitMqsTypes) {
  FieldTableBuilder builder;
  builder.boolean("t", true).int32("I", -2).int64("l", 3).real("d", 1.0);
  builder.string("S", "xy").timestamp("T", 5).nothing("V").table("F", "").array("A", "");
  EXPECT_EQ(builder.bytes(), bytes("\1tt\1"
                                   "\1II\xFF\xFF\xFF\xFE"
                                   "\1ll\0\0\0\0\0\0\0\3"
                                   "\1dd\x3F\xF0\0\0\0\0\0\0"
                                   "\1SS\0\0\0\2xy"
                                   "\1TT\0\0\0\0\0\0\0\5"
                                   "\1VV"
                                   "\1FF\0\0\0\0"
                                   "\1AA\0\0\0\0"));
}

TEST(FieldTable, NamesLongerThanAShortStringAreCut) {
  const std::string built = FieldTableBuilder().nothing(std::string(300, 'n')).take();
  EXPECT_EQ(built.size(), 1 + kShortStringMax + 1);
  EXPECT_EQ(validate_table(built), TableError::kNone);
}

TEST(FieldArray, HoldsStringsAndTables) {
  std::string array;
  append_array_string(array, "one");
  append_array_table(array, FieldTableBuilder().int32("n", 7).take());
  std::vector<FieldValue> values;
  for (const FieldValue& value : FieldArray(array)) values.push_back(value);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].string(), "one");
  EXPECT_EQ(values[1].table()->find("n")->integer(), 7);
}

}  // namespace
}  // namespace leveret::protocol
