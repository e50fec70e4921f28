#include <cstdlib>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "protocol/field_table.h"
#include "tests/unit/protocol/bytes.h"
#include "tests/unit/protocol/random_table.h"

namespace leveret::protocol {
namespace {

using test::bytes;

// The only value of a table that a builder call made.
struct One {
  explicit One(FieldTableBuilder& builder)
      : entries(builder.take()), value((*FieldTable(entries).begin()).value) {}
  std::string entries;
  FieldValue value;
};

FieldValue value(char type, std::string_view payload) {
  return FieldValue{type, payload};
}

TEST(FieldValue, IntegersKeepTheirSign) {
  EXPECT_EQ(value('b', "\xFF").integer(), -1);
  EXPECT_EQ(value('B', "\xFF").integer(), 255);
  EXPECT_EQ(value('s', "\xFF\xFE").integer(), -2);
  EXPECT_EQ(value('u', "\xFF\xFE").integer(), 65534);
  EXPECT_EQ(value('I', "\xFF\xFF\xFF\xFF").integer(), -1);
  EXPECT_EQ(value('i', "\xFF\xFF\xFF\xFF").integer(), 4294967295);
  EXPECT_EQ(value('l', "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFD").integer(), -3);
  EXPECT_EQ(value('L', "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFD").integer(), -3);
  EXPECT_EQ(value('T', bytes("\0\0\0\0\0\0\0\x09")).integer(), 9);
  EXPECT_FALSE(value('S', "12").integer().has_value());
  EXPECT_FALSE(value('t', "\1").integer().has_value());
}

TEST(FieldValue, AccessorsAnswerOnlyForTheirType) {
  EXPECT_EQ(value('t', "\2").boolean(), true);
  EXPECT_FALSE(value('B', "\1").boolean().has_value());
  EXPECT_EQ(value('S', "text").string(), "text");
  EXPECT_FALSE(value('x', "text").string().has_value());
  EXPECT_FALSE(value('A', "").table().has_value());
  EXPECT_FALSE(value('F', "").array().has_value());
  EXPECT_EQ(value('f', bytes("\x3F\xC0\0\0")).number(), 1.5);
  EXPECT_EQ(value('B', "\7").number(), 7.0);
  EXPECT_FALSE(value('V', "").number().has_value());
}

TEST(FieldValue, TypeNamesAreRabbitMqs) {
  const std::pair<char, std::string_view> kNames[] = {
      {'t', "bool"},      {'b', "byte"},        {'B', "unsignedbyte"},  {'s', "short"},
      {'I', "signedint"}, {'i', "unsignedint"}, {'u', "unsignedshort"}, {'l', "long"},
      {'L', "long"},      {'f', "float"},       {'d', "double"},        {'D', "decimal"},
      {'S', "longstr"},   {'x', "binary"},      {'T', "timestamp"},     {'A', "array"},
      {'F', "table"},     {'V', "void"}};
  for (const auto& [type, name] : kNames) EXPECT_EQ(value(type, "").type_name(), name);
}

TEST(FieldValue, TextIsWhatRabbitMqPrints) {
  EXPECT_EQ(value('I', bytes("\0\0\3\xE8")).to_text(), "1000");
  EXPECT_EQ(value('t', "\1").to_text(), "true");
  EXPECT_EQ(value('S', "my text").to_text(), "my text");
  EXPECT_EQ(value('V', "").to_text(), "undefined");
  EXPECT_EQ(value('D', bytes("\2\0\0\0\x64")).to_text(), "{2,100}");
  EXPECT_EQ(value('T', "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF").to_text(), "18446744073709551615");
  std::string array;
  append_array_string(array, "a");
  append_array_table(array, FieldTableBuilder().int32("n", 7).take());
  EXPECT_EQ(value('A', array).to_text(), "[{longstr,<<\"a\">>},{table,[{<<\"n\">>,signedint,7}]}]");
  EXPECT_EQ(value('F', "").to_text(), "[]");
}

TEST(FieldValue, RealsArePrintedTheShorterWay) {
  const std::pair<double, std::string_view> kTexts[] = {
      {0.0, "0.0"},        {1.5, "1.5"},        {-2.0, "-2.0"},       {12345.0, "12345.0"},
      {100000.0, "1.0e5"}, {1e10, "1.0e10"},    {1.25e-7, "1.25e-7"}, {0.001, "0.001"},
      {1e308, "1.0e308"},  {5e-324, "5.0e-324"}};
  for (const auto& [real, text] : kTexts) {
    FieldTableBuilder builder;
    EXPECT_EQ(One(builder.real("d", real)).value.to_text(), text);
  }
}

RC_GTEST_PROP(FieldValue, TextOfARealReadsBack, (double real)) {
  FieldTableBuilder builder;
  const std::string text = One(builder.real("d", real)).value.to_text();
  RC_ASSERT(std::strtod(text.c_str(), nullptr) == real);
}

RC_GTEST_PROP(FieldValue, AnyValueHasABoundedText, ()) {
  const std::string entries = *test::random_table();
  for (const FieldTable::Entry& entry : FieldTable(entries)) {
    RC_ASSERT(entry.value.to_text().size() <= entry.value.payload.size() + 8192);
    RC_ASSERT(equivalent(entry.value, entry.value) || entry.value.number().has_value());
  }
}

TEST(FieldValue, IntegersOfAnyWidthAreEquivalentByValue) {
  EXPECT_TRUE(equivalent(value('B', "\5"), value('l', bytes("\0\0\0\0\0\0\0\5"))));
  EXPECT_TRUE(equivalent(value('b', "\xFF"), value('I', "\xFF\xFF\xFF\xFF")));
  EXPECT_FALSE(equivalent(value('B', "\xFF"), value('I', "\xFF\xFF\xFF\xFF")));
  EXPECT_FALSE(equivalent(value('T', bytes("\0\0\0\0\0\0\0\5")), value('B', "\5")));
  EXPECT_FALSE(equivalent(value('B', "\1"), value('t', "\1")));
  EXPECT_TRUE(
      equivalent(value('f', bytes("\x3F\xC0\0\0")), value('d', bytes("\x3F\xF8\0\0\0\0\0\0"))));
  EXPECT_FALSE(equivalent(value('S', "a"), value('x', "a")));
  EXPECT_TRUE(equivalent(value('S', "a"), value('S', "a")));
}

}  // namespace
}  // namespace leveret::protocol
