#include "tests/unit/protocol/fsm_script.h"

#include <gtest/gtest.h>
#include <utility>

#include "tests/unit/protocol/bytes.h"

namespace leveret::protocol::test {

const std::string kHeader091 = bytes("AMQP\0\0\x09\x01");

Script& Script::client(std::string sent) {
  entries_.push_back({What::kClient, std::move(sent), {}, {}, {}});
  return *this;
}

Script& Script::step(Kind kind, Check check) {
  entries_.push_back({What::kStep, {}, kind, std::move(check), {}});
  return *this;
}

Script& Script::fails_with(AmqpError error) {
  const std::string written = close_written(error);
  step(Kind::kFailed, [error = std::move(error)](const ConnectionStep& step) {
    EXPECT_EQ(step.error.code, error.code);
    EXPECT_EQ(step.error.text, error.text);
    EXPECT_EQ(step.error.class_id, error.class_id);
    EXPECT_EQ(step.error.method_id, error.method_id);
    EXPECT_EQ(step.error.scope, ErrorScope::kConnection);
  });
  return writes(written);
}

Script& Script::server(Act act) {
  entries_.push_back({What::kServer, {}, {}, {}, std::move(act)});
  return *this;
}

Script& Script::writes(std::string written) {
  entries_.push_back({What::kWrites, std::move(written), {}, {}, {}});
  return *this;
}

Script Script::starting(const ServerOffer& offer) {
  ConnectionStart start;
  start.version_minor = 9;
  start.server_properties = FieldTable(offer.server_properties);
  start.mechanisms = offer.mechanisms;
  start.locales = "en_US";
  Script script;
  script.offer_ = offer;
  script.client(kHeader091).step(Kind::kContinue).writes(method(0, start));
  return script;
}

Script Script::running(const ServerOffer& offer) {
  ConnectionTune tune;
  tune.channel_max = offer.channel_max;
  tune.frame_max = offer.frame_max;
  tune.heartbeat = offer.heartbeat_s;
  Script script = starting(offer);
  script.client(start_ok())
      .step(Kind::kAuthenticate,
            [](const ConnectionStep& step) {
              EXPECT_EQ(step.mechanism, "PLAIN");
              EXPECT_EQ(step.response, bytes("\0guest\0secret"));
            })
      .server([](ConnectionFsm& fsm, Buffer& out) { fsm.login_accepted(out); })
      .writes(method(0, tune))
      .client(tune_ok(offer.channel_max, offer.frame_max, 10))
      .step(Kind::kContinue)
      .client(open_vhost())
      .step(Kind::kOpen, [](const ConnectionStep& step) { EXPECT_EQ(step.vhost, "/"); })
      .server([](ConnectionFsm& fsm, Buffer& out) { fsm.vhost_accepted(out); })
      .writes(method(0, ConnectionOpenOk{}));
  return script;
}

Script Script::with_channel() {
  Script script = running();
  script.client(open_channel(1)).step(Kind::kChannelOpened).writes(method(1, ChannelOpenOk{}));
  return script;
}

void Script::play() const {
  ConnectionFsm fsm(offer_);
  Buffer out;
  std::string unread;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    SCOPED_TRACE("script entry " + std::to_string(i));
    const Entry& entry = entries_[i];
    switch (entry.what) {
      case What::kClient:
        unread += entry.bytes;
        break;
      case What::kServer:
        entry.act(fsm, out);
        break;
      case What::kWrites:
        EXPECT_EQ(out.view(), entry.bytes);
        out.clear();
        break;
      case What::kStep: {
        std::string_view input = unread;
        const ConnectionStep step = fsm.resume(&input, out);
        EXPECT_EQ(kind_name(step.kind), kind_name(entry.kind));
        if (entry.check) entry.check(step);
        unread.erase(0, unread.size() - input.size());
        break;
      }
    }
  }
  EXPECT_EQ(out.view(), "");
}

