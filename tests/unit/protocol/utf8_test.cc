#include "protocol/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "tests/unit/protocol/bytes.h"
#include "tests/unit/protocol/random_table.h"

namespace leveret::protocol {
namespace {

using test::bytes;

TEST(Utf8, AcceptsEveryLengthOfSequence) {
  for (const std::string& text :
       {bytes(""), bytes("\0"), bytes("\x7F"), bytes("\xC2\x80"), bytes("\xDF\xBF"),
        bytes("\xE0\xA0\x80"), bytes("\xED\x9F\xBF"), bytes("\xEE\x80\x80"), bytes("\xEF\xBF\xBF"),
        bytes("\xF0\x90\x80\x80"), bytes("\xF4\x8F\xBF\xBF")}) {
    EXPECT_TRUE(valid_utf8(text)) << ::testing::PrintToString(text);
  }
}

TEST(Utf8, RefusesWhatRfc3629Excludes) {
  for (const std::string& text :
       {bytes("\x80"), bytes("\xBF"), bytes("\xC0\x80"), bytes("\xC1\xBF"), bytes("\xC2"),
        bytes("\xC2\x41"), bytes("\xE0\x9F\xBF"), bytes("\xED\xA0\x80"), bytes("\xE2\x82"),
        bytes("\xE2\x82\x41"), bytes("\xF0\x8F\xBF\xBF"), bytes("\xF4\x90\x80\x80"),
        bytes("\xF5\x80\x80\x80"), bytes("\xF0\x9F\x90"), bytes("\xFF")}) {
    EXPECT_FALSE(valid_utf8(text)) << ::testing::PrintToString(text);
  }
}

TEST(Utf8, FindsABadByteAtAnyPlace) {
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = '\xFF';
      EXPECT_FALSE(valid_utf8(text)) << size << ' ' << at;
    }
  }
}

RC_GTEST_PROP(Utf8, ACutNeverLeavesAHalfSequence, ()) {
  const std::string name = *test::random_name();
  const auto cut = *rc::gen::inRange<std::size_t>(0, name.size() + 2);
  const std::size_t kept = utf8_cut(name, cut);
  RC_ASSERT(kept <= cut);
  RC_ASSERT(kept + 3 >= std::min(cut, name.size()));
  RC_ASSERT(valid_utf8(std::string_view(name).substr(0, kept)));
}

TEST(Utf8, WhatIsNotUtf8IsCutAnywhere) {
  EXPECT_EQ(utf8_cut(std::string(300, '\x80'), 255), 255u);
}

}  // namespace
}  // namespace leveret::protocol
