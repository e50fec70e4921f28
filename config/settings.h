#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leveret::config {

enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarning, kError };

struct Listener {
  std::string address = "127.0.0.1";
  std::uint16_t port = 5672;  // 0: the kernel's choice, printed at start
};

struct LogSettings {
  LogLevel level = LogLevel::kInfo;
  std::string file;  // empty: standard output
};

// Bounds that an operator may change; reasons for the defaults are RabbitMQ's unless said.
struct Limits {
  std::uint32_t frame_max = 131072;            // bytes, 4096..131072*16
  std::uint16_t channel_max = 2047;            // channels a connection
  std::uint16_t heartbeat_s = 60;              // 0: off
  std::int64_t handshake_timeout_ms = 10000;   // TCP accept to connection.open-ok
  std::uint64_t max_message_size = 134217728;  // bytes of body
  std::uint32_t connection_max = 0;            // 0: no limit
  std::uint32_t consumers_per_channel = 0;     // 0: no limit
  // Memory at which publishers are blocked: a share of the memory this process may use (cgroup
  // limit or RAM), or bytes if absolute is set.
  double memory_watermark = 0.6;
  std::optional<std::uint64_t> memory_watermark_bytes;
  std::uint64_t disk_free_limit = 50000000;  // bytes
  // Output that waits for one connection before its consumers are no longer fed.
  std::uint32_t output_buffer_bytes = 524288;
};

// Everything about this process, as opposed to what it serves (Definitions).
struct Settings {
  std::vector<Listener> listeners;  // empty: the default listener
  std::string data_dir;             // empty: the caller's default
  std::uint16_t loops = 0;          // 0: one up to two cores, else one a core
  LogSettings log;
  Limits limits;
  // Users that may only connect from loopback addresses.
  std::vector<std::string> loopback_users = {"guest"};
};

}  // namespace leveret::config
