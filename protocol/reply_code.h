#pragma once

#include <cstdint>
#include <string_view>

namespace leveret::protocol {

// Reply codes of AMQP 0-9-1 as RabbitMQ uses them.
enum class ReplyCode : std::uint16_t {
  kSuccess = 200,
  kContentTooLarge = 311,
  kNoRoute = 312,
  kNoConsumers = 313,
  kConnectionForced = 320,
  kInvalidPath = 402,
  kAccessRefused = 403,
  kNotFound = 404,
  kResourceLocked = 405,
  kPreconditionFailed = 406,
  kFrameError = 501,
  kSyntaxError = 502,
  kCommandInvalid = 503,
  kChannelError = 504,
  kUnexpectedFrame = 505,
  kResourceError = 506,
  kNotAllowed = 530,
  kNotImplemented = 540,
  kInternalError = 541,
};

// "NOT_FOUND" and so on, as it opens a reply text.
std::string_view reply_name(ReplyCode code);

}  // namespace leveret::protocol
