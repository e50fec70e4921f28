#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/base/ids.h"

// A frame on the wire:
//
//   0      1         3             7                size+7   size+8
//   +------+---------+-------------+----------------+--------+
//   | type | channel |    size     |    payload     |  0xCE  |
//   +------+---------+-------------+----------------+--------+
namespace leveret::protocol {

enum class FrameType : std::uint8_t { kMethod = 1, kHeader = 2, kBody = 3, kHeartbeat = 8 };

// A view into the bytes that were fed; valid until they move.
struct Frame {
  std::uint8_t type = 0;
  ChannelId channel;
  std::string_view payload;
};

// Whether the type is known and the payload long enough for it; without looking further.
inline bool well_formed(const Frame& frame) {
  constexpr std::size_t kMethodBytesMin = 4;
  constexpr std::size_t kHeaderBytesMin = 12;
  switch (static_cast<FrameType>(frame.type)) {
    case FrameType::kMethod:
      return frame.payload.size() >= kMethodBytesMin;
    case FrameType::kHeader:
      return frame.payload.size() >= kHeaderBytesMin;
    case FrameType::kBody:
      return true;
    case FrameType::kHeartbeat:
      return frame.payload.empty();
  }
  return false;
}

}  // namespace leveret::protocol
