#include "protocol/reply_code.h"

namespace leveret::protocol {

std::string_view reply_name(ReplyCode code) {
  switch (code) {
    case ReplyCode::kSuccess:
      return "REPLY_SUCCESS";
    case ReplyCode::kContentTooLarge:
      return "CONTENT_TOO_LARGE";
    case ReplyCode::kNoRoute:
      return "NO_ROUTE";
    case ReplyCode::kNoConsumers:
      return "NO_CONSUMERS";
    case ReplyCode::kConnectionForced:
      return "CONNECTION_FORCED";
    case ReplyCode::kInvalidPath:
      return "INVALID_PATH";
    case ReplyCode::kAccessRefused:
      return "ACCESS_REFUSED";
    case ReplyCode::kNotFound:
      return "NOT_FOUND";
    case ReplyCode::kResourceLocked:
      return "RESOURCE_LOCKED";
    case ReplyCode::kPreconditionFailed:
      return "PRECONDITION_FAILED";
    case ReplyCode::kFrameError:
      return "FRAME_ERROR";
    case ReplyCode::kSyntaxError:
      return "SYNTAX_ERROR";
    case ReplyCode::kCommandInvalid:
      return "COMMAND_INVALID";
    case ReplyCode::kChannelError:
      return "CHANNEL_ERROR";
    case ReplyCode::kUnexpectedFrame:
      return "UNEXPECTED_FRAME";
    case ReplyCode::kResourceError:
      return "RESOURCE_ERROR";
    case ReplyCode::kNotAllowed:
      return "NOT_ALLOWED";
    case ReplyCode::kNotImplemented:
      return "NOT_IMPLEMENTED";
    case ReplyCode::kInternalError:
      return "INTERNAL_ERROR";
  }
  return "INTERNAL_ERROR";
}

}  // namespace leveret::protocol
