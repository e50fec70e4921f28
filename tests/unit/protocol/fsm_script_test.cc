#include "tests/unit/protocol/fsm_script.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/protocol/bytes.h"

// Whole conversations, and the same ones with something going wrong at each step.
namespace leveret::protocol::test {
namespace {

const AmqpError kForced =
    error_of(ReplyCode::kConnectionForced, "CONNECTION_FORCED - broker shutting down");
const AmqpError kNoQueue = error_of(ReplyCode::kNotFound, "NOT_FOUND - no queue", 50, 10);

struct Conversation {
  std::string name;
  Script script;
};

std::ostream& operator<<(std::ostream& out, const Conversation& c) {
  return out << c.name;
}

Script publishing() {
  Script script = Script::with_channel();
  for (int i = 0; i < 2; ++i) {
    script.client(publish(1)).step(Kind::kChannelMethod);
    script.client(content_header(1, 6)).step(Kind::kContentHeader);
    script.client(body(1, "abc")).step(Kind::kContentBody);
    script.client(body(1, "def")).step(Kind::kContentBody);
  }
  return script;
}

Script channel_life() {
  Script script = Script::with_channel();
  script.client(close_channel(1)).step(Kind::kChannelClosing);
  script.server(
      [](ConnectionFsm& fsm, Buffer& out) { fsm.channel_close_finished(ChannelId(1), out); });
  script.writes(method(1, ChannelCloseOk{}));
  script.client(open_channel(1)).step(Kind::kChannelOpened).writes(method(1, ChannelOpenOk{}));
  script.server(
      [](ConnectionFsm& fsm, Buffer& out) { fsm.fail_channel(ChannelId(1), kNoQueue, out); });
  script.writes(channel_close_written(1, kNoQueue));
  script.client(publish(1)).step(Kind::kContinue);
  script.client(method(1, ChannelCloseOk{})).step(Kind::kChannelClosed);
  return script;
}

Script orderly_end() {
  Script script = Script::with_channel();
  script.client(heartbeat()).step(Kind::kContinue);
  script.client(close_connection()).step(Kind::kConnectionClosing);
  script.server([](ConnectionFsm& fsm, Buffer& out) { fsm.connection_close_finished(out); });
  script.writes(method(0, ConnectionCloseOk{})).step(Kind::kClosed);
  return script;
}

Script forced_end() {
  Script script = Script::with_channel();
  script.server([](ConnectionFsm& fsm, Buffer& out) { fsm.fail_connection(kForced, out); });
  script.writes(close_written(kForced));
  script.client(publish(1)).step(Kind::kContinue);
  script.client(close_connection()).step(Kind::kContinue).writes(method(0, ConnectionCloseOk{}));
  script.client(method(0, ConnectionCloseOk{})).step(Kind::kClosed);
  return script;
}

Script refused_end() {
  Script script = Script::with_channel();
  script.client(publish(1)).step(Kind::kChannelMethod);
  script.client(publish(1)).step(Kind::kFailed).server([](ConnectionFsm&, Buffer& out) {
    out.clear();
  });
  script.client(method(0, ConnectionCloseOk{})).step(Kind::kClosed);
  return script;
}

std::vector<Conversation> conversations() {
  return {{"Publishing", publishing()},
          {"ChannelLife", channel_life()},
          {"OrderlyEnd", orderly_end()},
          {"ForcedEnd", forced_end()},
          {"RefusedEnd", refused_end()}};
}

// What a machine may still say once its connection failed.
bool harmless(Kind kind) {
  return kind == Kind::kContinue || kind == Kind::kClosed;
}

class FsmScript : public ::testing::TestWithParam<Conversation> {};

TEST_P(FsmScript, PlaysAsWritten) {
  GetParam().script.play();
}

TEST_P(FsmScript, ACutConnectionLeavesTheMachineWaitingOrClosed) {
  const Script& script = GetParam().script;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (!script.is_client(i)) continue;
    const std::string& sent = script.client_bytes(i);
    for (std::size_t kept = 0; kept < sent.size(); ++kept) {
      Script::Stage stage = script.stage(i);
      ASSERT_EQ(stage.unread, "");
      const std::string part = sent.substr(0, kept);
      std::string_view input = part;
      const Kind kind = stage.fsm->resume(&input, stage.out).kind;
      EXPECT_TRUE(kind == Kind::kNeedMore || kind == Kind::kClosed)
          << i << ' ' << kept << ' ' << kind_name(kind);
      EXPECT_EQ(stage.out.view(), "");
    }
  }
}

TEST_P(FsmScript, GarbageAtAnyStepEndsTheConnectionOnce) {
  const std::string garbage = bytes("\1\0\0\0\0\0\2xx\xCD");
  const Script& script = GetParam().script;
  for (std::size_t i = 0; i <= script.size(); ++i) {
    Script::Stage stage = script.stage(i);
    stage.unread += garbage;
    const std::vector<Kind> kinds = script.rest_after(stage, i);
    EXPECT_FALSE(std::count(kinds.begin(), kinds.end(), Kind::kFailed) > 1);
    const auto ended = std::find_if(kinds.begin(), kinds.end(), [](Kind kind) {
      return kind == Kind::kFailed || kind == Kind::kBadHeader;
    });
    if (ended != kinds.end()) {
      EXPECT_TRUE(std::all_of(ended + 1, kinds.end(), harmless)) << i;
      EXPECT_FALSE(stage.fsm->running()) << i;
    }
  }
}

TEST_P(FsmScript, AForcedCloseAtAnyStepIsTheLastWord) {
  const Script& script = GetParam().script;
  for (std::size_t i = 0; i <= script.size(); ++i) {
    Script::Stage stage = script.stage(i);
    const bool was_closing = stage.fsm->closing();
    const bool sent = stage.fsm->fail_connection(kForced, stage.out);
    EXPECT_EQ(sent, stage.fsm->closing()) << i;
    if (sent && !was_closing) {
      EXPECT_EQ(stage.out.view(), close_written(kForced)) << i;
    }
    if (!sent) {
      EXPECT_EQ(stage.out.view(), "") << i;
    }
    const std::vector<Kind> kinds = script.rest_after(stage, i);
    EXPECT_TRUE(std::all_of(kinds.begin(), kinds.end(), harmless)) << i;
    EXPECT_FALSE(stage.fsm->running()) << i;
  }
}

TEST_P(FsmScript, AnySplitOfTheInputGivesTheSameSteps) {
  const Script& script = GetParam().script;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (!script.is_client(i)) continue;
    const std::string& sent = script.client_bytes(i);
    Script::Stage whole = script.stage(i);
    std::string_view all = sent;
    const Kind expected = whole.fsm->resume(&all, whole.out).kind;
    for (std::size_t split = 1; split < sent.size(); ++split) {
      Script::Stage stage = script.stage(i);
      std::string_view input = std::string_view(sent).substr(0, split);
      stage.fsm->resume(&input, stage.out);
      input = std::string_view(sent).substr(split - input.size());
      EXPECT_EQ(kind_name(stage.fsm->resume(&input, stage.out).kind), kind_name(expected));
      EXPECT_EQ(stage.out.view(), whole.out.view());
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Conversation>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Conversations, FsmScript, ::testing::ValuesIn(conversations()), name_of);

}  // namespace
}  // namespace leveret::protocol::test
