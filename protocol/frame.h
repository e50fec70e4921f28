#pragma once

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

}  // namespace leveret::protocol
