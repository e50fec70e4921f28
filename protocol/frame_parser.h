#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/amqp_error.h"
#include "protocol/frame.h"

namespace leveret::protocol {

// Cuts one frame off the front of the input without copying.
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

  Result next(std::string_view input, Frame* frame, AmqpError* error) const;

 private:
  std::uint32_t frame_max_ = 131072;
};

}  // namespace leveret::protocol
