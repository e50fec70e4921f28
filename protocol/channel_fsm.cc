#include "protocol/channel_fsm.h"

#include <string>

namespace leveret::protocol {

namespace {

AmqpError publish_error(ReplyCode code, const std::string& explanation) {
  return make_error(code, explanation, BasicPublish::class_id, BasicPublish::method_id);
}

}  // namespace

bool ChannelFsm::is_channel_method(std::uint16_t class_id, std::uint16_t method_id) {
  if (class_id == ConnectionClose::class_id) return false;
  if (class_id == ChannelOpen::class_id && method_id != ChannelFlow::method_id) return false;
  return method_kind(class_id, method_id) == MethodKind::kClient;
}

AmqpError ChannelFsm::refusal(const Frame& frame) const {
  switch (state_) {
    case State::kExpectHeader:
      return header_refusal(frame);
    case State::kExpectBody:
      if (frame.type == static_cast<std::uint8_t>(FrameType::kBody)) {
        return publish_error(ReplyCode::kFrameError,
                             "content body frame exceeds remaining content size");
      }
      return publish_error(ReplyCode::kUnexpectedFrame,
                           "expected content body, got non content body frame instead");
    default:
      return make_error(ReplyCode::kUnexpectedFrame,
                        "expected method frame, got non method frame instead");
  }
}

AmqpError ChannelFsm::header_refusal(const Frame& frame) {
  const std::string expected =
      "expected content header for class " + std::to_string(BasicPublish::class_id) + ", got ";
  const auto header = frame.type == static_cast<std::uint8_t>(FrameType::kHeader)
                          ? parse_content_header(frame.payload)
                          : std::nullopt;
  // RabbitMQ takes a header with a weight for no header at all.
  if (!header || header->weight != 0) {
    return publish_error(ReplyCode::kUnexpectedFrame,
                         expected + "non content header frame instead");
  }
  if (header->class_id != BasicPublish::class_id) {
    return publish_error(
        ReplyCode::kUnexpectedFrame,
        expected + "one for class " + std::to_string(header->class_id) + " instead");
  }
  return publish_error(ReplyCode::kFrameError,
                       "content body size " + std::to_string(header->body_size) +
                           " exceeds maximum allowed size " + std::to_string(kBodySizeMax));
}

}  // namespace leveret::protocol
