#include "protocol/connection_fsm.h"

#include <utility>

#include "protocol/erlang_text.h"
#include "protocol/methods.h"

namespace leveret::protocol {

namespace {

template <class M>
bool is(const ConnectionStep& step) {
  return step.class_id == M::class_id && step.method_id == M::method_id;
}

bool has_type(const Frame& frame, FrameType type) {
  return frame.type == static_cast<std::uint8_t>(type);
}

}  // namespace

ConnectionStep::Kind ConnectionFsm::no_frame(const FrameParser::Result& cut,
                                             std::string_view* input, Buffer& out,
                                             ConnectionStep* step) {
  if (cut.status == FrameParser::Status::kNeedMore) {
    wanted_bytes_ = cut.wanted;
    return Kind::kNeedMore;
  }
  // Where the next frame begins is unknown from here on.
  *input = {};
  if (state_ == State::kClosing) {
    state_ = State::kDraining;
    return Kind::kNeedMore;
  }
  fail(out, step);
  state_ = State::kDraining;
  return Kind::kFailed;
}

ConnectionStep::Kind ConnectionFsm::rare_frame(const Frame& frame, ChannelFsm* channel,
                                               std::size_t frame_bytes, std::string_view* input,
                                               Buffer& out, ConnectionStep* step) {
  if (channel != nullptr && channel->state() == ChannelFsm::State::kPeerClosing) {
    wanted_bytes_ = 0;
    return Kind::kNeedMore;
  }
  input->remove_prefix(frame_bytes);
  step->channel = frame.channel;
  step->context = channel == nullptr ? nullptr : channel->context();
  if (!well_formed(frame)) {
    return fail(make_error(ReplyCode::kFrameError,
                           frame_snippet(frame.type, frame.payload) + ": unknown_frame"),
                out, step);
  }
  if (frame.channel == ChannelId(0)) return control_frame(frame, out, step);
  if (has_type(frame, FrameType::kHeartbeat)) {
    return fail(make_error(ReplyCode::kUnexpectedFrame, frame_snippet(frame.type, frame.payload)),
                out, step);
  }
  if (channel == nullptr) return unopened_channel(frame, out, step);
  if (!channel->open()) return closing_channel(frame, out, step);
  return open_channel(frame, *channel, out, step);
}

ConnectionStep::Kind ConnectionFsm::control_frame(const Frame& frame, Buffer& out,
                                                  ConnectionStep* step) {
  if (has_type(frame, FrameType::kHeartbeat)) return Kind::kContinue;
  if (!has_type(frame, FrameType::kMethod)) {
    return fail(make_error(ReplyCode::kUnexpectedFrame, frame_snippet(frame.type, frame.payload)),
                out, step);
  }
  if (!read_method(frame, step)) return fail(out, step);
  if (is<ConnectionClose>(*step)) {
    state_ = State::kPeerClosing;
    return Kind::kConnectionClosing;
  }
  if (is<ConnectionUpdateSecret>(*step)) {
    ConnectionUpdateSecret method;
    decode(step->args, &method);
    step->response = method.new_secret;
    return Kind::kUpdateSecret;
  }
  return unexpected_method(out, step);
}

ConnectionStep::Kind ConnectionFsm::unopened_channel(const Frame& frame, Buffer& out,
                                                     ConnectionStep* step) {
  if (!has_type(frame, FrameType::kMethod)) return fail(ChannelFsm().refusal(frame), out, step);
  if (!read_method(frame, step)) return fail(out, step);
  if (!is<ChannelOpen>(*step)) {
    return fail(make_error(ReplyCode::kChannelError, "expected 'channel.open'", step->class_id,
                           step->method_id),
                out, step);
  }
  if (channel_max_ != 0 && channels_.size() >= channel_max_) {
    return fail(make_error(ReplyCode::kNotAllowed,
                           "number of channels opened (" + std::to_string(channels_.size()) +
                               ") has reached the negotiated channel_max (" +
                               std::to_string(channel_max_) + ')'),
                out, step);
  }
  last_channel_ = &channels_[frame.channel];
  last_channel_id_ = frame.channel;
  write_method(out, frame.channel, ChannelOpenOk{});
  return Kind::kChannelOpened;
}

ConnectionStep::Kind ConnectionFsm::open_channel(const Frame& frame, ChannelFsm& channel,
                                                 Buffer& out, ConnectionStep* step) {
  if (!has_type(frame, FrameType::kMethod) || channel.state() != ChannelFsm::State::kReady) {
    return fail(channel.refusal(frame), out, step);
  }
  if (!read_method(frame, step)) return fail(out, step);
  if (is<ChannelClose>(*step)) {
    channel.peer_closes();
    return Kind::kChannelClosing;
  }
  if (is<ChannelOpen>(*step)) {
    return fail(make_error(ReplyCode::kChannelError, "second 'channel.open' seen", step->class_id,
                           step->method_id),
                out, step);
  }
  return fail(make_error(ReplyCode::kCommandInvalid, "unimplemented method", step->class_id,
                         step->method_id),
              out, step);
}

ConnectionStep::Kind ConnectionFsm::closing_channel(const Frame& frame, Buffer& out,
                                                    ConnectionStep* step) {
  if (!has_type(frame, FrameType::kMethod) || !read_method(frame, step)) return Kind::kContinue;
  if (is<ChannelCloseOk>(*step)) {
    erase_channel(frame.channel);
    return Kind::kChannelClosed;
  }
  if (is<ChannelClose>(*step)) {
    // The two closes crossed; the peer's answer to ours is still to come.
    write_method(out, frame.channel, ChannelCloseOk{});
    return Kind::kContinue;
  }
  if (is<ChannelOpen>(*step)) {
    // Ignored, it would leave the peer waiting for open-ok; RabbitMQ refuses it too.
    return fail(make_error(ReplyCode::kChannelError, "second 'channel.open' seen", step->class_id,
                           step->method_id),
                out, step);
  }
  return Kind::kContinue;
}

ConnectionStep::Kind ConnectionFsm::unexpected_method(Buffer& out, ConnectionStep* step) {
  return fail(make_error(ReplyCode::kChannelError,
                         "unexpected method in connection state " + std::string(state_name()),
                         step->class_id, step->method_id),
              out, step);
}

bool ConnectionFsm::read_method(const Frame& frame, ConnectionStep* step) {
  step->class_id = load_u16(frame.payload.data());
  step->method_id = load_u16(frame.payload.data() + 2);
  step->args = frame.payload.substr(kMethodIdBytes);
  if (method_kind(step->class_id, step->method_id) == MethodKind::kUnknown) {
    step->error = make_error(ReplyCode::kCommandInvalid, "unimplemented method", step->class_id,
                             step->method_id);
    return false;
  }
  const WireError error = check_arguments(step->class_id, step->method_id, step->args);
  if (error == WireError::kNone) return true;
  step->error = decode_error(step->class_id, step->method_id, step->args, error);
  return false;
}

ConnectionStep::Kind ConnectionFsm::fail(AmqpError error, Buffer& out, ConnectionStep* step) {
  step->error = std::move(error);
  return fail(out, step);
}

ConnectionStep::Kind ConnectionFsm::fail(Buffer& out, ConnectionStep* step) {
  write_close(step->error, out);
  return Kind::kFailed;
}

void ConnectionFsm::write_close(const AmqpError& error, Buffer& out) {
  const std::string text = reply_text(error);
  ConnectionClose method;
  method.reply_code = static_cast<std::uint16_t>(error.code);
  method.reply_text = text;
  method.cause_class_id = error.class_id;
  method.cause_method_id = error.method_id;
  write_method(out, ChannelId(0), method);
  state_ = State::kClosing;
}

bool ConnectionFsm::fail_connection(const AmqpError& error, Buffer& out) {
  switch (state_) {
    case State::kClosing:
    case State::kDraining:
      return true;
    case State::kPeerClosing:
    case State::kClosed:
      return false;
    case State::kHeader:
      state_ = State::kClosed;
      return false;
    case State::kStarting:
    case State::kAuthenticating:
      if (error.code != ReplyCode::kAccessRefused || sends_login_failure_) break;
      state_ = State::kClosed;
      return false;
    default:
      break;
  }
  write_close(error, out);
  return true;
}

void ConnectionFsm::fail_channel(ChannelId channel, const AmqpError& error, Buffer& out) {
  ChannelFsm* const failed = find_channel(channel);
  if (failed == nullptr || !failed->open() || !running()) return;
  const std::string text = reply_text(error);
  ChannelClose method;
  method.reply_code = static_cast<std::uint16_t>(error.code);
  method.reply_text = text;
  method.cause_class_id = error.class_id;
  method.cause_method_id = error.method_id;
  write_method(out, channel, method);
  failed->close();
}

void ConnectionFsm::channel_close_finished(ChannelId channel, Buffer& out) {
  ChannelFsm* const closed = find_channel(channel);
  if (closed == nullptr || closed->state() != ChannelFsm::State::kPeerClosing) return;
  erase_channel(channel);
  if (running()) write_method(out, channel, ChannelCloseOk{});
}

void ConnectionFsm::set_context(ChannelId channel, void* context) {
  ChannelFsm* const owner = find_channel(channel);
  if (owner != nullptr) owner->set_context(context);
}

bool ConnectionFsm::channel_open(ChannelId channel) const {
  const auto found = channels_.find(channel);
  return running() && found != channels_.end() && found->second.open();
}

ChannelFsm* ConnectionFsm::find_channel(ChannelId channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return nullptr;
  last_channel_id_ = channel;
  last_channel_ = &found->second;
  return last_channel_;
}

void ConnectionFsm::erase_channel(ChannelId channel) {
  channels_.erase(channel);
  last_channel_id_ = ChannelId(0);
  last_channel_ = nullptr;
}

}  // namespace leveret::protocol
