#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "protocol/amqp_error.h"
#include "protocol/base/buffer.h"
#include "protocol/base/ids.h"
#include "protocol/big_endian.h"
#include "protocol/channel_fsm.h"
#include "protocol/field_table.h"
#include "protocol/frame.h"
#include "protocol/frame_parser.h"
#include "protocol/limits.h"
#include "protocol/properties.h"

namespace leveret::protocol {

// What this server offers in connection.start and connection.tune.
struct ServerOffer {
  // Entries of the server-properties table.
  std::string server_properties;
  std::string mechanisms = "PLAIN AMQPLAIN";
  std::uint16_t channel_max = kChannelMaxDefault;
  std::uint32_t frame_max = kFrameMaxDefault;
  std::uint16_t heartbeat_s = kHeartbeatDefaultS;
};

// What came in with one frame, for the server to act on. Views are valid until the bytes given to
// resume() move.
struct ConnectionStep {
  enum class Kind : std::uint8_t {
    kNeedMore,           // all complete frames of the input are used up
    kContinue,           // a frame was handled inside (heartbeat, ignored frame); call again
    kAuthenticate,       // check `mechanism` and `response`, then login_accepted() or fail
    kOpen,               // check `vhost`, then vhost_accepted() or fail
    kUpdateSecret,       // `response` holds the new secret; then secret_updated() or fail
    kChannelOpened,      // open-ok is written; give the channel its context with set_context()
    kChannelMethod,      // `class_id`, `method_id`, `args`: a method that a client may send
    kContentHeader,      // `header` of the last basic.publish; complete if its body_size is 0
    kContentBody,        // `body`: the next piece; `content_complete` says whether it was the last
    kChannelClosing,     // the peer closes the channel: clean up, then channel_close_finished()
    kChannelClosed,      // the peer answered the server's channel.close: the number is free
    kConnectionClosing,  // the peer closes: clean up, then connection_close_finished()
    kFailed,             // `error` was just sent in connection.close; log and clean up
    kBadHeader,          // not AMQP 0-9-1: the right header was written; close the socket
    kClosed,             // the closing handshake is over: close the socket
  };
  Kind kind = Kind::kNeedMore;
  ChannelId channel;
  // As given to set_context(); null before.
  void* context = nullptr;
  std::uint16_t class_id = 0;
  std::uint16_t method_id = 0;
  std::string_view args;
  ContentHeader header;
  std::string_view body;
  bool content_complete = false;
  std::string_view mechanism;
  std::string_view response;
  std::string_view vhost;
  AmqpError error;
};

// One connection's protocol state without a socket: bytes in, steps out, replies appended to a
// buffer. Knows what is legal AMQP and in which order, not what a queue is.
//
// The server calls resume() until it says kNeedMore, and answers steps with the methods below. What
// follows a step that waits for an answer (kAuthenticate, kOpen, kChannelClosing on its channel,
// kConnectionClosing) is left in the input, kNeedMore, until the answer was given.
//
// Home loop: the session's. Memory: the client properties, no larger than one frame, and a few
// words per open channel.
class ConnectionFsm {
 public:
  explicit ConnectionFsm(const ServerOffer& offer);

  // Handles the frame at the front of *input and moves *input behind it. REQUIRES: *input begins
  // where the last call left off. Sets in *step what belongs to its kind and leaves other members
  // as they were, so one step serves for a whole connection.
  ConnectionStep::Kind resume(std::string_view* input, Buffer& out, ConnectionStep* step) {
    step->kind = advance(input, out, step);
    return step->kind;
  }
  ConnectionStep resume(std::string_view* input, Buffer& out) {
    ConnectionStep step;
    resume(input, out, &step);
    return step;
  }

  // Writes connection.tune.
  void login_accepted(Buffer& out);
  // Writes connection.open-ok.
  void vhost_accepted(Buffer& out);
  void secret_updated(Buffer& out);

  void set_context(ChannelId channel, void* context);
  // Writes channel.close and ignores what comes on the channel until close-ok. No effect on a
  // channel that is closing already.
  void fail_channel(ChannelId channel, const AmqpError& error, Buffer& out);
  // Writes connection.close and ignores everything until close-ok; once only. True if the close was
  // written, now or before, so that an answer may come. False if the socket is to be closed without
  // one: before connection.start; a 403 at login for a client without the capability
  // authentication_failure_close; after the peer's own connection.close.
  bool fail_connection(const AmqpError& error, Buffer& out);
  // Writes channel.close-ok for a close that the peer asked for; the number is free.
  void channel_close_finished(ChannelId channel, Buffer& out);
  void connection_close_finished(Buffer& out);

  // Entries of the client-properties table; empty before start-ok.
  FieldTable client_properties() const { return FieldTable(client_properties_); }
  bool client_capability(std::string_view name) const;

  bool running() const { return state_ == State::kRunning; }
  // connection.close was sent, the peer's answer is still to come. After a frame that could not be
  // delimited it never comes: close the socket after a while.
  bool closing() const { return state_ == State::kClosing || state_ == State::kDraining; }
  // False while the channel does not exist or is closing.
  bool channel_open(ChannelId channel) const;
  // Channels that count against channel_max: those that are closing still do.
  std::size_t channel_count() const { return channels_.size(); }

