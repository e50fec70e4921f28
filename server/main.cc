#include <cstdio>
#include <exception>
#include <spdlog/spdlog.h>
#include <string>
#include <sys/resource.h>

#include "config/yaml_loader.h"
#include "server/broker.h"
#include "server/control.h"
#include "server/logging.h"
#include "server/options.h"
#include "server/ping.h"
#include "server/system_clock.h"

namespace {

using leveret::server::Options;

constexpr int kUsageError = 2;

leveret::config::Configuration load(const Options& options) {
  auto configuration = options.config_file.empty()
                           ? leveret::config::load_yaml("", "built-in configuration")
                           : leveret::config::load_yaml_file(options.config_file);
  leveret::server::apply_overrides(options, &configuration);
  return configuration;
}

// Each connection takes a descriptor: as many as the system lets this process have.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int serve(const Options& options) {
  auto configuration = load(options);
  leveret::server::set_up_logging(configuration.settings.log);
  spdlog::info("Leveret " LEVERET_VERSION " starts, configuration: {}",
               options.config_file.empty() ? "built-in" : options.config_file);
  raise_descriptor_limit();
  const leveret::server::SystemClock clock;
  leveret::server::Broker broker(std::move(configuration),
                                 {options.config_file,
                                  [options](leveret::config::Configuration* fresh) {
                                    leveret::server::apply_overrides(options, fresh);
                                  }},
                                 clock);
  broker.start();
  spdlog::info("Server startup complete");
  broker.run();
  return 0;
}

int ping(const Options& options) {
  const auto configuration = load(options);
  leveret::config::Listener listener;
  if (!configuration.settings.listeners.empty()) {
    listener = configuration.settings.listeners.front();
  }
  const std::string problem = leveret::server::ping(listener);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s:%u: %s\n", listener.address.c_str(), unsigned{listener.port},
               problem.c_str());
  return 1;
}

int run(const Options& options) {
  switch (options.action) {
    case Options::Action::kHelp:
      std::fputs(leveret::server::help_text(), stdout);
      return 0;
    case Options::Action::kVersion:
      std::puts("leveret " LEVERET_VERSION);
      return 0;
    case Options::Action::kCheckConfig:
      static_cast<void>(load(options));
      std::puts("configuration is valid");
      return 0;
    case Options::Action::kPing:
      return ping(options);
    case Options::Action::kServe:
      return serve(options);
  }
  return kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(leveret::server::parse_options(argc, argv));
  } catch (const leveret::server::OptionError& error) {
    std::fprintf(stderr, "leveret: %s\nTry 'leveret --help'.\n", error.what());
    return kUsageError;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
