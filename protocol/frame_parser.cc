#include "protocol/frame_parser.h"

#include <string>

#include "protocol/erlang_text.h"

namespace leveret::protocol {

FrameParser::Result FrameParser::too_large(std::string_view input, AmqpError* error) const {
  const auto type = static_cast<std::uint8_t>(input[0]);
  // RabbitMQ names the limit that a sender should keep to, which leaves room for the frame around
  // the payload, though it accepts a payload of frame_max.
  const std::uint32_t limit = frame_max_ < kFrameOverhead ? 0 : frame_max_ - kFrameOverhead;
  *error = make_error(ReplyCode::kFrameError, frame_snippet(type, {}) + ": {frame_too_large," +
                                                  std::to_string(load_u32(input.data() + 3)) + ',' +
                                                  std::to_string(limit) + '}');
  return {Status::kError, 0, 0};
}

FrameParser::Result FrameParser::bad_end(std::string_view input, AmqpError* error) {
  const auto type = static_cast<std::uint8_t>(input[0]);
  const std::size_t payload_bytes = load_u32(input.data() + 3);
  const auto end = static_cast<std::uint8_t>(input[kFrameHeaderBytes + payload_bytes]);
  *error = make_error(ReplyCode::kFrameError,
                      frame_snippet(type, input.substr(kFrameHeaderBytes, payload_bytes)) +
                          ": {invalid_frame_end_marker," + std::to_string(end) + '}');
  return {Status::kError, 0, 0};
}

}  // namespace leveret::protocol
