#pragma once

#include <stdexcept>
#include <string>

#include "config/definitions.h"
#include "config/settings.h"

namespace leveret::config {

struct Configuration {
  Settings settings;
  Definitions definitions;
  // False: the file names no users, and guest stands in.
  bool users_configured = false;
};

// what(): "FILE:LINE:COLUMN: KEY: what was wrong and what was expected".
class ConfigError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads leveret.yaml. Unknown keys, bad values, bad regular expressions, duplicate names and
// references to things that are not declared are errors, each with its place. Throws ConfigError.
Configuration load_yaml_file(const std::string& path);
// The same from memory; `name` stands for the file in messages.
Configuration load_yaml(const std::string& text, const std::string& name);

}  // namespace leveret::config
