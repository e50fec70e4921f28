#include "config/yaml_users.h"

#include <cstdlib>
#include <optional>
#include <string>

#include "config/password.h"

namespace leveret::config {

namespace {

constexpr std::int64_t kLimitMax = 2147483647;
constexpr const char* kSha256 = "rabbit_password_hashing_sha256";

// The clear text of password or password_env.
std::string read_clear_text(const std::optional<YamlValue>& password,
                            const std::optional<YamlValue>& variable) {
  std::string result;
  if (password) {
    result = password->text();
  } else {
    const std::string name = variable->name();
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) {
      variable->fail("environment variable '" + name + "' is not set; expected the password in it");
    }
    result = value;
  }
  if (result.empty()) {
    (password ? *password : *variable).fail("the password is empty; expected at least one byte");
  }
  return result;
}

void read_password(const YamlFields& fields, UserDefinition* user) {
  const auto password = fields.find("password");
  const auto hash = fields.find("password_hash");
  const auto variable = fields.find("password_env");
  const auto algorithm = fields.find("hashing_algorithm");
  if (password.has_value() + hash.has_value() + variable.has_value() != 1) {
    fields.value().fail("user '" + user->name +
                        "' has no password or several; expected one of "
                        "password, password_hash, password_env");
  }
  user->hashing_algorithm = kSha256;
  if (!hash) {
    if (algorithm) algorithm->fail("stands without password_hash; expected both or none");
    user->password_hash = hash_password(read_clear_text(password, variable));
    return;
  }
  if (algorithm) {
    user->hashing_algorithm = algorithm->text();
    if (!is_hashing_algorithm(user->hashing_algorithm)) {
      algorithm->fail_expected(
          "rabbit_password_hashing_sha256, rabbit_password_hashing_sha512 or "
          "rabbit_password_hashing_md5");
    }
  }
  user->password_hash = hash->text();
  // An empty hash is a user who cannot log in with a password.
  if (user->password_hash.empty()) return;
  const auto error = check_password_hash(user->password_hash, user->hashing_algorithm);
  if (error) hash->fail(*error);
}

}  // namespace

UserDefinition read_user(const YamlValue& value) {
  const YamlFields fields(value, {"name", "password", "password_hash", "password_env",
                                  "hashing_algorithm", "tags", "limits"});
  UserDefinition user;
  user.name = fields.require("name").name();
  read_password(fields, &user);
  if (const auto tags = fields.find("tags")) user.tags = tags->names();
  if (const auto given = fields.find("limits")) {
    const YamlFields limits(*given, {"max_connections", "max_channels"});
    user.limits.max_connections = limits.integer_or("max_connections", -1, -1, kLimitMax);
    user.limits.max_channels = limits.integer_or("max_channels", -1, -1, kLimitMax);
  }
  return user;
}

UserDefinition default_user() {
  UserDefinition user;
  user.name = kDefaultUserName;
  user.password_hash = hash_password("guest");
  user.hashing_algorithm = kSha256;
  user.tags = {"administrator"};
  return user;
}

}  // namespace leveret::config
