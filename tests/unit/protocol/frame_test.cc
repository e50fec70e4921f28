#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/frame_encoder.h"
#include "protocol/frame_parser.h"
#include "tests/unit/protocol/bytes.h"

namespace leveret::protocol {
namespace {

using test::bytes;
using test::frame;
using Status = FrameParser::Status;
using Parts = std::tuple<int, int, std::string>;

rc::Gen<Parts> random_frame() {
  return rc::gen::tuple(rc::gen::inRange(0, 256), rc::gen::inRange(0, 65536),
                        rc::gen::arbitrary<std::string>());
}

// Frames out of a stream that arrives in pieces of the given sizes.
std::vector<Parts> parse_in_pieces(const std::string& stream, std::vector<std::size_t> pieces) {
  const FrameParser parser;
  std::vector<Parts> frames;
  std::string pending;
  std::size_t sent = 0;
  pieces.push_back(stream.size());
  for (const std::size_t piece : pieces) {
    const std::size_t n = std::min(piece, stream.size() - sent);
    pending.append(stream, sent, n);
    sent += n;
    for (;;) {
      Frame parsed;
      AmqpError error;
      const auto result = parser.next(pending, &parsed, &error);
      if (result.status != Status::kFrame) break;
      frames.emplace_back(parsed.type, parsed.channel.value, std::string(parsed.payload));
      pending.erase(0, result.consumed);
    }
  }
  return frames;
}

RC_GTEST_PROP(FrameParser, AnySplitOfTheInputGivesTheSameFrames, ()) {
  const auto sent = *rc::gen::container<std::vector<Parts>>(random_frame());
  const auto pieces =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 40));
  std::string stream;
  for (const auto& [type, channel, payload] : sent) {
    stream += frame(static_cast<std::uint8_t>(type), static_cast<std::uint16_t>(channel), payload);
  }
  RC_ASSERT(parse_in_pieces(stream, pieces) == sent);
}

TEST(FrameParser, EveryPrefixNeedsMoreAndKnowsHowMuch) {
  const std::string whole = frame(3, 1, "payload");
  const FrameParser parser;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> prefix(whole.begin(),
                                   whole.begin() + static_cast<std::ptrdiff_t>(size));
    Frame parsed;
    AmqpError error;
    const auto result = parser.next({prefix.data(), size}, &parsed, &error);
    EXPECT_EQ(result.status, Status::kNeedMore);
    EXPECT_EQ(result.consumed, 0u);
    EXPECT_EQ(result.wanted, size < 7 ? 0 : whole.size());
  }
}

TEST(FrameParser, PayloadMayReachFrameMaxButNotPassIt) {
  FrameParser parser;
  parser.set_frame_max(5000);
  Frame parsed;
  AmqpError error;
  EXPECT_EQ(parser.next(frame(3, 1, std::string(5000, 'x')), &parsed, &error).status,
            Status::kFrame);
  // The size alone decides, before the payload came.
  EXPECT_EQ(parser.next(bytes("\3\0\1\0\0\x13\x89"), &parsed, &error).status, Status::kError);
  EXPECT_EQ(error.text, "FRAME_ERROR - type 3, all octets = <<>>: {frame_too_large,5001,4992}");
  EXPECT_EQ(error.code, ReplyCode::kFrameError);
}

TEST(FrameParser, TheLargestSizeFieldDoesNotWrapAround) {
  const FrameParser parser;
  Frame parsed;
  AmqpError error;
  EXPECT_EQ(parser.next(bytes("\1\0\0\xFF\xFF\xFF\xFF") + std::string(20, '\xCE'), &parsed, &error)
                .status,
            Status::kError);
}

TEST(FrameParser, AWrongFrameEndIsNamedWithItsPayload) {
  std::string wrong = frame(1, 1, bytes("\0\x14\0c"));
  wrong.back() = '\xCD';
  Frame parsed;
  AmqpError error;
  EXPECT_EQ(FrameParser().next(wrong, &parsed, &error).status, Status::kError);
  EXPECT_EQ(error.text,
            "FRAME_ERROR - type 1, all octets = <<0,20,0,99>>: {invalid_frame_end_marker,205}");
}

TEST(FrameEncoder, AHeaderIsClassWeightSizeProperties) {
  Buffer out;
  write_content_header(out, ChannelId(2), 258, bytes("\x80\0\1t"));
  EXPECT_EQ(out.view(), bytes("\2\0\2\0\0\0\x10"
                              "\0\x3C\0\0"
                              "\0\0\0\0\0\0\1\2"
                              "\x80\0\1t"
                              "\xCE"));
}

TEST(FrameEncoder, AHeartbeatIsEmptyOnChannelZero) {
  Buffer out;
  write_heartbeat(out);
  EXPECT_EQ(out.view(), bytes("\x08\0\0\0\0\0\0\xCE"));
}

TEST(FrameEncoder, AnEmptyBodyHasNoFrame) {
  Buffer out;
  write_body(out, ChannelId(1), "", 4096);
  EXPECT_TRUE(out.empty());
}

TEST(FrameEncoder, NoLimitMakesOneFrame) {
  Buffer out;
  write_body(out, ChannelId(1), std::string(1000000, 'b'), 0);
  EXPECT_EQ(out.size(), 1000000u + kFrameOverhead);
}

RC_GTEST_PROP(FrameEncoder, BodyFramesAreFullAndAddUpToTheBody, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 3000);
  const auto frame_max = *rc::gen::inRange<std::uint32_t>(9, 600);
  const std::string body(size, 'b');
  Buffer out;
  write_body(out, ChannelId(7), body, frame_max);
  const auto frames = parse_in_pieces(std::string(out.view()), {});
  std::string joined;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto& [type, channel, payload] = frames[i];
    RC_ASSERT(type == 3);
    RC_ASSERT(channel == 7);
    RC_ASSERT(payload.size() + kFrameOverhead <= frame_max);
    if (i + 1 < frames.size()) {
      RC_ASSERT(payload.size() + kFrameOverhead == frame_max);
    }
    joined += payload;
  }
  RC_ASSERT(joined == body);
}

}  // namespace
}  // namespace leveret::protocol
