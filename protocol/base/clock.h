#pragma once

#include <cstdint>

namespace leveret {

// Milliseconds that only go forward; for deadlines and intervals.
using MonotonicMs = std::int64_t;

// Source of time, so that tests decide what time it is.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicMs now_ms() const = 0;
  // Milliseconds since 1970-01-01 UTC; for headers that a client reads.
  virtual std::int64_t wall_ms() const = 0;
};

}  // namespace leveret
