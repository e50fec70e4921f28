#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/amqp_error.h"
#include "protocol/big_endian.h"
#include "protocol/frame.h"
#include "protocol/limits.h"
#include "protocol/methods.h"
#include "protocol/properties.h"

namespace leveret::protocol {

// What one channel expects next. Says yes or no to a frame in a few branches; why it said no is
// worked out by refusal().
class ChannelFsm {
 public:
  enum class State : std::uint8_t {
    kReady,         // the next frame is a method
    kExpectHeader,  // a basic.publish came
    kExpectBody,    // its header came, announcing more than was received so far
    kClosing,       // channel.close was sent, the answer is still to come
    kPeerClosing,   // channel.close came, the answer is still to be sent
  };

  State state() const { return state_; }
  bool open() const { return state_ <= State::kExpectBody; }

  void* context() const { return context_; }
  void set_context(void* context) { context_ = context; }

  void close() { state_ = State::kClosing; }
  void peer_closes() { state_ = State::kPeerClosing; }

  // Whether this is a method for the server to act on. False also for those that open and close
  // channels and for what belongs on channel 0.
  bool accept_method(std::uint16_t class_id, std::uint16_t method_id) {
    if (state_ != State::kReady) return false;
    if (class_id == BasicPublish::class_id) {
      if (method_id == BasicPublish::method_id) {
        state_ = State::kExpectHeader;
        return true;
      }
      if (method_id == BasicAck::method_id) return true;
    }
    return is_channel_method(class_id, method_id);
  }

  bool accept_header(std::string_view payload, ContentHeader* header) {
    if (state_ != State::kExpectHeader) return false;
    const auto parsed = parse_content_header(payload);
    if (!parsed || parsed->class_id != BasicPublish::class_id || parsed->weight != 0 ||
        parsed->body_size > kBodySizeMax) {
      return false;
    }
    *header = *parsed;
    body_left_ = parsed->body_size;
    state_ = body_left_ == 0 ? State::kReady : State::kExpectBody;
    return true;
  }

  // *complete: the body is.
  bool accept_body(std::size_t bytes, bool* complete) {
    if (state_ != State::kExpectBody || bytes > body_left_) return false;
    body_left_ -= bytes;
    *complete = body_left_ == 0;
    if (*complete) state_ = State::kReady;
    return true;
  }

  // The connection error for a well-formed frame that none of the above accepted.
  // REQUIRES: open(); not a method in state kReady.
  AmqpError refusal(const Frame& frame) const;

 private:
  static bool is_channel_method(std::uint16_t class_id, std::uint16_t method_id);
  static AmqpError header_refusal(const Frame& frame);

  State state_ = State::kReady;
  std::uint64_t body_left_ = 0;
  void* context_ = nullptr;
};

}  // namespace leveret::protocol
