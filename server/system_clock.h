#pragma once

#include <chrono>

#include "protocol/base/clock.h"

namespace leveret::server {

class SystemClock final : public Clock {
 public:
  MonotonicMs now_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  std::int64_t wall_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace leveret::server
