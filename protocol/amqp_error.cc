#include "protocol/amqp_error.h"

#include "protocol/limits.h"
#include "protocol/utf8.h"

namespace leveret::protocol {

namespace {

ErrorScope scope_of(ReplyCode code) {
  switch (code) {
    case ReplyCode::kAccessRefused:
    case ReplyCode::kNotFound:
    case ReplyCode::kResourceLocked:
    case ReplyCode::kPreconditionFailed:
      return ErrorScope::kChannel;
    default:
      return ErrorScope::kConnection;
  }
}

}  // namespace

AmqpError make_error(ReplyCode code, const std::string& explanation) {
  AmqpError error;
  error.scope = scope_of(code);
  error.code = code;
  error.text = reply_name(code);
  if (!explanation.empty()) {
    error.text += " - ";
    error.text += explanation;
  }
  return error;
}

AmqpError make_error(ReplyCode code, const std::string& explanation, std::uint16_t class_id,
                     std::uint16_t method_id) {
  AmqpError error = make_error(code, explanation);
  error.class_id = class_id;
  error.method_id = method_id;
  return error;
}

std::string reply_text(const AmqpError& error) {
  constexpr std::string_view kCutMark = "...";
  if (error.text.size() <= kShortStringMax) return error.text;
  const std::size_t kept = utf8_cut(error.text, kShortStringMax - kCutMark.size());
  return error.text.substr(0, kept).append(kCutMark);
}

}  // namespace leveret::protocol
