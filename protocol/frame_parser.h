#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/amqp_error.h"
#include "protocol/big_endian.h"
#include "protocol/frame.h"
#include "protocol/limits.h"

namespace leveret::protocol {

// Cuts one frame off the front of the input without copying. Does not look at the type octet or
// into the payload.
class FrameParser {
 public:
  enum class Status : std::uint8_t {
    kNeedMore,  // the input ends inside a frame; nothing was consumed
    kFrame,     // *frame is set, `consumed` bytes belong to it
    kError,     // *error is set: 501 FRAME_ERROR with RabbitMQ's text
  };
  struct Result {
    Status status = Status::kNeedMore;
    std::size_t consumed = 0;
    // With kNeedMore: total bytes that the frame at the front will have, 0 if not yet known.
    std::size_t wanted = 0;
  };

  // Frames with a larger payload than frame_max are refused. RabbitMQ lets the payload, not the
  // whole frame, reach frame_max.
  void set_frame_max(std::uint32_t frame_max) { frame_max_ = frame_max; }
  std::uint32_t frame_max() const { return frame_max_; }

  Result next(std::string_view input, Frame* frame, AmqpError* error) const {
    if (input.size() < kFrameHeaderBytes) return {};
    const char* at = input.data();
    const std::size_t payload_bytes = load_u32(at + 3);
    const std::size_t total = payload_bytes + kFrameOverhead;
    if (payload_bytes > frame_max_) [[unlikely]]
      return too_large(input, error);
    if (input.size() < total) return {Status::kNeedMore, 0, total};
    if (at[total - 1] != kFrameEnd) [[unlikely]]
      return bad_end(input, error);
    frame->type = static_cast<std::uint8_t>(at[0]);
    frame->channel = ChannelId(load_u16(at + 1));
    frame->payload = {at + kFrameHeaderBytes, payload_bytes};
    return {Status::kFrame, total, 0};
  }

 private:
  Result too_large(std::string_view input, AmqpError* error) const;
  static Result bad_end(std::string_view input, AmqpError* error);

  std::uint32_t frame_max_ = kFrameMaxDefault;
};

}  // namespace leveret::protocol
