#include <algorithm>
#include <string>

#include "protocol/connection_fsm.h"
#include "protocol/erlang_text.h"
#include "protocol/methods.h"

// What happens before a connection runs and after it stopped.
namespace leveret::protocol {

namespace {

using namespace std::string_view_literals;

// AMQP 0-9-1, and how the 0-9 of 2008 announced itself.
constexpr std::string_view kProtocolHeaders[] = {"AMQP\0\0\x09\x01"sv, "AMQP\x01\x01\x00\x09"sv};
constexpr std::size_t kProtocolHeaderBytes = 8;
// The parser's bound where "no limit" was offered and negotiated.
constexpr std::uint32_t kFrameMaxUnlimited = 0x7FFFFFFF;

// One of the numbers of tune-ok against what was offered. Empty if it will do.
struct Negotiated {
  std::string_view name;
  std::uint32_t lowest;
  std::uint32_t offered;
  std::uint32_t value;
};

std::string negotiation_failure(const Negotiated& n) {
  const bool too_low = n.value != 0 && n.value < n.lowest;
  const bool too_high = n.offered != 0 && (n.value == 0 || n.value > n.offered);
  if (!too_low && !too_high) return {};
  std::string text = "negotiated " + std::string(n.name) + " = " + std::to_string(n.value);
  if (n.value == 0 && n.name == "channel_max") text += " (no limit)";
  text += too_low ? " is lower than the minimum allowed value ("
                  : " is higher than the maximum allowed value (";
  return text + std::to_string(too_low ? n.lowest : n.offered) + ')';
}

template <class M>
bool is(const ConnectionStep& step) {
  return step.class_id == M::class_id && step.method_id == M::method_id;
}

}  // namespace

ConnectionFsm::ConnectionFsm(const ServerOffer& offer)
    : offer_(offer),
      channel_max_(offer.channel_max),
      heartbeat_s_(offer.heartbeat_s),
      frame_max_(offer.frame_max) {
  // As RabbitMQ: until tune-ok nobody may send a larger frame than every peer must take.
  parser_.set_frame_max(kFrameMin);
}

ConnectionStep::Kind ConnectionFsm::advance_rare(std::string_view* input, Buffer& out,
                                                 ConnectionStep* step) {
  switch (state_) {
    case State::kHeader:
      return protocol_header(input, out);
    case State::kAuthenticating:
    case State::kCheckingVhost:
    case State::kPeerClosing:
      wanted_bytes_ = 0;
      return Kind::kNeedMore;
    case State::kDraining:
      *input = {};
      return Kind::kNeedMore;
    case State::kClosed:
      *input = {};
      return Kind::kClosed;
    default:
      break;
  }
  Frame frame;
  const FrameParser::Result cut = parser_.next(*input, &frame, &step->error);
  if (cut.status != FrameParser::Status::kFrame) return no_frame(cut, input, out, step);
  input->remove_prefix(cut.consumed);
  if (state_ == State::kClosing) return frame_while_closing(frame, out);
  return handshake_frame(frame, out, step);
}

ConnectionStep::Kind ConnectionFsm::protocol_header(std::string_view* input, Buffer& out) {
  const std::string_view seen = input->substr(0, kProtocolHeaderBytes);
  const bool possible =
      std::any_of(std::begin(kProtocolHeaders), std::end(kProtocolHeaders),
                  [&](std::string_view header) { return header.substr(0, seen.size()) == seen; });
  if (!possible) {
    out.append(kProtocolHeaders[0]);
    *input = {};
    state_ = State::kClosed;
    return Kind::kBadHeader;
  }
  if (seen.size() < kProtocolHeaderBytes) {
    wanted_bytes_ = kProtocolHeaderBytes;
    return Kind::kNeedMore;
  }
  input->remove_prefix(kProtocolHeaderBytes);
  ConnectionStart start;
  start.version_major = 0;
  start.version_minor = 9;
  start.server_properties = FieldTable(offer_.server_properties);
  start.mechanisms = offer_.mechanisms;
  start.locales = "en_US";
  write_method(out, ChannelId(0), start);
  // Nobody needs these again, and there may be many idle connections.
  std::string().swap(offer_.server_properties);
  std::string().swap(offer_.mechanisms);
  state_ = State::kStarting;
  return Kind::kContinue;
}

ConnectionStep::Kind ConnectionFsm::handshake_frame(const Frame& frame, Buffer& out,
                                                    ConnectionStep* step) {
  const std::string snippet = frame_snippet(frame.type, frame.payload);
  if (frame.channel != ChannelId(0)) {
    return fail(make_error(ReplyCode::kUnexpectedFrame, snippet), out, step);
  }
  if (!well_formed(frame)) {
    return fail(make_error(ReplyCode::kFrameError, snippet + ": unknown_frame"), out, step);
  }
  step->channel = frame.channel;
  step->context = nullptr;
  switch (static_cast<FrameType>(frame.type)) {
    case FrameType::kHeartbeat:
      return Kind::kContinue;
    case FrameType::kMethod:
      break;
    default:
      return fail(make_error(ReplyCode::kUnexpectedFrame, snippet), out, step);
  }
  if (!read_method(frame, step)) return fail(out, step);
  return handshake_method(out, step);
}

ConnectionStep::Kind ConnectionFsm::handshake_method(Buffer& out, ConnectionStep* step) {
  if (state_ == State::kStarting && is<ConnectionStartOk>(*step)) return start_ok(step);
  if (state_ == State::kTuning && is<ConnectionTuneOk>(*step)) return tune_ok(out, step);
  if (state_ == State::kOpening && is<ConnectionOpen>(*step)) return open(step);
  return unexpected_method(out, step);
}

ConnectionStep::Kind ConnectionFsm::start_ok(ConnectionStep* step) {
  ConnectionStartOk method;
  decode(step->args, &method);
  client_properties_ = method.client_properties.bytes();
  sends_login_failure_ = client_capability("authentication_failure_close");
  step->mechanism = method.mechanism;
  step->response = method.response;
  state_ = State::kAuthenticating;
  return Kind::kAuthenticate;
}

void ConnectionFsm::login_accepted(Buffer& out) {
  if (state_ != State::kAuthenticating) return;
  ConnectionTune tune;
  tune.channel_max = offer_.channel_max;
  tune.frame_max = offer_.frame_max;
  tune.heartbeat = offer_.heartbeat_s;
  write_method(out, ChannelId(0), tune);
  state_ = State::kTuning;
}

ConnectionStep::Kind ConnectionFsm::tune_ok(Buffer& out, ConnectionStep* step) {
  ConnectionTuneOk method;
  decode(step->args, &method);
  std::string failure =
      negotiation_failure({"channel_max", 1, offer_.channel_max, method.channel_max});
  if (failure.empty()) {
    failure = negotiation_failure({"frame_max", kFrameMin, offer_.frame_max, method.frame_max});
  }
  if (!failure.empty()) {
    return fail(make_error(ReplyCode::kNotAllowed, failure, ConnectionTune::class_id,
                           ConnectionTune::method_id),
                out, step);
  }
  channel_max_ = method.channel_max;
  frame_max_ = method.frame_max;
  heartbeat_s_ = method.heartbeat;
  parser_.set_frame_max(frame_max_ == 0 ? kFrameMaxUnlimited : frame_max_);
  state_ = State::kOpening;
  return Kind::kContinue;
}

ConnectionStep::Kind ConnectionFsm::open(ConnectionStep* step) {
  ConnectionOpen method;
  decode(step->args, &method);
  step->vhost = method.virtual_host;
  state_ = State::kCheckingVhost;
  return Kind::kOpen;
}

void ConnectionFsm::vhost_accepted(Buffer& out) {
  if (state_ != State::kCheckingVhost) return;
  write_method(out, ChannelId(0), ConnectionOpenOk{});
  state_ = State::kRunning;
}

void ConnectionFsm::secret_updated(Buffer& out) {
  if (running()) write_method(out, ChannelId(0), ConnectionUpdateSecretOk{});
}

void ConnectionFsm::connection_close_finished(Buffer& out) {
  if (state_ != State::kPeerClosing) return;
  write_method(out, ChannelId(0), ConnectionCloseOk{});
  state_ = State::kClosed;
}

ConnectionStep::Kind ConnectionFsm::frame_while_closing(const Frame& frame, Buffer& out) {
  const bool method = frame.type == static_cast<std::uint8_t>(FrameType::kMethod);
  if (frame.channel != ChannelId(0) || !method || frame.payload.size() < kMethodIdBytes ||
      load_u16(frame.payload.data()) != ConnectionClose::class_id) {
    return Kind::kContinue;
  }
  switch (load_u16(frame.payload.data() + 2)) {
    case ConnectionCloseOk::method_id:
      state_ = State::kClosed;
      return Kind::kClosed;
    case ConnectionClose::method_id:
      // The two closes crossed; the peer's answer to ours is still to come.
      write_method(out, ChannelId(0), ConnectionCloseOk{});
      return Kind::kContinue;
    default:
      return Kind::kContinue;
  }
}

bool ConnectionFsm::client_capability(std::string_view name) const {
  const auto capabilities = client_properties().find("capabilities");
  const auto table = capabilities ? capabilities->table() : std::nullopt;
  const auto value = table ? table->find(name) : std::nullopt;
  return value && value->boolean().value_or(false);
}

std::string_view ConnectionFsm::state_name() const {
  switch (state_) {
    case State::kStarting:
      return "starting";
    case State::kAuthenticating:
      return "securing";
    case State::kTuning:
      return "tuning";
    case State::kOpening:
    case State::kCheckingVhost:
      return "opening";
    case State::kRunning:
      return "running";
    default:
      return "closing";
  }
}

}  // namespace leveret::protocol