Script::Stage Script::stage(std::size_t steps) const {
  Stage stage{std::make_unique<ConnectionFsm>(offer_), {}, {}};
  for (std::size_t i = 0; i < steps; ++i) {
    const Entry& entry = entries_[i];
    if (entry.what == What::kClient) stage.unread += entry.bytes;
    if (entry.what == What::kServer) entry.act(*stage.fsm, stage.out);
    if (entry.what == What::kStep) {
      std::string_view input = stage.unread;
      stage.fsm->resume(&input, stage.out);
      stage.unread.erase(0, stage.unread.size() - input.size());
    }
  }
  stage.out.clear();
  return stage;
}

std::vector<Kind> Script::rest_after(Stage& stage, std::size_t from) const {
  for (std::size_t i = from; i < entries_.size(); ++i) {
    if (entries_[i].what == What::kClient) stage.unread += entries_[i].bytes;
  }
  std::vector<Kind> kinds;
  std::string_view input = stage.unread;
  for (;;) {
    const std::size_t before = input.size();
    const Kind kind = stage.fsm->resume(&input, stage.out).kind;
    if (kind == Kind::kNeedMore || (kind == Kind::kClosed && before == 0)) return kinds;
    kinds.push_back(kind);
    if (kind == Kind::kClosed) return kinds;
  }
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNeedMore:
      return "need more";
    case Kind::kContinue:
      return "continue";
    case Kind::kAuthenticate:
      return "authenticate";
    case Kind::kOpen:
      return "open";
    case Kind::kUpdateSecret:
      return "update secret";
    case Kind::kChannelOpened:
      return "channel opened";
    case Kind::kChannelMethod:
      return "channel method";
    case Kind::kContentHeader:
      return "content header";
    case Kind::kContentBody:
      return "content body";
    case Kind::kChannelClosing:
      return "channel closing";
    case Kind::kChannelClosed:
      return "channel closed";
    case Kind::kConnectionClosing:
      return "connection closing";
    case Kind::kFailed:
      return "failed";
    case Kind::kBadHeader:
      return "bad header";
    case Kind::kClosed:
      return "closed";
  }
  return "?";
}

std::string start_ok(bool knows_login_failure) {
  FieldTableBuilder capabilities;
  capabilities.boolean("authentication_failure_close", knows_login_failure);
  FieldTableBuilder properties;
  properties.string("product", "test").table("capabilities", capabilities.bytes());
  const std::string response = bytes("\0guest\0secret");
  ConnectionStartOk m;
  m.client_properties = FieldTable(properties.bytes());
  m.mechanism = "PLAIN";
  m.response = response;
  m.locale = "en_US";
  return method(0, m);
}

std::string tune_ok(std::uint16_t channel_max, std::uint32_t frame_max, std::uint16_t heartbeat_s) {
  ConnectionTuneOk m;
  m.channel_max = channel_max;
  m.frame_max = frame_max;
  m.heartbeat = heartbeat_s;
  return method(0, m);
}

std::string open_vhost() {
  ConnectionOpen m;
  m.virtual_host = "/";
  return method(0, m);
}

std::string open_channel(std::uint16_t channel) {
  return method(channel, ChannelOpen{});
}

std::string close_channel(std::uint16_t channel) {
  return method(channel, ChannelClose{});
}

std::string publish(std::uint16_t channel) {
  BasicPublish m;
  m.exchange = "amq.topic";
  m.routing_key = "a.b";
  return method(channel, m);
}

std::string close_connection() {
  return method(0, ConnectionClose{});
}

std::string close_written(const AmqpError& error) {
  ConnectionClose m;
  m.reply_code = static_cast<std::uint16_t>(error.code);
  m.reply_text = error.text;
  m.cause_class_id = error.class_id;
  m.cause_method_id = error.method_id;
  return method(0, m);
}

std::string channel_close_written(std::uint16_t channel, const AmqpError& error) {
  ChannelClose m;
  m.reply_code = static_cast<std::uint16_t>(error.code);
  m.reply_text = error.text;
  m.cause_class_id = error.class_id;
  m.cause_method_id = error.method_id;
  return method(channel, m);
}

AmqpError error_of(ReplyCode code, std::string text, std::uint16_t class_id,
                   std::uint16_t method_id) {
  return AmqpError{ErrorScope::kConnection, code, std::move(text), class_id, method_id};
}

}  // namespace leveret::protocol::test