  // Negotiated; the offer before tune-ok.
  std::uint32_t frame_max() const { return frame_max_; }
  std::uint16_t channel_max() const { return channel_max_; }
  std::uint16_t heartbeat_s() const { return heartbeat_s_; }
  // Total bytes the incomplete frame at the front will have; 0 if not known. For buffer sizing.
  std::size_t wanted_bytes() const { return wanted_bytes_; }

 private:
  using Kind = ConnectionStep::Kind;
  enum class State : std::uint8_t {
    kHeader,          // nothing came yet
    kStarting,        // connection.start was sent
    kAuthenticating,  // the server checks the login
    kTuning,          // connection.tune was sent
    kOpening,         // waits for connection.open
    kCheckingVhost,   // the server checks the vhost
    kRunning,
    kClosing,      // connection.close was sent
    kDraining,     // so it was, and where frames begin is not known any more
    kPeerClosing,  // connection.close came
    kClosed,
  };

  Kind advance(std::string_view* input, Buffer& out, ConnectionStep* step) {
    if (state_ != State::kRunning) [[unlikely]]
      return advance_rare(input, out, step);
    Frame frame;
    const FrameParser::Result cut = parser_.next(*input, &frame, &step->error);
    if (cut.status != FrameParser::Status::kFrame) [[unlikely]] {
      return no_frame(cut, input, out, step);
    }
    ChannelFsm* channel =
        frame.channel == last_channel_id_ ? last_channel_ : find_channel(frame.channel);
    if (channel == nullptr || !accept(frame, *channel, step)) [[unlikely]] {
      return rare_frame(frame, channel, cut.consumed, input, out, step);
    }
    input->remove_prefix(cut.consumed);
    return step->kind;
  }

  // Whether the frame is one for the server to act on; if so, fills *step.
  static bool accept(const Frame& frame, ChannelFsm& channel, ConnectionStep* step) {
    step->channel = frame.channel;
    step->context = channel.context();
    switch (static_cast<FrameType>(frame.type)) {
      case FrameType::kMethod:
        if (frame.payload.size() < kMethodIdBytes) return false;
        step->class_id = load_u16(frame.payload.data());
        step->method_id = load_u16(frame.payload.data() + 2);
        step->args = frame.payload.substr(kMethodIdBytes);
        step->kind = Kind::kChannelMethod;
        return channel.accept_method(step->class_id, step->method_id);
      case FrameType::kHeader:
        step->kind = Kind::kContentHeader;
        if (!channel.accept_header(frame.payload, &step->header)) return false;
        step->content_complete = step->header.body_size == 0;
        return true;
      case FrameType::kBody:
        step->kind = Kind::kContentBody;
        step->body = frame.payload;
        return channel.accept_body(frame.payload.size(), &step->content_complete);
      default:
        return false;
    }
  }

  // Handshake and closing: connection_handshake.cc.
  Kind advance_rare(std::string_view* input, Buffer& out, ConnectionStep* step);
  Kind protocol_header(std::string_view* input, Buffer& out);
  Kind handshake_frame(const Frame& frame, Buffer& out, ConnectionStep* step);
  Kind handshake_method(Buffer& out, ConnectionStep* step);
  Kind start_ok(ConnectionStep* step);
  Kind tune_ok(Buffer& out, ConnectionStep* step);
  Kind open(ConnectionStep* step);
  Kind frame_while_closing(const Frame& frame, Buffer& out);

  Kind no_frame(const FrameParser::Result& cut, std::string_view* input, Buffer& out,
                ConnectionStep* step);
  Kind rare_frame(const Frame& frame, ChannelFsm* channel, std::size_t frame_bytes,
                  std::string_view* input, Buffer& out, ConnectionStep* step);
  Kind control_frame(const Frame& frame, Buffer& out, ConnectionStep* step);
  Kind unopened_channel(const Frame& frame, Buffer& out, ConnectionStep* step);
  Kind open_channel(const Frame& frame, ChannelFsm& channel, Buffer& out, ConnectionStep* step);
  Kind closing_channel(const Frame& frame, Buffer& out, ConnectionStep* step);
  Kind unexpected_method(Buffer& out, ConnectionStep* step);

  // Sets class_id, method_id and args of *step. False, and step->error set, when there is no such
  // method or its arguments are malformed.
  static bool read_method(const Frame& frame, ConnectionStep* step);
  // Sends step->error.
  Kind fail(Buffer& out, ConnectionStep* step);
  Kind fail(AmqpError error, Buffer& out, ConnectionStep* step);
  void write_close(const AmqpError& error, Buffer& out);
  std::string_view state_name() const;

  ChannelFsm* find_channel(ChannelId channel);
  void erase_channel(ChannelId channel);

  static constexpr std::size_t kMethodIdBytes = 4;

  ServerOffer offer_;
  State state_ = State::kHeader;
  bool sends_login_failure_ = false;
  std::uint16_t channel_max_;
  std::uint16_t heartbeat_s_;
  std::uint32_t frame_max_;
  FrameParser parser_;
  // The channel of the last frame; channel 0 and null when there is none.
  ChannelId last_channel_id_;
  ChannelFsm* last_channel_ = nullptr;
  std::unordered_map<ChannelId, ChannelFsm> channels_;
  std::size_t wanted_bytes_ = 0;
  std::string client_properties_;
};

}  // namespace leveret::protocol
