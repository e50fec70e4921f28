#include "exchange/headers.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/match_context.h"
#include "naive_router.h"
#include "table_gen.h"

namespace leveret::exchange {
namespace {

using protocol::FieldTableBuilder;

BoundKey bound(std::string_view arguments, std::uint32_t index) {
  return {SharedString(), SharedString(arguments), Destination::queue({index, 0, 0})};
}

std::set<std::uint32_t> match(const Matcher& matcher, std::string_view headers,
                              MatchContext& context) {
  std::vector<QueueId> queues;
  context.begin(&queues);
  RouteRequest request;
  request.headers = protocol::FieldTable(headers);
  matcher.match(request, context);
  std::set<std::uint32_t> indexes;
  for (const QueueId& id : queues) indexes.insert(id.index);
  return indexes;
}

bool matches(std::string_view arguments, std::string_view headers) {
  HeadersMatcher matcher;
  MatchContext context;
  matcher.add(bound(arguments, 1));
  const bool found = !match(matcher, headers, context).empty();
  EXPECT_EQ(found, naive::headers_match(arguments, headers));
  return found;
}

std::string with_match(std::string_view kind, std::string_view entries = {}) {
  FieldTableBuilder builder;
  builder.string("x-match", kind);
  return builder.take() + std::string(entries);
}

std::string ints(std::initializer_list<std::pair<const char*, int>> entries) {
  FieldTableBuilder builder;
  for (const auto& [name, value] : entries) builder.int32(name, value);
  return builder.take();
}

std::string one(const protocol::FieldValue& value) {
  return FieldTableBuilder().value("a", value).take();
}

// A value of the given type octet whose payload is the number's bytes, most significant first.
template <typename Number>
std::string number(char type, Number value) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  const std::string payload(std::make_reverse_iterator(bytes + sizeof(value)),
                            std::make_reverse_iterator(bytes));
  return one({type, payload});
}

RC_GTEST_PROP(HeadersMatcher, FindsWhatANaiveMatcherFinds, ()) {
  const auto bindings = *rc::gen::container<std::vector<std::string>>(testing::any_arguments());
  const auto messages = *rc::gen::container<std::vector<std::string>>(testing::any_headers());
  HeadersMatcher matcher;
  MatchContext context;
  std::uint32_t index = 0;
  for (const std::string& arguments : bindings) matcher.add(bound(arguments, index++));
  for (const std::string& headers : messages) {
    std::set<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < bindings.size(); ++i) {
      if (naive::headers_match(bindings[i], headers)) expected.insert(i);
    }
    RC_ASSERT(match(matcher, headers, context) == expected);
  }
}

RC_GTEST_PROP(HeadersMatcher, WhatIsRemovedNoLongerMatchesAndClonesStay, ()) {
  const auto bindings = *rc::gen::container<std::vector<std::string>>(testing::any_arguments());
  const auto headers = *testing::any_headers();
  HeadersMatcher matcher;
  MatchContext context;
  for (std::uint32_t i = 0; i < bindings.size(); ++i) matcher.add(bound(bindings[i], i));
  const auto clone = matcher.clone();
  const auto before = match(matcher, headers, context);
  for (std::uint32_t i = 0; i < bindings.size(); i += 2) matcher.remove(bound(bindings[i], i));
  std::set<std::uint32_t> odd;
  for (const std::uint32_t i : before) {
    if (i % 2 == 1) odd.insert(i);
  }
  RC_ASSERT(match(matcher, headers, context) == odd);
  for (std::uint32_t i = 1; i < bindings.size(); i += 2) matcher.remove(bound(bindings[i], i));
  RC_ASSERT(match(matcher, headers, context).empty());
  RC_ASSERT(match(*clone, headers, context) == before);
}

TEST(HeadersMatcher, AllIsTheDefaultAndNeedsEveryHeader) {
  const std::string wanted = ints({{"a", 1}, {"b", 2}});
  EXPECT_TRUE(matches(wanted, ints({{"b", 2}, {"a", 1}, {"c", 3}})));
  EXPECT_FALSE(matches(wanted, ints({{"a", 1}})));
  EXPECT_FALSE(matches(wanted, ints({{"a", 1}, {"b", 3}})));
  EXPECT_FALSE(matches(wanted, ""));
}

TEST(HeadersMatcher, AnyNeedsOne) {
  const std::string wanted = with_match("any", ints({{"a", 1}, {"b", 2}}));
  EXPECT_TRUE(matches(wanted, ints({{"a", 1}})));
  EXPECT_TRUE(matches(wanted, ints({{"a", 7}, {"b", 2}})));
  EXPECT_FALSE(matches(wanted, ints({{"a", 2}, {"b", 1}})));
}

TEST(HeadersMatcher, WithoutKeysAllMatchesEverythingAndAnyNothing) {
  for (const char* all : {"all", "all-with-x"}) {
    EXPECT_TRUE(matches(with_match(all), ""));
    EXPECT_TRUE(matches(with_match(all), ints({{"a", 1}})));
  }
  for (const char* any : {"any", "any-with-x"}) {
    EXPECT_FALSE(matches(with_match(any), ""));
    EXPECT_FALSE(matches(with_match(any), ints({{"a", 1}})));
  }
  EXPECT_TRUE(matches("", ""));
}

