#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/definitions.h"

namespace leveret::config {

// base64(salt (4 bytes) || SHA-256(salt || password)): RabbitMQ's password_hash.
std::string hash_password(std::string_view password);

// Constant in time for equal lengths; false for a user without a password, and for the empty
// password whatever the user's hash is, as in RabbitMQ.
bool verify_password(const UserDefinition& user, std::string_view password);

// The time of one verification, for a user that does not exist: so that an answer does not tell.
void verify_nothing(std::string_view password);

// Whether a user's hashing_algorithm is known; empty stands for SHA-256.
bool is_hashing_algorithm(std::string_view name);

// Empty if `hash` is the base64 of a salt and a digest of that algorithm; else what is wrong with
// either of them.
std::optional<std::string> check_password_hash(const std::string& hash,
                                               const std::string& algorithm);

}  // namespace leveret::config
