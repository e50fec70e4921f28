#pragma once

#include <cstdint>
#include <string>

#include "protocol/reply_code.h"

namespace leveret::protocol {

enum class ErrorScope : std::uint8_t { kChannel, kConnection };

// What a peer did wrong, ready to be sent in channel.close or connection.close.
struct AmqpError {
  ErrorScope scope = ErrorScope::kChannel;
  ReplyCode code = ReplyCode::kInternalError;
  // Full reply text, e.g. "NOT_FOUND - no queue 'q' in vhost '/'". reply_text() cuts it when it is
  // written.
  std::string text;
  // The method that caused it; 0,0 where none did.
  std::uint16_t class_id = 0;
  std::uint16_t method_id = 0;
};

// Builds "REPLY_NAME - explanation" with the scope that the code has in RabbitMQ: 403, 404, 405 and
// 406 close the channel, all others the connection. An empty explanation gives the bare name.
AmqpError make_error(ReplyCode code, const std::string& explanation);
// The same with the method that caused it.
AmqpError make_error(ReplyCode code, const std::string& explanation, std::uint16_t class_id,
                     std::uint16_t method_id);

// The text as it fits into a short string: beyond 255 bytes it is cut at a UTF-8 boundary and ends
// in "...", as RabbitMQ does it.
std::string reply_text(const AmqpError& error);

}  // namespace leveret::protocol
