#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leveret::protocol {

struct Credentials {
  std::string user;
  std::string password;
};

// PLAIN (RFC 4616): NUL user NUL password. A non-empty authorisation identity is refused, as in
// RabbitMQ. Empty when malformed.
std::optional<Credentials> parse_plain(std::string_view response);

// AMQPLAIN: a field table without its size, with LOGIN and PASSWORD. Empty when malformed.
std::optional<Credentials> parse_amqplain(std::string_view response);

}  // namespace leveret::protocol
