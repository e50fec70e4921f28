#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/buffer.h"
#include "protocol/frame.h"
#include "protocol/frame_encoder.h"
#include "protocol/limits.h"
#include "protocol/methods.h"

// Frames as a client sends them, built independently of the server's encoder where it matters.
namespace leveret::protocol::test {

// A string with NULs in it, from a literal.
template <std::size_t N>
std::string bytes(const char (&literal)[N]) {
  return std::string(literal, N - 1);
}

inline std::string frame(std::uint8_t type, std::uint16_t channel, std::string_view payload) {
  std::string out(7, '\0');
  out[0] = static_cast<char>(type);
  store_u16(out.data() + 1, channel);
  store_u32(out.data() + 3, static_cast<std::uint32_t>(payload.size()));
  return out.append(payload).append(1, kFrameEnd);
}

// A method frame with any ids and arguments.
inline std::string raw_method(std::uint16_t channel, std::uint16_t class_id,
                              std::uint16_t method_id, std::string_view args) {
  std::string payload(4, '\0');
  store_u16(payload.data(), class_id);
  store_u16(payload.data() + 2, method_id);
  return frame(1, channel, payload.append(args));
}

template <class M>
std::string method(std::uint16_t channel, const M& m) {
  Buffer out;
  write_method(out, ChannelId(channel), m);
  return std::string(out.view());
}

// The arguments alone.
template <class M>
std::string arguments(const M& m) {
  const std::string all = method(1, m);
  return all.substr(kFrameHeaderBytes + 4, all.size() - kFrameOverhead - 4);
}

inline std::string content_header(std::uint16_t channel, std::uint64_t body_size,
                                  std::uint16_t class_id = 60, std::uint16_t weight = 0) {
  std::string payload(14, '\0');
  store_u16(payload.data(), class_id);
  store_u16(payload.data() + 2, weight);
  store_u64(payload.data() + 4, body_size);
  return frame(2, channel, payload);
}

inline std::string body(std::uint16_t channel, std::string_view payload) {
  return frame(3, channel, payload);
}

inline std::string heartbeat() {
  return frame(8, 0, {});
}

}  // namespace leveret::protocol::test
