#pragma once

#include "config/definitions.h"
#include "config/yaml_reader.h"

namespace leveret::config {

inline constexpr const char* kDefaultUserName = "guest";

// One entry of users. The password is hashed here, so that no clear text outlives the file. Throws
// ConfigError.
UserDefinition read_user(const YamlValue& value);

// guest, password guest, administrator: whom RabbitMQ has, too, until told otherwise.
UserDefinition default_user();

}  // namespace leveret::config
