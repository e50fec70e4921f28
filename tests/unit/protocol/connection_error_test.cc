#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "tests/unit/protocol/bytes.h"
#include "tests/unit/protocol/fsm_script.h"

// Everything a client can do wrong on a running connection, with the answer RabbitMQ 3.10 gives.
namespace leveret::protocol::test {
namespace {

struct Mistake {
  std::string name;
  // What the client sends on a connection with channel 1 open; the last frame is the mistake.
  std::vector<std::string> frames;
  ReplyCode code;
  std::string text;
  std::uint16_t class_id = 0;
  std::uint16_t method_id = 0;
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.name;
}

std::string with_bad_end(std::string whole) {
  whole.back() = '\0';
  return whole;
}

std::vector<Mistake> framing() {
  constexpr auto kFrame = ReplyCode::kFrameError;
  constexpr auto kUnexpected = ReplyCode::kUnexpectedFrame;
  return {
      {"BadFrameEnd",
       {with_bad_end(body(1, "abc"))},
       kFrame,
       "FRAME_ERROR - type 3, all octets = <<\"abc\">>: {invalid_frame_end_marker,0}"},
      {"BadFrameEndBeforeUnknownType",
       {with_bad_end(frame(7, 0, ""))},
       kFrame,
       "FRAME_ERROR - type 7, all octets = <<>>: {invalid_frame_end_marker,0}"},
      {"TooLarge",
       {bytes("\1\0\1\0\2\0\1")},
       kFrame,
       "FRAME_ERROR - type 1, all octets = <<>>: {frame_too_large,131073,131064}"},
      {"UnknownType",
       {frame(7, 1, "abc")},
       kFrame,
       "FRAME_ERROR - type 7, all octets = <<\"abc\">>: unknown_frame"},
      {"UnknownTypeOnChannel0",
       {frame(0, 0, "")},
       kFrame,
       "FRAME_ERROR - type 0, all octets = <<>>: unknown_frame"},
      {"HeartbeatOnAChannel",
       {frame(8, 1, "")},
       kUnexpected,
       "UNEXPECTED_FRAME - type 8, all octets = <<>>"},
      {"HeartbeatWithPayload",
       {frame(8, 0, "abc")},
       kFrame,
       "FRAME_ERROR - type 8, all octets = <<\"abc\">>: unknown_frame"},
      {"MethodWithoutIds",
       {frame(1, 1, bytes("\0\x3C\0"))},
       kFrame,
       "FRAME_ERROR - type 1, all octets = <<0,60,0>>: unknown_frame"},
      {"HeaderWithoutItsFixedPart",
       {frame(2, 1, bytes("\0\x3C"))},
       kFrame,
       "FRAME_ERROR - type 2, all octets = <<0,60>>: unknown_frame"},
      {"HeaderOnChannel0",
       {content_header(0, 0)},
       kUnexpected,
       "UNEXPECTED_FRAME - type 2, all octets = <<0,60,0,0,0,0,0,0,0,0,0,0,0,0>>"},
      {"BodyOnChannel0",
       {body(0, "abc")},
       kUnexpected,
       "UNEXPECTED_FRAME - type 3, all octets = <<\"abc\">>"},
      {"HeaderOnUnopenedChannel",
       {content_header(7, 0)},
       kUnexpected,
       "UNEXPECTED_FRAME - expected method frame, got non method frame instead"},
      {"BodyOnUnopenedChannel",
       {body(7, "abc")},
       kUnexpected,
       "UNEXPECTED_FRAME - expected method frame, got non method frame instead"},
  };
}

std::vector<Mistake> content() {
  constexpr auto kUnexpected = ReplyCode::kUnexpectedFrame;
  const std::string no_header =
      "UNEXPECTED_FRAME - expected content header for class 60, got non content header frame "
      "instead";
  const std::string no_body =
      "UNEXPECTED_FRAME - expected content body, got non content body frame instead";
  return {
      {"HeaderWithoutPublish",
       {content_header(1, 0)},
       kUnexpected,
       "UNEXPECTED_FRAME - expected method frame, got non method frame instead"},
      {"BodyWithoutPublish",
       {body(1, "a")},
       kUnexpected,
       "UNEXPECTED_FRAME - expected method frame, got non method frame instead"},
      {"MethodInsteadOfHeader",
       {publish(1), method(1, TxSelect{})},
       kUnexpected,
       no_header,
       60,
       40},
      {"BodyInsteadOfHeader", {publish(1), body(1, "a")}, kUnexpected, no_header, 60, 40},
      {"CloseInsteadOfHeader", {publish(1), close_channel(1)}, kUnexpected, no_header, 60, 40},
      {"HeaderWithWeight",
       {publish(1), content_header(1, 0, 60, 1)},
       kUnexpected,
       no_header,
       60,
       40},
      {"HeaderOfAnotherClass",
       {publish(1), content_header(1, 0, 50)},
       kUnexpected,
       "UNEXPECTED_FRAME - expected content header for class 60, got one for class 50 instead",
       60,
       40},
      {"HeaderInsteadOfBody",
       {publish(1), content_header(1, 5), content_header(1, 5)},
       kUnexpected,
       no_body,
       60,
       40},
      {"MethodInsteadOfBody",
       {publish(1), content_header(1, 5), publish(1)},
       kUnexpected,
       no_body,
       60,
       40},
      {"BodyLongerThanAnnounced",
       {publish(1), content_header(1, 5), body(1, "sixsix")},
       ReplyCode::kFrameError,
       "FRAME_ERROR - content body frame exceeds remaining content size",
       60,
       40},
      {"BodyTooLargeToAnnounce",
       {publish(1), content_header(1, 536870913)},
       ReplyCode::kFrameError,
       "FRAME_ERROR - content body size 536870913 exceeds maximum allowed size 536870912",
       60,
       40},
  };
}

std::vector<Mistake> methods() {
  constexpr auto kInvalid = ReplyCode::kCommandInvalid;
  constexpr auto kFrame = ReplyCode::kFrameError;
  const std::string unimplemented = "COMMAND_INVALID - unimplemented method";
  return {
      {"UnknownClass", {raw_method(1, 99, 10, "")}, kInvalid, unimplemented, 99, 10},
      {"UnknownMethod", {raw_method(1, 60, 200, "")}, kInvalid, unimplemented, 60, 200},
      {"UnknownMethodOnChannel0", {raw_method(0, 10, 99, "")}, kInvalid, unimplemented, 10, 99},
      {"DeliverFromAClient", {method(1, BasicDeliver{})}, kInvalid, unimplemented, 60, 60},
      {"ReturnFromAClient", {method(1, BasicReturn{})}, kInvalid, unimplemented, 60, 50},
      {"DeclareOkFromAClient", {method(1, QueueDeclareOk{})}, kInvalid, unimplemented, 50, 11},
      {"FlowOkFromAClient", {method(1, ChannelFlowOk{})}, kInvalid, unimplemented, 20, 21},
      {"CancelOkFromAClient", {method(1, BasicCancelOk{})}, kInvalid, unimplemented, 60, 31},
      {"UnsolicitedChannelCloseOk", {method(1, ChannelCloseOk{})}, kInvalid, unimplemented, 20, 41},
      {"ConnectionMethodOnAChannel",
       {method(1, ConnectionOpen{})},
       kInvalid,
       unimplemented,
       10,
       40},
      {"TruncatedServerOnlyMethod",
       {raw_method(1, 60, 21, "")},
       kFrame,
       "FRAME_ERROR - cannot decode <<>>",
       60,
       21},
      {"TruncatedCloseOnAChannel",
       {raw_method(1, 20, 40, bytes("\0"))},
       kFrame,
       "FRAME_ERROR - cannot decode <<0>>",
       20,
       40},
      {"TruncatedOnUnopenedChannel",
       {raw_method(7, 50, 10, bytes("\0"))},
       kFrame,
       "FRAME_ERROR - cannot decode <<0>>",
       50,
       10},
      {"SurplusInChannelOpen",
       {raw_method(2, 20, 10, bytes("\0zz"))},
       kFrame,
       "FRAME_ERROR - cannot decode <<0,122,122>>",
       20,
       10},
      {"BadUtf8InChannelOpen",
       {raw_method(2, 20, 10, bytes("\1\xFF"))},
       kFrame,
       "FRAME_ERROR - Malformed UTF-8 in shortstr"},
      {"TruncatedConnectionClose",
       {raw_method(0, 10, 50, "")},
       kFrame,
       "FRAME_ERROR - cannot decode <<>>",
       10,
       50},
  };
}

std::vector<Mistake> states() {
  constexpr auto kChannel = ReplyCode::kChannelError;
  const std::string running = "CHANNEL_ERROR - unexpected method in connection state running";
  return {
      {"SecondChannelOpen",
       {open_channel(1)},
       kChannel,
       "CHANNEL_ERROR - second 'channel.open' seen",
       20,
       10},
      {"MethodOnUnopenedChannel",
       {method(9, TxSelect{})},
       kChannel,
       "CHANNEL_ERROR - expected 'channel.open'",
       90,
       10},
      {"CloseOfUnopenedChannel",
       {close_channel(9)},
       kChannel,
       "CHANNEL_ERROR - expected 'channel.open'",
       20,
       40},
      {"CloseOkOnUnopenedChannel",
       {method(9, ChannelCloseOk{})},
       kChannel,
       "CHANNEL_ERROR - expected 'channel.open'",
       20,
       41},
      {"ConnectionMethodOnUnopenedChannel",
       {method(9, ConnectionOpen{})},
       kChannel,
       "CHANNEL_ERROR - expected 'channel.open'",
       10,
       40},
      {"SecondOpen", {open_vhost()}, kChannel, running, 10, 40},
      {"StartOkWhenRunning", {start_ok()}, kChannel, running, 10, 11},
      {"SecureOkWhenRunning", {method(0, ConnectionSecureOk{})}, kChannel, running, 10, 21},
      {"TuneOkWhenRunning", {tune_ok(1, 5000, 0)}, kChannel, running, 10, 31},
      {"UnsolicitedCloseOk", {method(0, ConnectionCloseOk{})}, kChannel, running, 10, 51},
      {"BlockedFromAClient", {method(0, ConnectionBlocked{})}, kChannel, running, 10, 60},
      {"ChannelOpenOnChannel0", {open_channel(0)}, kChannel, running, 20, 10},
      {"PublishOnChannel0", {publish(0)}, kChannel, running, 60, 40},
  };
}

class ConnectionError : public ::testing::TestWithParam<Mistake> {};

TEST_P(ConnectionError, IsAnsweredAsRabbitMqDoes) {
  const Mistake& mistake = GetParam();
  Script script = Script::with_channel();
  for (std::size_t i = 0; i + 1 < mistake.frames.size(); ++i) {
    script.client(mistake.frames[i]).step(i == 0 ? Kind::kChannelMethod : Kind::kContentHeader);
  }
  script.client(mistake.frames.back())
      .fails_with(error_of(mistake.code, mistake.text, mistake.class_id, mistake.method_id))
      .server([](ConnectionFsm& fsm, Buffer&) {
        EXPECT_TRUE(fsm.closing());
        EXPECT_FALSE(fsm.running());
        EXPECT_FALSE(fsm.channel_open(ChannelId(1)));
      })
      .step(Kind::kNeedMore);
  script.play();
}

std::string name_of(const ::testing::TestParamInfo<Mistake>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Framing, ConnectionError, ::testing::ValuesIn(framing()), name_of);
INSTANTIATE_TEST_SUITE_P(Content, ConnectionError, ::testing::ValuesIn(content()), name_of);
INSTANTIATE_TEST_SUITE_P(Methods, ConnectionError, ::testing::ValuesIn(methods()), name_of);
INSTANTIATE_TEST_SUITE_P(States, ConnectionError, ::testing::ValuesIn(states()), name_of);

}  // namespace
}  // namespace leveret::protocol::test
