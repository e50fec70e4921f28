#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "protocol/amqp_error.h"
#include "protocol/wire_reader.h"
#include "protocol/wire_writer.h"
#include "tests/unit/protocol/bytes.h"

namespace leveret::protocol {
namespace {

using test::bytes;

RC_GTEST_PROP(Wire, IntegersComeBackAsWritten,
              (std::uint8_t a, std::uint16_t b, std::uint32_t c, std::uint64_t d)) {
  Buffer out;
  WireWriter writer(out);
  writer.octet(a);
  writer.short_uint(b);
  writer.long_uint(c);
  writer.longlong_uint(d);
  RC_ASSERT(out.size() == 15u);
  WireReader in(out.view());
  RC_ASSERT(in.octet() == a);
  RC_ASSERT(in.short_uint() == b);
  RC_ASSERT(in.long_uint() == c);
  RC_ASSERT(in.longlong_uint() == d);
  RC_ASSERT(in.at_end() && in.ok());
}

TEST(Wire, IntegersAreBigEndian) {
  Buffer out;
  WireWriter writer(out);
  writer.short_uint(0x0102);
  writer.long_uint(0x03040506);
  writer.longlong_uint(0x0708090A0B0C0D0E);
  EXPECT_EQ(out.view(), bytes("\1\2\3\4\5\6\7\x8\x9\xA\xB\xC\xD\xE"));
}

TEST(WireWriter, LongNamesAreCutBetweenCharacters) {
  std::string name(254, 'a');
  name += "\xC3\xA9";
  Buffer out;
  WireWriter(out).short_string(name);
  EXPECT_EQ(out.view(), "\xFE" + std::string(254, 'a'));
}

TEST(WireReader, TheFirstErrorSticksAndLaterReadsAreEmpty) {
  WireReader in(
      "\x05"
      "abc");
  EXPECT_EQ(in.short_string(), "");
  EXPECT_EQ(in.error(), WireError::kTruncated);
  EXPECT_EQ(in.octet(), 0);
  EXPECT_EQ(in.long_uint(), 0u);
  EXPECT_EQ(in.long_string(), "");
  EXPECT_TRUE(in.table().empty());
  EXPECT_EQ(in.error(), WireError::kTruncated);
}

TEST(WireReader, ALayoutErrorHidesBadUtf8) {
  const std::string input = bytes("\1\xFF\0\0\0");
  WireReader bad_name(input);
  EXPECT_EQ(bad_name.short_string(), "\xFF");
  EXPECT_EQ(bad_name.error(), WireError::kBadUtf8);
  EXPECT_FALSE(bad_name.ok());
  bad_name.long_uint();
  EXPECT_EQ(bad_name.error(), WireError::kTruncated);

  WireReader surplus(input);
  surplus.short_string();
  EXPECT_EQ(surplus.finish(), WireError::kTruncated);
}

TEST(WireReader, ShortBytesAreNotChecked) {
  WireReader in("\1\xFF");
  EXPECT_EQ(in.short_bytes(), "\xFF");
  EXPECT_EQ(in.finish(), WireError::kNone);
}

TEST(WireReader, TablesAreCheckedToTheLastValue) {
  const std::string unknown = bytes("\0\0\0\3\1a?");
  WireReader bad(unknown);
  EXPECT_TRUE(bad.table().empty());
  EXPECT_EQ(bad.error(), WireError::kBadTable);

  const std::string longer = bytes("\0\0\1\0\1aV");
  WireReader truncated(longer);
  truncated.table();
  EXPECT_EQ(truncated.error(), WireError::kTruncated);
}

TEST(AmqpError, ScopeFollowsTheCode) {
  for (const ReplyCode code : {ReplyCode::kAccessRefused, ReplyCode::kNotFound,
                               ReplyCode::kResourceLocked, ReplyCode::kPreconditionFailed}) {
    EXPECT_EQ(make_error(code, "x").scope, ErrorScope::kChannel);
  }
  for (const ReplyCode code :
       {ReplyCode::kConnectionForced, ReplyCode::kFrameError, ReplyCode::kSyntaxError,
        ReplyCode::kCommandInvalid, ReplyCode::kChannelError, ReplyCode::kUnexpectedFrame,
        ReplyCode::kNotAllowed, ReplyCode::kNotImplemented, ReplyCode::kInternalError}) {
    EXPECT_EQ(make_error(code, "x").scope, ErrorScope::kConnection);
  }
}

TEST(AmqpError, TextIsNameThenExplanation) {
  EXPECT_EQ(make_error(ReplyCode::kNotFound, "no queue 'q' in vhost '/'").text,
            "NOT_FOUND - no queue 'q' in vhost '/'");
  EXPECT_EQ(make_error(ReplyCode::kInternalError, "").text, "INTERNAL_ERROR");
}

TEST(AmqpError, ALongTextEndsInDotsAndStaysUtf8) {
  AmqpError error;
  error.text = std::string(255, 'a');
  EXPECT_EQ(reply_text(error), error.text);
  error.text = std::string(256, 'a');
  EXPECT_EQ(reply_text(error), std::string(252, 'a') + "...");
  error.text = std::string(251, 'a') + "\xC3\xA9" + "bcdef";
  EXPECT_EQ(reply_text(error), std::string(251, 'a') + "...");
}

}  // namespace
}  // namespace leveret::protocol
