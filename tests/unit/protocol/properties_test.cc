#include "protocol/properties.h"

#include <deque>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "tests/unit/protocol/bytes.h"
#include "tests/unit/protocol/random_table.h"

namespace leveret::protocol {
namespace {

using test::bytes;

using TextMember = std::optional<std::string_view> BasicProperties::*;
constexpr TextMember kTexts[] = {
    &BasicProperties::content_type,   &BasicProperties::content_encoding,
    &BasicProperties::correlation_id, &BasicProperties::reply_to,
    &BasicProperties::expiration,     &BasicProperties::message_id,
    &BasicProperties::type,           &BasicProperties::user_id,
    &BasicProperties::app_id,         &BasicProperties::cluster_id};

BasicProperties random_properties(std::deque<std::string>* storage) {
  BasicProperties p;
  for (const TextMember member : kTexts) {
    if (*rc::gen::arbitrary<bool>()) {
      p.*member = storage->emplace_back(*test::random_short_bytes());
    }
  }
  if (*rc::gen::arbitrary<bool>()) {
    p.headers = FieldTable(storage->emplace_back(*test::random_table()));
  }
  if (*rc::gen::arbitrary<bool>()) p.delivery_mode = *rc::gen::arbitrary<std::uint8_t>();
  if (*rc::gen::arbitrary<bool>()) p.priority = *rc::gen::arbitrary<std::uint8_t>();
  if (*rc::gen::arbitrary<bool>()) p.timestamp = *rc::gen::arbitrary<std::uint64_t>();
  return p;
}

// Whether a short string is kept whole by a writer that cuts between UTF-8 sequences.
bool fits(const BasicProperties& p) {
  for (const TextMember member : kTexts) {
    if ((p.*member).value_or("").size() > kShortStringMax) return false;
  }
  return true;
}

RC_GTEST_PROP(Properties, ComeBackAsWritten, ()) {
  std::deque<std::string> storage;
  const BasicProperties sent = random_properties(&storage);
  RC_PRE(fits(sent));
  const std::string encoded = encode_properties(sent);
  BasicProperties received;
  received.app_id = "left from before";
  RC_ASSERT(parse_properties(encoded, &received) == WireError::kNone);
  for (const TextMember member : kTexts) RC_ASSERT((received.*member == sent.*member));
  RC_ASSERT(received.headers.has_value() == sent.headers.has_value());
  if (sent.headers) {
    RC_ASSERT(received.headers->bytes() == sent.headers->bytes());
  }
  RC_ASSERT(received.delivery_mode == sent.delivery_mode);
  RC_ASSERT(received.priority == sent.priority);
  RC_ASSERT(received.timestamp == sent.timestamp);
  RC_ASSERT(encode_properties(received) == encoded);
}

RC_GTEST_PROP(Properties, EveryPrefixAndEverySurplusIsRefused, ()) {
  std::deque<std::string> storage;
  const std::string encoded = encode_properties(random_properties(&storage));
  BasicProperties out;
  for (std::size_t size = 0; size < encoded.size(); ++size) {
    const std::vector<char> prefix(encoded.begin(),
                                   encoded.begin() + static_cast<std::ptrdiff_t>(size));
    RC_ASSERT(parse_properties({prefix.data(), size}, &out) == WireError::kTruncated);
  }
  RC_ASSERT(parse_properties(encoded + 'x', &out) == WireError::kTruncated);
}

TEST(Properties, FlagsAreInTheOrderOfTheSpecification) {
  BasicProperties p;
  p.content_type = "t";
  EXPECT_EQ(encode_properties(p), bytes("\x80\0\1t"));
  p = {};
  p.cluster_id = "c";
  EXPECT_EQ(encode_properties(p), bytes("\0\4\1c"));
  p = {};
  p.delivery_mode = 2;
  p.priority = 9;
  EXPECT_EQ(encode_properties(p), bytes("\x18\0\2\x09"));
  EXPECT_EQ(encode_properties({}), bytes("\0\0"));
}

TEST(Properties, ASecondWordOfFlagsIsRefused) {
  BasicProperties out;
  EXPECT_EQ(parse_properties(bytes("\0\1\0\0"), &out), WireError::kTruncated);
  EXPECT_EQ(parse_properties(bytes("\0\2"), &out), WireError::kNone);
}

TEST(Properties, AnUnknownFieldTypeInHeadersIsABadTable) {
  BasicProperties out;
  EXPECT_EQ(parse_properties(bytes("\x20\0\0\0\0\3\1a?"), &out), WireError::kBadTable);
}

TEST(ContentHeader, IsSplitIntoItsParts) {
  const std::string payload = bytes("\0\x3C\0\1\0\0\0\0\0\0\1\2\x80\0\1t");
  const auto header = parse_content_header(payload);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->class_id, 60);
  EXPECT_EQ(header->weight, 1);
  EXPECT_EQ(header->body_size, 258u);
  EXPECT_EQ(header->properties, bytes("\x80\0\1t"));
}

TEST(ContentHeader, ShorterThanItsFixedPartIsNone) {
  for (std::size_t size = 0; size < 12; ++size) {
    EXPECT_FALSE(parse_content_header(std::string(size, '\0')).has_value());
  }
  EXPECT_TRUE(parse_content_header(std::string(12, '\0')).has_value());
}

}  // namespace
}  // namespace leveret::protocol
