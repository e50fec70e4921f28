#include "server/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>

#include "config/password.h"

namespace leveret::server {
namespace {

std::uint16_t parse_number(std::string_view option, std::string_view text, std::uint16_t max) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > max) {
    throw OptionError(std::string(option) + ": '" + std::string(text) +
                      "' is not a number from 0 to " + std::to_string(max));
  }
  return static_cast<std::uint16_t>(value);
}

config::LogLevel parse_level(std::string_view text) {
  if (text == "trace") return config::LogLevel::kTrace;
  if (text == "debug") return config::LogLevel::kDebug;
  if (text == "info") return config::LogLevel::kInfo;
  if (text == "warning") return config::LogLevel::kWarning;
  if (text == "error") return config::LogLevel::kError;
  throw OptionError("--log-level: '" + std::string(text) +
                    "' is none of trace, debug, info, warning, error");
}

std::vector<std::string> parse_list(const std::string& text) {
  std::vector<std::string> list;
  if (text == "none") return list;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');) {
    if (!item.empty()) list.push_back(item);
  }
  return list;
}

// The options that set_option() knows.
constexpr std::string_view kValueOptions[] = {
    "--config", "--data-dir", "--port", "--bind", "--log-level", "--loops", "--loopback-users"};

bool takes_value(const std::string& name) {
  return std::find(std::begin(kValueOptions), std::end(kValueOptions), name) !=
         std::end(kValueOptions);
}

void set_option(Options* options, const std::string& name, const std::string& value) {
  if (name == "--config") {
    options->config_file = value;
  } else if (name == "--data-dir") {
    options->data_dir = value;
  } else if (name == "--port") {
    options->port = parse_number(name, value, UINT16_MAX);
  } else if (name == "--bind") {
    options->bind = value;
  } else if (name == "--log-level") {
    options->log_level = parse_level(value);
  } else if (name == "--loops") {
    options->loops = parse_number(name, value, 1024);
  } else if (name == "--loopback-users") {
    options->loopback_users = parse_list(value);
  } else {
    throw OptionError("unknown option " + name);
  }
}

// LEVERET_NAME, or RABBITMQ_NAME as RabbitMQ's container image has it; null if neither is set.
const char* environment(const char* own, const char* rabbitmq) {
  const char* value = std::getenv(own);
  if (value == nullptr || *value == '\0') value = std::getenv(rabbitmq);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

void apply_environment(config::Configuration* configuration) {
  if (configuration->users_configured) return;
  const char* user = environment("LEVERET_DEFAULT_USER", "RABBITMQ_DEFAULT_USER");
  const char* password = environment("LEVERET_DEFAULT_PASS", "RABBITMQ_DEFAULT_PASS");
  const char* vhost = environment("LEVERET_DEFAULT_VHOST", "RABBITMQ_DEFAULT_VHOST");
  config::Definitions& definitions = configuration->definitions;
  if (vhost != nullptr && std::none_of(definitions.vhosts.begin(), definitions.vhosts.end(),
                                       [&](const auto& known) { return known.name == vhost; })) {
    definitions.vhosts.push_back({.name = vhost, .description = "", .tags = {}, .limits = {}});
    definitions.permissions.push_back({"guest", vhost, ".*", ".*", ".*"});
  }
  for (config::UserDefinition& known : definitions.users) {
    if (password != nullptr) {
      known.password_hash = config::hash_password(password);
      known.hashing_algorithm = "rabbit_password_hashing_sha256";
    }
    if (user != nullptr) known.name = user;
  }
  if (user == nullptr) return;
  for (config::PermissionDefinition& permission : definitions.permissions) permission.user = user;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--help" || name == "-h") {
      options.action = Options::Action::kHelp;
    } else if (name == "--version") {
      options.action = Options::Action::kVersion;
    } else if (name == "--check-config") {
      options.action = Options::Action::kCheckConfig;
    } else if (name == "ping") {
      options.action = Options::Action::kPing;
    } else if (name.starts_with("--")) {
      std::string value;
      if (const auto equals = name.find('='); equals != std::string::npos) {
        value = name.substr(equals + 1);
        name.resize(equals);
      } else if (i + 1 < argc) {
        value = argv[++i];
      } else {
        throw OptionError(takes_value(name) ? name + " needs a value" : "unknown option " + name);
      }
      set_option(&options, name, value);
    } else {
      throw OptionError("unknown argument '" + name + "'");
    }
  }
  return options;
}

const char* help_text() {
  return R"(Usage: leveret [OPTION...]        run the broker
       leveret ping [OPTION...]   ask a running broker whether it serves AMQP; exit code 0 or 1

  --config FILE        read FILE (YAML); SIGHUP reads it again
  --check-config       read the configuration, say what is wrong with it, and exit
  --data-dir DIR       keep data in DIR
  --port N             listen on port N in place of the configured ones; 0: any free port, printed
  --bind ADDR          listen on ADDR in place of the configured addresses
  --log-level LEVEL    trace, debug, info, warning or error
  --loops N            event loops; 0: one up to two cores, beyond that one a core
  --loopback-users L   comma-separated users that may only connect from this host; none: no such
                       restriction (built-in default: guest)
  --version            print the version and exit
  --help               print this and exit

Without a configuration: 127.0.0.1:5672, user guest with password guest, vhost "/".
Where no user is configured, the environment may name one: LEVERET_DEFAULT_USER,
LEVERET_DEFAULT_PASS, LEVERET_DEFAULT_VHOST, or the same names with RABBITMQ_.
)";
}

void apply_overrides(const Options& options, config::Configuration* configuration) {
  config::Settings& settings = configuration->settings;
  if (options.port || options.bind) {
    if (settings.listeners.empty()) settings.listeners.emplace_back();
    settings.listeners.resize(1);
    if (options.port) settings.listeners.front().port = *options.port;
    if (options.bind) settings.listeners.front().address = *options.bind;
  }
  if (options.data_dir) settings.data_dir = *options.data_dir;
  if (options.log_level) settings.log.level = *options.log_level;
  if (options.loops) settings.loops = *options.loops;
  if (options.loopback_users) settings.loopback_users = *options.loopback_users;
  apply_environment(configuration);
}

}  // namespace leveret::server
