#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/base/ids.h"
#include "queue/message.h"
#include "server/output_queue.h"

namespace leveret::server {

struct DeliverStart {
  std::string_view consumer_tag;
  std::uint64_t delivery_tag = 0;
  bool redelivered = false;
};

// basic.deliver with its content. A message whose body fits one frame is copied as it lies in
// memory and gets its channel patched in.
void write_message_frames(OutputQueue& output, std::uint32_t frame_max, ChannelId channel,
                          const queue::MessageRef& message, const DeliverStart& start);

// Header and body frames alone, behind basic.get-ok or basic.return.
void write_content_frames(OutputQueue& output, std::uint32_t frame_max, ChannelId channel,
                          const queue::MessageRef& message);

}  // namespace leveret::server
