#pragma once

#include <cstdint>
#include <limits>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "queue/message.h"

namespace leveret::queue {

inline constexpr MonotonicMs kNever = std::numeric_limits<MonotonicMs>::max();

// A message in one queue.
struct Entry {
  MessageSeq seq;
  MessageRef message;  // null: it was taken out of the middle of the list
  MonotonicMs published_at = 0;
  MonotonicMs expires_at = kNever;
  std::uint32_t delivery_count = 0;  // returns that count toward the delivery limit
  bool redelivered = false;
  bool appended = false;  // the store keeps it
};

}  // namespace leveret::queue
