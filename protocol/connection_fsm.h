#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/amqp_error.h"
#include "protocol/base/buffer.h"
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
// The server calls resume() until it says kNeedMore (or while it has to wait for itself, pauses and
// calls again later), and answers steps with the methods below.
class ConnectionFsm {
 public:
  explicit ConnectionFsm(const ServerOffer& offer);

  // Handles the frame at the front of *input and moves *input behind it. REQUIRES: *input begins
  // where the last call left off.
  ConnectionStep resume(std::string_view* input, Buffer& out);

  // Writes connection.tune.
  void login_accepted(Buffer& out);
  // Writes connection.open-ok.
  void vhost_accepted(Buffer& out);
  void secret_updated(Buffer& out);

  void set_context(ChannelId channel, void* context);
  // Writes channel.close and ignores what comes on the channel until close-ok. No effect on a
  // channel that is closing already.
  void fail_channel(ChannelId channel, const AmqpError& error, Buffer& out);
  // Writes connection.close and ignores everything until close-ok; once only. With a peer that did
  // not announce authentication_failure_close the handshake's 403 is written all the same: see
  // RabbitMQ's capability of that name for what `may_send_close` decides.
  void fail_connection(const AmqpError& error, Buffer& out);
  // Writes channel.close-ok for a close that the peer asked for.
  void channel_close_finished(ChannelId channel, Buffer& out);
  void connection_close_finished(Buffer& out);

  // Entries of the client-properties table; empty before start-ok.
  FieldTable client_properties() const { return FieldTable(client_properties_); }
  bool client_capability(std::string_view name) const;

  bool running() const;
  // connection.close was sent, the peer's answer is still to come.
  bool closing() const;
  // False while the channel does not exist or is closing.
  bool channel_open(ChannelId channel) const;
  std::size_t channel_count() const;

  // Negotiated; the offer before tune-ok.
  std::uint32_t frame_max() const { return frame_max_; }
  std::uint16_t channel_max() const { return channel_max_; }
  std::uint16_t heartbeat_s() const { return heartbeat_s_; }
  // Total bytes the incomplete frame at the front will have; 0 if not known. For buffer sizing.
  std::size_t wanted_bytes() const { return wanted_bytes_; }
};

}  // namespace leveret::protocol
