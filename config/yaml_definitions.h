#pragma once

#include "config/definitions.h"
#include "config/yaml_reader.h"

namespace leveret::config {

// The keys of the top level that describe what the broker serves (the others are Settings).
// Fills in "/" and guest where no vhosts and users are given, and checks that names are unique and
// that what is referred to is there. Throws ConfigError.
Definitions read_definitions(const YamlFields& top);

}  // namespace leveret::config
