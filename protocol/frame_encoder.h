#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/base/buffer.h"
#include "protocol/base/ids.h"

// Frames other than methods; those are in methods.h.
namespace leveret::protocol {

// The content header of a basic message. properties: flags and list, as encode_properties() makes
// them or as they were received.
void write_content_header(Buffer& out, ChannelId channel, std::uint64_t body_size,
                          std::string_view properties);

// As many body frames as it takes so that none, with its overhead, is larger than frame_max; 0 is
// no limit. An empty body has no frame. REQUIRES: frame_max is 0 or > kFrameOverhead.
void write_body(Buffer& out, ChannelId channel, std::string_view body, std::uint32_t frame_max);

void write_heartbeat(Buffer& out);

}  // namespace leveret::protocol
