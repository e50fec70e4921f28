#include "server/logging.h"

#include <memory>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <stdexcept>

namespace leveret::server {
namespace {

spdlog::level::level_enum level_of(config::LogLevel level) {
  switch (level) {
    case config::LogLevel::kTrace:
      return spdlog::level::trace;
    case config::LogLevel::kDebug:
      return spdlog::level::debug;
    case config::LogLevel::kInfo:
      return spdlog::level::info;
    case config::LogLevel::kWarning:
      return spdlog::level::warn;
    case config::LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void set_up_logging(const config::LogSettings& settings) {
  spdlog::sink_ptr sink;
  if (settings.file.empty()) {
    sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
  } else {
    try {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(settings.file);
    } catch (const spdlog::spdlog_ex& error) {
      throw std::runtime_error("cannot write the log: " + std::string(error.what()));
    }
  }
  auto logger = std::make_shared<spdlog::logger>("leveret", std::move(sink));
  logger->set_pattern("%Y-%m-%d %H:%M:%S.%e [%l] %v");
  logger->set_level(level_of(settings.level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace leveret::server
