#include "server/direct_reply.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "server/names.h"

namespace leveret::server {

std::string direct_reply_name(const ChannelAddress& address) {
  std::string name(kReplyTo);
  name += "." + std::to_string(address.loop) + "-" + std::to_string(address.connection.value) +
          "-" + std::to_string(address.channel.value) + "-" + std::to_string(address.generation);
  return random_name(name + ".") + "==";
}

std::optional<ChannelAddress> parse_direct_reply_name(std::string_view name) {
  if (name.size() <= kReplyTo.size() + 1 || !name.starts_with(kReplyTo) ||
      name[kReplyTo.size()] != '.') {
    return std::nullopt;
  }
  name.remove_prefix(kReplyTo.size() + 1);
  std::array<std::uint64_t, 4> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), parts[i]);
    const char divider = i + 1 < parts.size() ? '-' : '.';
    if (error != std::errc{} || end == name.data() + name.size() || *end != divider) {
      return std::nullopt;
    }
    name.remove_prefix(static_cast<std::size_t>(end - name.data()) + 1);
  }
  if (parts[0] > UINT16_MAX || parts[2] > UINT16_MAX || parts[3] > UINT32_MAX) return std::nullopt;
  return ChannelAddress{ConnectionId(parts[1]), static_cast<std::uint16_t>(parts[0]),
                        ChannelId(static_cast<std::uint16_t>(parts[2])),
                        static_cast<std::uint32_t>(parts[3])};
}

}  // namespace leveret::server
