#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/yaml_loader.h"

namespace leveret::server {

// The command line of the daemon.
struct Options {
  enum class Action : std::uint8_t { kServe, kCheckConfig, kPing, kVersion, kHelp };
  Action action = Action::kServe;
  std::string config_file;
  std::optional<std::string> data_dir;
  std::optional<std::uint16_t> port;
  std::optional<std::string> bind;
  std::optional<config::LogLevel> log_level;
  std::optional<std::uint16_t> loops;
  std::optional<std::vector<std::string>> loopback_users;
};

class OptionError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws OptionError with a sentence for the user.
Options parse_options(int argc, const char* const* argv);

// What --help prints.
const char* help_text();

// What the command line says wins over the file, and the environment's default user and vhost
// stand in where the file names no users.
void apply_overrides(const Options& options, config::Configuration* configuration);

}  // namespace leveret::server