TEST(HeadersMatcher, KeysWithXCountOnlyWhereAskedFor) {
  const std::string x = ints({{"x-k", 1}});
  EXPECT_TRUE(matches(with_match("all", x), ""));
  EXPECT_FALSE(matches(with_match("any", x), x));
  EXPECT_TRUE(matches(with_match("all-with-x", x), x));
  EXPECT_FALSE(matches(with_match("all-with-x", x), ints({{"x-k", 2}})));
  EXPECT_TRUE(matches(with_match("any-with-x", x), x));
  EXPECT_FALSE(matches(with_match("any-with-x", x), ""));
  EXPECT_FALSE(matches(ints({{"x", 1}}), "")) << "x- is the prefix, not x";
  EXPECT_FALSE(matches(ints({{"X-k", 1}}), "")) << "case counts";
}

TEST(HeadersMatcher, VoidAsksForPresence) {
  const std::string present = FieldTableBuilder().nothing("a").take();
  EXPECT_TRUE(matches(present, ints({{"a", 5}})));
  EXPECT_TRUE(matches(present, present));
  EXPECT_FALSE(matches(present, ints({{"b", 5}})));
  EXPECT_FALSE(matches(ints({{"a", 5}}), present));
  EXPECT_TRUE(matches(with_match("any", present), ints({{"a", 5}})));
}

// Asked of RabbitMQ 3.10.
TEST(HeadersMatcher, ValuesCompareAsInRabbitMq3) {
  const std::string i1 = number<std::int32_t>('I', 1);
  EXPECT_TRUE(matches(i1, number<double>('d', 1.0)));
  EXPECT_TRUE(matches(i1, number<float>('f', 1.0f)));
  EXPECT_TRUE(matches(i1, number<std::int8_t>('b', 1)));
  EXPECT_TRUE(matches(i1, number<std::int64_t>('T', 1)));
  EXPECT_TRUE(matches(number<std::uint8_t>('B', 1), number<std::int64_t>('l', 1)));
  EXPECT_TRUE(matches(number<float>('f', 1.5f), number<double>('d', 1.5)));
  EXPECT_FALSE(matches(number<float>('f', 0.1f), number<double>('d', 0.1)));
  EXPECT_TRUE(matches(number<double>('d', -0.0), number<std::int32_t>('I', 0)));
  constexpr std::int64_t k2To53 = std::int64_t{1} << 53;
  EXPECT_TRUE(matches(number<std::int64_t>('l', k2To53), number<double>('d', 0x1p53)));
  EXPECT_FALSE(matches(number<std::int64_t>('l', k2To53 + 1), number<double>('d', 0x1p53)));
  EXPECT_FALSE(matches(number<std::int64_t>('l', INT64_MIN), number<double>('d', 0x1p63)));
  EXPECT_TRUE(matches(one({'S', "x"}), one({'x', "x"})));
  EXPECT_FALSE(matches(i1, one({'S', "1"})));
  EXPECT_FALSE(matches(one({'t', std::string_view("\1", 1)}), i1));
  EXPECT_FALSE(matches(one({'t', std::string_view("\1", 1)}), one({'S', "true"})));
  EXPECT_TRUE(matches(one({'A', ""}), one({'F', ""})));
}

TEST(HeadersMatcher, TablesAndArraysCompareByContentAndOrder) {
  const std::string xy = ints({{"x", 1}, {"y", 2}});
  const std::string yx = ints({{"y", 2}, {"x", 1}});
  EXPECT_TRUE(matches(one({'F', xy}), one({'F', xy})));
  EXPECT_FALSE(matches(one({'F', xy}), one({'F', yx})));
  std::string list;
  protocol::append_array_string(list, "b");
  EXPECT_TRUE(matches(one({'A', list}), one({'A', list})));
  EXPECT_FALSE(matches(one({'A', list}), one({'F', xy})));
}

TEST(HeadersMatcher, RepeatedNamesArePairedInOrder) {
  const std::string twice = ints({{"a", 1}, {"a", 2}});
  EXPECT_TRUE(matches(ints({{"a", 1}}), twice));
  EXPECT_FALSE(matches(ints({{"a", 2}}), twice));
  EXPECT_FALSE(matches(twice, ints({{"a", 1}})));
  EXPECT_TRUE(matches(twice, twice));
  EXPECT_TRUE(matches(with_match("any", twice), ints({{"a", 1}})));
  EXPECT_FALSE(matches(with_match("any", twice), ints({{"a", 2}})));
}

TEST(HeadersMatcher, BadMatchKindsAreRefusedWithRabbitMqText) {
  const auto text = [](const std::string& arguments) {
    const auto error = validate_headers_binding(protocol::FieldTable(arguments));
    EXPECT_TRUE(!error || error->code == protocol::ReplyCode::kPreconditionFailed);
    return error ? error->text : std::string();
  };
  for (const char* good : {"all", "any", "all-with-x", "any-with-x"}) {
    EXPECT_EQ(text(with_match(good)), "");
  }
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text(with_match("foo")),
            "PRECONDITION_FAILED - Invalid x-match field value <<\"foo\">>; expected all, any, "
            "all-with-x, or any-with-x");
  EXPECT_EQ(text(FieldTableBuilder().int32("x-match", 1).take()),
            "PRECONDITION_FAILED - Invalid x-match field type signedint (value 1); expected "
            "longstr");
  EXPECT_EQ(text(FieldTableBuilder().boolean("x-match", true).take()),
            "PRECONDITION_FAILED - Invalid x-match field type bool (value true); expected longstr");
}

}  // namespace
}  // namespace leveret::exchange
