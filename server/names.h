#pragma once

#include <string>
#include <string_view>

namespace leveret::server {

// prefix and 22 characters of base64url: 128 random bits, as RabbitMQ names queues and consumers.
std::string random_name(std::string_view prefix);

// RabbitMQ drops CR and LF from names on declare and bind.
std::string strip_line_ends(std::string_view name);

}  // namespace leveret::server
