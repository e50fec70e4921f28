#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/definitions.h"

namespace leveret::config {

// base64(salt (4 bytes) || SHA-256(salt || password)): RabbitMQ's password_hash.
std::string hash_password(std::string_view password);

// Constant in time for equal lengths; false for a user without a password.
bool verify_password(const UserDefinition& user, std::string_view password);

// The time of one verification, for a user that does not exist: so that an answer does not tell.
void verify_nothing(std::string_view password);

}  // namespace leveret::config
