#include "config/pattern.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace leveret::config {
namespace {

Pattern pattern(const std::string& text) {
  std::string error;
  const auto result = Pattern::compile(text, &error);
  EXPECT_TRUE(result) << error;
  return result.value_or(Pattern());
}

std::string error_of(const std::string& text) {
  std::string error;
  EXPECT_FALSE(Pattern::compile(text, &error));
  return error;
}

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(pattern("b").matches("abc"));
  EXPECT_FALSE(pattern("^b").matches("abc"));
  EXPECT_TRUE(pattern("^abc$").matches("abc"));
  EXPECT_FALSE(pattern("^abc$").matches("abcd"));
}

TEST(Pattern, EmptyMatchesOnlyTheEmptyString) {
  EXPECT_TRUE(pattern("").matches(""));
  EXPECT_FALSE(pattern("").matches("a"));
}

TEST(Pattern, DotStarMatchesEverythingAndDefaultConstructedNothing) {
  EXPECT_TRUE(pattern(".*").matches(""));
  EXPECT_TRUE(pattern(".*").matches("any.thing"));
  EXPECT_FALSE(Pattern().matches(""));
  EXPECT_FALSE(Pattern().matches("a"));
}

TEST(Pattern, TakesLettersOfUtf8AsOneCharacter) {
  EXPECT_TRUE(pattern("^.$").matches("\xC3\xA9"));
  EXPECT_TRUE(pattern("^caf\xC3\xA9$").matches("caf\xC3\xA9"));
}

TEST(Pattern, SubjectThatIsNotUtf8DoesNotMatchItsBadBytes) {
  EXPECT_FALSE(pattern("^.$").matches("\xFF"));
  EXPECT_TRUE(
      pattern("a$").matches("\xFF"
                            "a"));
}

TEST(Pattern, ErrorNamesTheOffset) {
  EXPECT_EQ(error_of("(a"), "missing closing parenthesis at offset 2");
  EXPECT_EQ(error_of("a{2,1}"), "numbers out of order in {} quantifier at offset 5");
  EXPECT_NE(error_of("[z-a]").find("at offset"), std::string::npos);
}

TEST(Pattern, RefusesWhatWouldTakeTooMuchToCompile) {
  EXPECT_EQ(error_of(std::string(65537, 'a')), "pattern is longer than 65536 bytes");
  EXPECT_FALSE(error_of("(((a{1000}){1000}){1000})").empty());
  EXPECT_FALSE(error_of("a\\Cb").empty());
}

TEST(Pattern, CatastrophicBacktrackingEndsAsNoMatch) {
  const std::string subject(250, 'a');
  EXPECT_FALSE(pattern("^(a+)+$").matches(subject + "b"));
  EXPECT_FALSE(pattern("^(a|a)*b").matches(subject));
  EXPECT_FALSE(pattern("(.*)*(.*)*(.*)*x$").matches(subject));
}

TEST(Pattern, LongSubjectsMatchDespiteTheSmallStackOfTheJit) {
  EXPECT_TRUE(pattern("^(?:(a)|(b))*$").matches(std::string(255, 'a')));
  EXPECT_TRUE(pattern("^((a|b)(a|b))*$").matches(std::string(254, 'b')));
}

TEST(Pattern, ServesSeveralThreadsAtOnce) {
  const Pattern shared = pattern("^q-[0-9]+$");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&shared, &wrong] {
      for (int i = 0; i < 2000; ++i) {
        if (!shared.matches("q-" + std::to_string(i))) ++wrong;
        if (shared.matches("x-" + std::to_string(i))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace leveret::config
