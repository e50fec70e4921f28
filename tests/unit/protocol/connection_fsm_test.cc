#include "protocol/connection_fsm.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/unit/protocol/bytes.h"
#include "tests/unit/protocol/fsm_script.h"

namespace leveret::protocol::test {
namespace {

const AmqpError kRefused = error_of(ReplyCode::kAccessRefused, "ACCESS_REFUSED - no");
const AmqpError kNoQueue =
    error_of(ReplyCode::kNotFound, "NOT_FOUND - no queue 'q' in vhost '/'", 50, 10);

void accept_login(ConnectionFsm& fsm, Buffer& out) {
  fsm.login_accepted(out);
}

std::string tune_written(const ServerOffer& offer = {}) {
  ConnectionTune tune;
  tune.channel_max = offer.channel_max;
  tune.frame_max = offer.frame_max;
  tune.heartbeat = offer.heartbeat_s;
  return method(0, tune);
}

Script tuning(const ServerOffer& offer = {}) {
  Script script = Script::starting(offer);
  script.client(start_ok()).step(Kind::kAuthenticate).server(accept_login);
  return script.writes(tune_written(offer));
}

Script opening() {
  return tuning().client(tune_ok(2047, 131072, 0)).step(Kind::kContinue);
}

TEST(ConnectionFsm, HandshakeLeadsToARunningConnection) {
  Script script = Script::running();
  script.server([](ConnectionFsm& fsm, Buffer&) {
    EXPECT_TRUE(fsm.running());
    EXPECT_EQ(fsm.heartbeat_s(), 10);
    EXPECT_EQ(fsm.client_properties().find("product")->string(), "test");
    EXPECT_TRUE(fsm.client_capability("authentication_failure_close"));
    EXPECT_FALSE(fsm.client_capability("connection.blocked"));
  });
  script.play();
}

TEST(ConnectionFsm, TheHeaderOf2008IsTakenToo) {
  Buffer out;
  ConnectionFsm fsm{ServerOffer{}};
  const std::string header = bytes("AMQP\x01\x01\x00\x09");
  std::string_view input = header;
  EXPECT_EQ(fsm.resume(&input, out).kind, Kind::kContinue);
  EXPECT_TRUE(input.empty());
}

TEST(ConnectionFsm, AnyOtherHeaderIsAnsweredWithTheRightOneAsSoonAsItIsWrong) {
  for (const std::string& header :
       {bytes("G"), bytes("GET / HTTP/1.1"), bytes("AMQP\0\0\x09\2"), bytes("AMQP\0\0\x08"),
        bytes("AMQP\3"), bytes("AMQP\1\1\x09"), bytes("\x16\3\1"), bytes("AMQX")}) {
    Buffer out;
    ConnectionFsm fsm{ServerOffer{}};
    std::string_view input = header;
    EXPECT_EQ(fsm.resume(&input, out).kind, Kind::kBadHeader) << ::testing::PrintToString(header);
    EXPECT_EQ(out.view(), kHeader091);
    EXPECT_FALSE(fsm.closing());
    EXPECT_EQ(fsm.resume(&input, out).kind, Kind::kClosed);
  }
}

TEST(ConnectionFsm, ABeginningOfAHeaderWaitsForTheRest) {
  for (std::size_t size = 0; size < kHeader091.size(); ++size) {
    Buffer out;
    ConnectionFsm fsm{ServerOffer{}};
    const std::string part = kHeader091.substr(0, size);
    std::string_view input = part;
    EXPECT_EQ(fsm.resume(&input, out).kind, Kind::kNeedMore);
    EXPECT_EQ(input.size(), size);
    EXPECT_EQ(fsm.wanted_bytes(), kHeader091.size());
    EXPECT_TRUE(out.empty());
  }
}

TEST(ConnectionFsm, WhatFollowsAnUnansweredStepIsLeftInTheInput) {
  Script script = Script::starting();
  script.client(start_ok() + tune_ok(10, 4096, 0) + open_vhost() + open_channel(1));
  script.step(Kind::kAuthenticate).step(Kind::kNeedMore).server(accept_login);
  script.writes(tune_written());
  script.step(Kind::kContinue).step(Kind::kOpen).step(Kind::kNeedMore);
  script.server([](ConnectionFsm& fsm, Buffer& out) { fsm.vhost_accepted(out); });
  script.writes(method(0, ConnectionOpenOk{}));
  script.step(Kind::kChannelOpened).writes(method(1, ChannelOpenOk{})).step(Kind::kNeedMore);
  script.play();
}

struct Tuning {
  std::uint16_t channel_max;
  std::uint32_t frame_max;
  std::string complaint;
};

TEST(ConnectionFsm, TuneOkOutsideTheOfferIsRefused) {
  const Tuning kBad[] = {
      {2047, 4095, "frame_max = 4095 is lower than the minimum allowed value (4096)"},
      {2047, 131073, "frame_max = 131073 is higher than the maximum allowed value (131072)"},
      {2047, 0, "frame_max = 0 is higher than the maximum allowed value (131072)"},
      {0, 131072, "channel_max = 0 (no limit) is higher than the maximum allowed value (2047)"},
      {2048, 131072, "channel_max = 2048 is higher than the maximum allowed value (2047)"}};
  for (const Tuning& bad : kBad) {
    Script script = tuning();
    script.client(tune_ok(bad.channel_max, bad.frame_max, 0));
    script.fails_with(
        error_of(ReplyCode::kNotAllowed, "NOT_ALLOWED - negotiated " + bad.complaint, 10, 30));
    script.play();
  }
}

TEST(ConnectionFsm, TuneOkInsideTheOfferHolds) {
  Script script = tuning();
  script.client(tune_ok(1, 4096, 7)).step(Kind::kContinue);
  script.server([](ConnectionFsm& fsm, Buffer&) {
    EXPECT_EQ(fsm.channel_max(), 1);
    EXPECT_EQ(fsm.frame_max(), 4096u);
    EXPECT_EQ(fsm.heartbeat_s(), 7);
  });
  script.play();
}

TEST(ConnectionFsm, AnOfferWithoutLimitsLeavesTheClientFree) {
  ServerOffer offer;
  offer.channel_max = 0;
  offer.frame_max = 0;
  Script script = Script::running(offer);
  script.client(open_channel(65535)).step(Kind::kChannelOpened);
  script.writes(method(65535, ChannelOpenOk{}));
  script.client(publish(65535)).step(Kind::kChannelMethod);
  script.client(content_header(65535, 300000)).step(Kind::kContentHeader);
  script.client(body(65535, std::string(300000, 'x'))).step(Kind::kContentBody);
  script.play();
}

TEST(ConnectionFsm, BeforeTuningFramesAreNoLargerThanEveryPeerMustTake) {
  Script script = Script::starting();
  script.client(bytes("\1\0\0\0\0\x10\1"));
  script.fails_with(
      error_of(ReplyCode::kFrameError,
               "FRAME_ERROR - type 1, all octets = <<>>: {frame_too_large,4097,4088}"));
  script.play();
}

TEST(ConnectionFsm, HandshakeMethodsOutOfOrderAreChannelErrors) {
  const auto unexpected = [](const std::string& state, std::uint16_t method_id) {
    return error_of(ReplyCode::kChannelError,
                    "CHANNEL_ERROR - unexpected method in connection state " + state, 10,
                    method_id);
  };
  Script::starting().client(open_vhost()).fails_with(unexpected("starting", 40)).play();
  Script::starting()
      .client(method(0, ConnectionSecureOk{}))
      .fails_with(unexpected("starting", 21))
      .play();
  tuning().client(start_ok()).fails_with(unexpected("tuning", 11)).play();
  opening().client(tune_ok(1, 4096, 0)).fails_with(unexpected("opening", 31)).play();
  opening().client(close_connection()).fails_with(unexpected("opening", 50)).play();
}

TEST(ConnectionFsm, ChannelsBeforeOpenAreUnexpectedFrames) {
  opening()
      .client(open_channel(1))
      .fails_with(error_of(ReplyCode::kUnexpectedFrame,
                           "UNEXPECTED_FRAME - type 1, all octets = <<0,20,0,10,0>>"))
      .play();
}

TEST(ConnectionFsm, HeartbeatsAreFineAtAnyTime) {
  Script::starting().client(heartbeat()).step(Kind::kContinue).play();
  opening().client(heartbeat()).step(Kind::kContinue).play();
  Script script = Script::with_channel();
  script.client(publish(1) + heartbeat() + content_header(1, 0));
  script.step(Kind::kChannelMethod).step(Kind::kContinue).step(Kind::kContentHeader).play();
}

TEST(ConnectionFsm, ALoginFailureIsToldOnlyToClientsThatKnowIt) {
  for (const bool knows : {true, false}) {
    Script script = Script::starting();
    script.client(start_ok(knows)).step(Kind::kAuthenticate);
    script.server([knows](ConnectionFsm& fsm, Buffer& out) {
      EXPECT_EQ(fsm.fail_connection(kRefused, out), knows);
      EXPECT_EQ(fsm.closing(), knows);
    });
    script.writes(knows ? close_written(kRefused) : "");
    script.step(knows ? Kind::kNeedMore : Kind::kClosed).play();
  }
}

TEST(ConnectionFsm, BeforeTheHeaderThereIsNothingToClose) {
  ConnectionFsm fsm{ServerOffer{}};
  Buffer out;
  EXPECT_FALSE(fsm.fail_connection(kRefused, out));
  EXPECT_TRUE(out.empty());
  EXPECT_FALSE(fsm.closing());
}

TEST(ConnectionFsm, ARefusedVhostIsTold) {
  const AmqpError error =
      error_of(ReplyCode::kNotAllowed, "NOT_ALLOWED - vhost / not found", 10, 40);
  Script script = opening();
  script.client(open_vhost()).step(Kind::kOpen);
  script.server(
      [&](ConnectionFsm& fsm, Buffer& out) { EXPECT_TRUE(fsm.fail_connection(error, out)); });
  script.writes(close_written(error));
  script.client(method(0, ConnectionCloseOk{})).step(Kind::kClosed).play();
}

TEST(ConnectionFsm, AMessageComesAsMethodHeaderAndPieces) {
  int context = 0;
  Script script = Script::with_channel();
  script.server([&](ConnectionFsm& fsm, Buffer&) { fsm.set_context(ChannelId(1), &context); });
  script.client(publish(1) + content_header(1, 5) + body(1, "he") + body(1, "") + body(1, "llo"));
  script.step(Kind::kChannelMethod, [&](const ConnectionStep& step) {
    BasicPublish m;
    EXPECT_EQ(step.class_id, 60);
    EXPECT_EQ(step.method_id, 40);
    EXPECT_EQ(decode(step.args, &m), WireError::kNone);
    EXPECT_EQ(m.routing_key, "a.b");
    EXPECT_EQ(step.context, &context);
    EXPECT_EQ(step.channel, ChannelId(1));
  });
  script.step(Kind::kContentHeader, [](const ConnectionStep& step) {
    EXPECT_EQ(step.header.body_size, 5u);
    EXPECT_FALSE(step.content_complete);
  });
  const auto piece = [&](std::string text, bool last) {
    script.step(Kind::kContentBody, [text, last](const ConnectionStep& step) {
      EXPECT_EQ(step.body, text);
      EXPECT_EQ(step.content_complete, last);
    });
  };
  piece("he", false);
  piece("", false);
  piece("llo", true);
  script.step(Kind::kNeedMore).play();
}

TEST(ConnectionFsm, AnEmptyMessageIsCompleteWithItsHeader) {
  Script script = Script::with_channel();
  script.client(publish(1) + content_header(1, 0));
  script.step(Kind::kChannelMethod);
  script.step(Kind::kContentHeader,
              [](const ConnectionStep& step) { EXPECT_TRUE(step.content_complete); });
  script.play();
}

TEST(ConnectionFsm, ContentOfSeveralChannelsMayInterleave) {
  Script script = Script::with_channel();
  script.client(open_channel(2)).step(Kind::kChannelOpened).writes(method(2, ChannelOpenOk{}));
  script.client(publish(1) + publish(2) + content_header(2, 1) + content_header(1, 1) +
                body(1, "a") + body(2, "b"));
  const auto on = [&](Kind kind, std::uint16_t channel) {
    script.step(kind, [channel](const ConnectionStep& step) {
      EXPECT_EQ(step.channel, ChannelId(channel));
    });
  };
  on(Kind::kChannelMethod, 1);
  on(Kind::kChannelMethod, 2);
  on(Kind::kContentHeader, 2);
  on(Kind::kContentHeader, 1);
  on(Kind::kContentBody, 1);
  on(Kind::kContentBody, 2);
  script.play();
}

TEST(ConnectionFsm, OneStepServesForManyFrames) {
  Script script = Script::with_channel();
  Script::Stage stage = script.stage(script.size());
  const std::string sent = publish(1) + content_header(1, 1) + body(1, "a") + publish(1) +
                           content_header(1, 2) + body(1, "bc");
  std::string_view input = sent;
  ConnectionStep step;
  std::string bodies;
  while (stage.fsm->resume(&input, stage.out, &step) != Kind::kNeedMore) {
    if (step.kind == Kind::kContentHeader) {
      EXPECT_FALSE(step.content_complete);
    }
    if (step.kind != Kind::kContentBody) continue;
    EXPECT_TRUE(step.content_complete);
    bodies += step.body;
  }
  EXPECT_EQ(bodies, "abc");
}

TEST(ConnectionFsm, OnlyTheNumberOfChannelsIsLimited) {
  ServerOffer offer;
  offer.channel_max = 2;
  Script script = Script::running(offer);
  script.client(open_channel(65535)).step(Kind::kChannelOpened);
  script.writes(method(65535, ChannelOpenOk{}));
  script.client(open_channel(7)).step(Kind::kChannelOpened).writes(method(7, ChannelOpenOk{}));
  script.server([](ConnectionFsm& fsm, Buffer&) { EXPECT_EQ(fsm.channel_count(), 2u); });
  script.client(open_channel(1));
  script.fails_with(error_of(ReplyCode::kNotAllowed,
                             "NOT_ALLOWED - number of channels opened (2) has reached the "
                             "negotiated channel_max (2)"));
  script.play();
}

TEST(ConnectionFsm, APeersChannelCloseWaitsForTheServersCleanUp) {
  Script script = Script::with_channel();
  script.client(close_channel(1) + open_channel(1));
  script.step(Kind::kChannelClosing).step(Kind::kNeedMore);
  script.server([](ConnectionFsm& fsm, Buffer& out) {
    EXPECT_FALSE(fsm.channel_open(ChannelId(1)));
    fsm.fail_channel(ChannelId(1), kNoQueue, out);
    EXPECT_TRUE(out.empty());
    fsm.channel_close_finished(ChannelId(1), out);
    EXPECT_EQ(fsm.channel_count(), 0u);
  });
  script.writes(method(1, ChannelCloseOk{}));
  script.step(Kind::kChannelOpened).writes(method(1, ChannelOpenOk{})).play();
}

Script failed_channel() {
  Script script = Script::with_channel();
  script.server([](ConnectionFsm& fsm, Buffer& out) {
    fsm.fail_channel(ChannelId(1), kNoQueue, out);
    fsm.fail_channel(ChannelId(1), kNoQueue, out);
    EXPECT_FALSE(fsm.channel_open(ChannelId(1)));
  });
  return script.writes(channel_close_written(1, kNoQueue));
}

TEST(ConnectionFsm, AfterItsCloseAChannelIgnoresEverythingUntilCloseOk) {
  Script script = failed_channel();
  for (const std::string& ignored :
       {publish(1), content_header(1, 5), body(1, "hello"), method(1, TxSelect{}),
        method(1, BasicDeliver{}), raw_method(1, 99, 1, ""), raw_method(1, 60, 40, "")}) {
    script.client(ignored).step(Kind::kContinue);
  }
  script.client(method(1, ChannelCloseOk{})).step(Kind::kChannelClosed);
  script.client(open_channel(1)).step(Kind::kChannelOpened).writes(method(1, ChannelOpenOk{}));
  script.client(method(1, TxSelect{})).step(Kind::kChannelMethod).play();
}

TEST(ConnectionFsm, AnUnfinishedMessageIsForgottenWithItsChannel) {
  Script script = Script::with_channel();
  script.client(publish(1)).step(Kind::kChannelMethod);
  script.server(
      [](ConnectionFsm& fsm, Buffer& out) { fsm.fail_channel(ChannelId(1), kNoQueue, out); });
  script.writes(channel_close_written(1, kNoQueue));
  script.client(content_header(1, 9) + method(1, ChannelCloseOk{}) + open_channel(1) + publish(1));
  script.step(Kind::kContinue).step(Kind::kChannelClosed).step(Kind::kChannelOpened);
  script.writes(method(1, ChannelOpenOk{})).step(Kind::kChannelMethod).play();
}

TEST(ConnectionFsm, CrossingChannelClosesAreBothAnswered) {
  Script script = failed_channel();
  script.client(close_channel(1)).step(Kind::kContinue).writes(method(1, ChannelCloseOk{}));
  script.client(method(1, TxSelect{})).step(Kind::kContinue);
  script.client(method(1, ChannelCloseOk{})).step(Kind::kChannelClosed).play();
}

TEST(ConnectionFsm, OpeningAChannelThatIsClosingIsAnError) {
  Script script = failed_channel();
  script.client(open_channel(1));
  script.fails_with(
      error_of(ReplyCode::kChannelError, "CHANNEL_ERROR - second 'channel.open' seen", 20, 10));
  script.play();
}

TEST(ConnectionFsm, APeersCloseWaitsForTheServersCleanUp) {
  Script script = Script::with_channel();
  script.client(publish(1) + close_connection() + heartbeat());
  script.step(Kind::kChannelMethod).step(Kind::kConnectionClosing).step(Kind::kNeedMore);
  script.server([](ConnectionFsm& fsm, Buffer& out) {
    EXPECT_FALSE(fsm.fail_connection(kRefused, out));
    fsm.connection_close_finished(out);
    fsm.connection_close_finished(out);
  });
  script.writes(method(0, ConnectionCloseOk{})).step(Kind::kClosed).play();
}

TEST(ConnectionFsm, AfterItsCloseAConnectionIgnoresEverythingUntilCloseOk) {
  Script script = Script::with_channel();
  script.server([](ConnectionFsm& fsm, Buffer& out) {
    EXPECT_TRUE(fsm.fail_connection(kNoQueue, out));
    EXPECT_TRUE(fsm.fail_connection(kRefused, out));
    fsm.fail_channel(ChannelId(1), kNoQueue, out);
    EXPECT_TRUE(fsm.closing());
  });
  script.writes(close_written(kNoQueue));
  for (const std::string& ignored : {publish(1), open_channel(5), body(9, "x"), frame(7, 3, "x"),
                                     method(0, ConnectionSecureOk{}), frame(1, 0, "")}) {
    script.client(ignored).step(Kind::kContinue);
  }
  script.client(close_connection()).step(Kind::kContinue).writes(method(0, ConnectionCloseOk{}));
  script.client(method(0, ConnectionCloseOk{})).step(Kind::kClosed);
  script.client(publish(1)).step(Kind::kClosed).play();
}

TEST(ConnectionFsm, GarbageWhileClosingIsSwallowed) {
  Script script = Script::running();
  script.server([](ConnectionFsm& fsm, Buffer& out) { fsm.fail_connection(kNoQueue, out); });
  script.writes(close_written(kNoQueue));
  script.client(std::string(100, '\xFF')).step(Kind::kNeedMore);
  script.client(method(0, ConnectionCloseOk{})).step(Kind::kNeedMore);
  script.server([](ConnectionFsm& fsm, Buffer&) { EXPECT_TRUE(fsm.closing()); });
  script.play();
}

TEST(ConnectionFsm, ANewSecretIsHandedOverAndAnswered) {
  ConnectionUpdateSecret update;
  update.new_secret = "token";
  update.reason = "expiring";
  Script script = Script::running();
  script.client(method(0, update));
  script.step(Kind::kUpdateSecret,
              [](const ConnectionStep& step) { EXPECT_EQ(step.response, "token"); });
  script.server([](ConnectionFsm& fsm, Buffer& out) { fsm.secret_updated(out); });
  script.writes(method(0, ConnectionUpdateSecretOk{})).play();
}

}  // namespace
}  // namespace leveret::protocol::test
