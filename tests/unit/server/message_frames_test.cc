#include "server/message_frames.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "protocol/frame_parser.h"
#include "protocol/methods.h"
#include "protocol/properties.h"

namespace leveret::server {
namespace {

struct Sent {
  std::uint8_t type = 0;
  std::uint16_t channel = 0;
  std::string payload;
};

std::string written(OutputQueue& output) {
  std::string bytes;
  while (!output.empty()) {
    std::array<iovec, OutputQueue::kGatherMax> vectors{};
    const std::size_t count = output.gather(&vectors);
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bytes.append(static_cast<const char*>(vectors[i].iov_base), vectors[i].iov_len);
      size += vectors[i].iov_len;
    }
    output.consume(size);
  }
  return bytes;
}

// The frames in these bytes, which end with the last one.
std::vector<Sent> frames_in(std::string_view bytes) {
  protocol::FrameParser parser;
  std::vector<Sent> frames;
  while (!bytes.empty()) {
    protocol::Frame frame;
    protocol::AmqpError error;
    const auto result = parser.next(bytes, &frame, &error);
    EXPECT_EQ(result.status, protocol::FrameParser::Status::kFrame);
    if (result.status != protocol::FrameParser::Status::kFrame) break;
    frames.push_back({frame.type, frame.channel.value, std::string(frame.payload)});
    bytes.remove_prefix(result.consumed);
  }
  return frames;
}

queue::MessageRef message_of(std::string_view properties, const std::string& body,
                             std::string_view exchange = "ex", std::string_view key = "key") {
  queue::Message::Parts parts;
  parts.exchange = exchange;
  parts.routing_key = key;
  parts.properties = properties;
  return queue::Message::create(parts, body);
}

// Checks header and body frames from frames[at] on.
bool content_is(const std::vector<Sent>& frames, std::size_t at, std::uint16_t channel,
                std::uint32_t frame_max, std::string_view properties, std::string_view body) {
  if (frames.size() <= at || frames[at].type != 2 || frames[at].channel != channel) return false;
  const auto header = protocol::parse_content_header(frames[at].payload);
  if (!header || header->class_id != 60 || header->weight != 0 ||
      header->body_size != body.size() || header->properties != properties) {
    return false;
  }
  std::string joined;
  for (std::size_t i = at + 1; i < frames.size(); ++i) {
    if (frames[i].type != 3 || frames[i].channel != channel || frames[i].payload.empty() ||
        frames[i].payload.size() + protocol::kFrameOverhead > frame_max) {
      return false;
    }
    joined += frames[i].payload;
  }
  return joined == body;
}

std::string body_of(std::size_t size) {
  std::string body;
  for (std::size_t i = 0; i < size; ++i) body += static_cast<char>('!' + i % 91);
  return body;
}

rc::Gen<std::size_t> random_body_size() {
  return rc::gen::oneOf(
      rc::gen::inRange<std::size_t>(0, 200), rc::gen::inRange<std::size_t>(4000, 4200),
      rc::gen::inRange<std::size_t>(16300, 16500), rc::gen::inRange<std::size_t>(0, 200'000));
}

rc::Gen<std::uint32_t> random_frame_max() {
  return rc::gen::oneOf(rc::gen::just(protocol::kFrameMin),
                        rc::gen::inRange<std::uint32_t>(protocol::kFrameMin, 40'000),
                        rc::gen::just(protocol::kFrameMaxDefault));
}

RC_GTEST_PROP(MessageFramesProperty, DeliveryParsesBackForAnyFrameMaxAndSize, ()) {
  const auto frame_max = *random_frame_max();
  const auto body = body_of(*random_body_size());
  const auto channel = *rc::gen::inRange<std::uint16_t>(1, 65535);
  const auto short_text = rc::gen::map(rc::gen::container<std::string>(rc::gen::inRange(' ', '~')),
                                       [](const std::string& text) { return text.substr(0, 255); });
  const auto tag = *short_text;
  const auto exchange = *short_text;
  const auto key = *short_text;
  const auto properties = *rc::gen::arbitrary<std::string>();
  const bool redelivered = *rc::gen::arbitrary<bool>();
  const auto delivery_tag = *rc::gen::arbitrary<std::uint64_t>();

  OutputQueue output;
  write_message_frames(output, frame_max, ChannelId(channel),
                       message_of(properties, body, exchange, key),
                       {tag, delivery_tag, redelivered});
  const auto frames = frames_in(written(output));
  RC_ASSERT(frames.size() >= 2u);
  RC_ASSERT(frames[0].type == 1);
  RC_ASSERT(frames[0].channel == channel);
  protocol::BasicDeliver deliver;
  RC_ASSERT(frames[0].payload.substr(0, 4) == std::string("\0\x3C\0\x3C", 4));
  RC_ASSERT(protocol::decode(std::string_view(frames[0].payload).substr(4), &deliver) ==
            protocol::WireError::kNone);
  RC_ASSERT(deliver.consumer_tag == tag);
  RC_ASSERT(deliver.delivery_tag == delivery_tag);
  RC_ASSERT(deliver.redelivered == redelivered);
  RC_ASSERT(deliver.exchange == exchange);
  RC_ASSERT(deliver.routing_key == key);
  RC_ASSERT(content_is(frames, 1, channel, frame_max, properties, body));
}

RC_GTEST_PROP(MessageFramesProperty, ContentAloneParsesBackForAnyFrameMaxAndSize, ()) {
  const auto frame_max = *random_frame_max();
  const auto body = body_of(*random_body_size());
  const std::string properties("\x10\0\x02", 3);
  OutputQueue output;
  write_content_frames(output, frame_max, ChannelId(9), message_of(properties, body));
  RC_ASSERT(content_is(frames_in(written(output)), 0, 9, frame_max, properties, body));
}

TEST(MessageFrames, BodyThatJustFitsIsOneFrame) {
  constexpr std::uint32_t kFrameMax = 4096;
  for (const auto& [size, count] : {std::pair(4088u, 3u), std::pair(4089u, 4u)}) {
    OutputQueue output;
    write_message_frames(output, kFrameMax, ChannelId(1),
                         message_of(std::string_view("\0\0", 2), body_of(size)), {"tag", 1, false});
    EXPECT_EQ(frames_in(written(output)).size(), count) << size;
  }
}

TEST(MessageFrames, LargeBodiesAreBorrowedAndSmallOnesCopied) {
  OutputQueue output;
  const auto small = message_of(std::string_view("\0\0", 2), body_of(100));
  const auto large = message_of(std::string_view("\0\0", 2), body_of(100'000));
  write_message_frames(output, 131072, ChannelId(1), small, {"tag", 1, false});
  const std::size_t after_small = output.buffer().size();
  EXPECT_EQ(output.size(), after_small);
  write_message_frames(output, 131072, ChannelId(1), large, {"tag", 2, false});
  EXPECT_LT(output.buffer().size() - after_small, 200u);
  EXPECT_GT(output.size(), after_small + 100'000);
}

TEST(MessageFrames, OneMessageOnTwoChannelsKeepsEachChannelsNumber) {
  OutputQueue output;
  const auto message = message_of(std::string_view("\0\0", 2), "body");
  write_message_frames(output, 131072, ChannelId(1), message, {"a", 1, false});
  write_message_frames(output, 131072, ChannelId(513), message, {"b", 7, true});
  const auto frames = frames_in(written(output));
  ASSERT_EQ(frames.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(frames[i].channel, i < 3 ? 1 : 513);
}

}  // namespace
}  // namespace leveret::server
