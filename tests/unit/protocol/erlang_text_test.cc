#include "protocol/erlang_text.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/unit/protocol/bytes.h"

namespace leveret::protocol {
namespace {

using test::bytes;

TEST(ErlangText, PrintableBytesAreQuoted) {
  EXPECT_EQ(erlang_binary("abc"), "<<\"abc\">>");
  EXPECT_EQ(erlang_binary(""), "<<>>");
  EXPECT_EQ(erlang_binary("a\nb"), "<<\"a\\nb\">>");
  EXPECT_EQ(erlang_binary("a\"b\\"), "<<\"a\\\"b\\\\\">>");
  EXPECT_EQ(erlang_binary("\t\r\x1B\b\v\f"), "<<\"\\t\\r\\e\\b\\v\\f\">>");
}

TEST(ErlangText, OtherBytesAreNumbers) {
  EXPECT_EQ(erlang_binary(bytes("\0\x14\0c")), "<<0,20,0,99>>");
  EXPECT_EQ(erlang_binary("a\x7F"), "<<97,127>>");
  EXPECT_EQ(erlang_binary("a\xE9"), "<<97,233>>");
}

TEST(ErlangText, BytesAreNumbersEvenWhenPrintable) {
  EXPECT_EQ(erlang_bytes("abc"), "<<97,98,99>>");
  EXPECT_EQ(erlang_bytes(""), "<<>>");
}

TEST(ErlangText, ALongPayloadIsShownByItsBeginning) {
  EXPECT_EQ(frame_snippet(7, "0123456789abcdef"), "type 7, all octets = <<\"0123456789abcdef\">>");
  EXPECT_EQ(frame_snippet(7, "0123456789abcdefg"),
            "type 7, first 16 octets = <<\"0123456789abcdef\">>");
}

TEST(ErlangText, RenderingIsBoundedByWhatAReplyTextHolds) {
  EXPECT_LT(erlang_bytes(std::string(1 << 20, '\xFF')).size(), 2000u);
  EXPECT_LT(erlang_binary(std::string(1 << 20, 'a')).size(), 2000u);
}

TEST(DecodeError, NamesTheArgumentsAndTheMethod) {
  const AmqpError error = decode_error(50, 10, bytes("\0\0"), WireError::kTruncated);
  EXPECT_EQ(error.code, ReplyCode::kFrameError);
  EXPECT_EQ(error.scope, ErrorScope::kConnection);
  EXPECT_EQ(error.text, "FRAME_ERROR - cannot decode <<0,0>>");
  EXPECT_EQ(error.class_id, 50);
  EXPECT_EQ(error.method_id, 10);
  EXPECT_EQ(decode_error(50, 10, "a", WireError::kBadTable).text,
            "FRAME_ERROR - cannot decode <<97>>");
}

TEST(DecodeError, BadUtf8NamesTheMethodOnlyOnTheConnection) {
  const AmqpError on_channel = decode_error(50, 10, "", WireError::kBadUtf8);
  EXPECT_EQ(on_channel.text, "FRAME_ERROR - Malformed UTF-8 in shortstr");
  EXPECT_EQ(on_channel.class_id, 0);
  EXPECT_EQ(on_channel.method_id, 0);
  const AmqpError on_connection = decode_error(10, 50, "", WireError::kBadUtf8);
  EXPECT_EQ(on_connection.class_id, 10);
  EXPECT_EQ(on_connection.method_id, 50);
}

TEST(DecodeError, TooDeepTablesSaySo) {
  EXPECT_EQ(decode_error(50, 10, "", WireError::kTableTooDeep).text,
            "FRAME_ERROR - tables nested deeper than 256");
}

}  // namespace
}  // namespace leveret::protocol
