#pragma once

#include <cstdint>

namespace leveret::queue {

// Counts the bytes of all messages alive, without contention: each thread adds to a counter of its
// own, which only reading the total visits. Freeing on another thread than the allocating one makes
// single counters negative, never the total.
class MemoryCount {
 public:
  static void add(std::int64_t bytes);
  // Any thread; exact when no other thread is at work.
  static std::int64_t total();
};

}  // namespace leveret::queue
