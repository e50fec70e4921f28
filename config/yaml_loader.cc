#include "config/yaml_loader.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "config/yaml_definitions.h"
#include "config/yaml_reader.h"
#include "config/yaml_tree.h"
#include "protocol/limits.h"

namespace leveret::config {

namespace {

constexpr std::int64_t kUint32Max = 4294967295;

bool is_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return inet_pton(AF_INET, text.c_str(), ignored.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), ignored.data()) == 1;
}

std::vector<Listener> read_listeners(const YamlValue& value) {
  std::vector<Listener> result;
  std::set<std::pair<std::string, std::uint16_t>> seen;
  for (const YamlValue& item : value.items()) {
    const YamlFields fields(item, {"address", "port"});
    Listener listener;
    if (const auto address = fields.find("address")) {
      listener.address = address->text();
      if (!is_address(listener.address)) {
        address->fail_expected("an IPv4 or IPv6 address such as 127.0.0.1 or '::'");
      }
    }
    listener.port = static_cast<std::uint16_t>(fields.integer_or("port", listener.port, 0, 65535));
    if (listener.port != 0 && !seen.emplace(listener.address, listener.port).second) {
      item.fail("is there twice; expected each address and port once");
    }
    result.push_back(std::move(listener));
  }
  return result;
}

LogSettings read_logging(const YamlValue& value) {
  constexpr std::array<std::pair<std::string_view, LogLevel>, 5> kLevels = {
      {{"trace", LogLevel::kTrace},
       {"debug", LogLevel::kDebug},
       {"info", LogLevel::kInfo},
       {"warning", LogLevel::kWarning},
       {"error", LogLevel::kError}}};
  const YamlFields fields(value, {"level", "file"});
  LogSettings result;
  if (const auto level = fields.find("level")) {
    const std::string text = level->text();
    bool known = false;
    for (const auto& [name, candidate] : kLevels) {
      if (text != name) continue;
      result.level = candidate;
      known = true;
    }
    if (!known) level->fail_expected("trace, debug, info, warning or error");
  }
  if (const auto file = fields.find("file")) result.file = file->text();
  return result;
}

// A share of the memory up to 1, or a size.
void read_memory_watermark(const YamlValue& value, Limits* out) {
  constexpr const char* kExpected = "a share above 0, at most 1, or a size such as 2GiB";
  const std::string text = value.text();
  double share = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, share, std::chars_format::fixed);
  if (parsed.ec != std::errc() || !(share > 0)) value.fail_expected(kExpected);
  if (parsed.ptr == end && share <= 1) {
    out->memory_watermark = share;
    return;
  }
  if (text.find('.') != std::string::npos) value.fail_expected(kExpected);
  out->memory_watermark_bytes = value.size(1, INT64_MAX);
}

Limits read_limits(const YamlValue& value) {
  const YamlFields fields(value, {"frame_max", "channel_max", "heartbeat", "handshake_timeout",
                                  "max_message_size", "connection_max", "consumers_per_channel",
                                  "memory_watermark", "disk_free_limit", "output_buffer"});
  Limits result;
  if (const auto size = fields.find("frame_max")) {
    result.frame_max = static_cast<std::uint32_t>(
        size->size(protocol::kFrameMin, std::uint64_t{protocol::kFrameMaxDefault} * 16));
  }
  result.channel_max =
      static_cast<std::uint16_t>(fields.integer_or("channel_max", result.channel_max, 1, 65535));
  if (const auto heartbeat = fields.find("heartbeat")) {
    const std::int64_t ms = heartbeat->duration_ms(65535000, /*bare_ms=*/false);
    if (ms % 1000 != 0) heartbeat->fail_expected("whole seconds");
    result.heartbeat_s = static_cast<std::uint16_t>(ms / 1000);
  }
  if (const auto timeout = fields.find("handshake_timeout")) {
    result.handshake_timeout_ms = timeout->duration_ms(3600000, /*bare_ms=*/true);
    if (result.handshake_timeout_ms == 0) timeout->fail_expected("a duration above 0");
  }
  if (const auto size = fields.find("max_message_size")) {
    result.max_message_size = size->size(1, protocol::kBodySizeMax);
  }
  result.connection_max = static_cast<std::uint32_t>(
      fields.integer_or("connection_max", result.connection_max, 0, kUint32Max));
  result.consumers_per_channel = static_cast<std::uint32_t>(
      fields.integer_or("consumers_per_channel", result.consumers_per_channel, 0, kUint32Max));
  if (const auto watermark = fields.find("memory_watermark")) {
    read_memory_watermark(*watermark, &result);
  }
  if (const auto limit = fields.find("disk_free_limit")) {
    result.disk_free_limit = limit->size(0, INT64_MAX);
  }
  if (const auto size = fields.find("output_buffer")) {
    // Less than one small frame would stop every consumer; more than 1 GiB is no bound.
    result.output_buffer_bytes =
        static_cast<std::uint32_t>(size->size(protocol::kFrameMin, 1073741824));
  }
  return result;
}

Settings read_settings(const YamlFields& top) {
  Settings result;
  if (const auto listeners = top.find("listeners")) result.listeners = read_listeners(*listeners);
  if (const auto directory = top.find("data_dir")) {
    result.data_dir = directory->text();
    if (result.data_dir.empty()) directory->fail("is empty; expected a directory");
  }
  result.loops = static_cast<std::uint16_t>(top.integer_or("loops", result.loops, 0, 1024));
  if (const auto logging = top.find("logging")) result.log = read_logging(*logging);
  if (const auto limits = top.find("limits")) result.limits = read_limits(*limits);
  if (const auto users = top.find("loopback_users")) result.loopback_users = users->names();
  return result;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Configuration load_yaml(const std::string& text, const std::string& name) {
  const YamlNode root = parse_yaml(text, name);
  const YamlFields top(YamlValue(name, root, ""),
                       {"listeners", "data_dir", "loops", "logging", "limits", "loopback_users",
                        "vhosts", "users", "permissions", "topic_permissions", "policies",
                        "operator_policies", "exchanges", "queues", "bindings"});
  Configuration result;
  result.settings = read_settings(top);
  result.definitions = read_definitions(top);
  result.users_configured = top.find("users").has_value();
  return result;
}

Configuration load_yaml_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    throw ConfigError(path + ": cannot be opened: " + std::strerror(errno) +
                      "; expected a readable YAML file");
  }
  std::string text;
  std::array<char, 65536> chunk{};
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    text.append(chunk.data(), size);
    if (text.size() > kYamlBytesMax) break;  // load_yaml refuses it; no need for the rest
  }
  if (std::ferror(file.get()) != 0) {
    throw ConfigError(path + ": cannot be read: " + std::strerror(errno) +
                      "; expected a readable YAML file");
  }
  return load_yaml(text, path);
}

}  // namespace leveret::config
