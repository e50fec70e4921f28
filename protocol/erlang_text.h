#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/amqp_error.h"
#include "protocol/wire_reader.h"

// Bytes in reply texts, in the notation that RabbitMQ's users know from its texts.
namespace leveret::protocol {

// <<"abc">> when every byte is printable ASCII or one of \n \r \t \v \b \f \e, else <<97,0>>; empty
// is <<>>. RabbitMQ counts Latin-1 letters as printable; a reply text with them is not UTF-8, so
// they are numbers here.
std::string erlang_binary(std::string_view bytes);

// <<97,0>> whatever the bytes are.
std::string erlang_bytes(std::string_view bytes);

// "type 1, all octets = <<0,20>>", or the first 16 of a longer payload.
std::string frame_snippet(std::uint8_t type, std::string_view payload);

// The connection error for arguments that decode() refused.
AmqpError decode_error(std::uint16_t class_id, std::uint16_t method_id, std::string_view args,
                       WireError error);

}  // namespace leveret::protocol
