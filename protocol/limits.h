#pragma once

#include <cstddef>
#include <cstdint>

// Everything a peer controls has its bound here; the defaults that an operator may change are in
// config/settings.h.
namespace leveret::protocol {

// AMQP 0-9-1 section 4.2.3: a peer must accept frames of this size. RabbitMQ up to 4.0 takes it as
// the smallest frame_max; clients that ask for 4096 exist.
inline constexpr std::uint32_t kFrameMin = 4096;
inline constexpr std::uint32_t kFrameMaxDefault = 131072;
// type (1), channel (2), payload size (4), frame end (1).
inline constexpr std::uint32_t kFrameOverhead = 8;
inline constexpr std::uint32_t kFrameHeaderBytes = 7;
inline constexpr char kFrameEnd = '\xCE';

inline constexpr std::uint16_t kChannelMaxDefault = 2047;
inline constexpr std::uint16_t kHeartbeatDefaultS = 60;

inline constexpr std::size_t kShortStringMax = 255;
// Tables and arrays inside each other. RabbitMQ has no bound; deeper than any real header.
inline constexpr int kTableDepthMax = 256;
// RabbitMQ 4 refuses a larger announced size at the content header.
inline constexpr std::uint64_t kBodySizeMax = 536870912;

static_assert(kFrameMin <= kFrameMaxDefault);

}  // namespace leveret::protocol
