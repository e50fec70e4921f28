#include "queue/memory_count.h"

#include <atomic>
#include <mutex>
#include <set>

namespace leveret::queue {
namespace {

struct Counter;

struct Registry {
  std::mutex mutex;
  std::set<Counter*> counters;
  // What threads that have ended left behind.
  std::int64_t ended = 0;
};

// Never destroyed: threads may end after the program's statics.
Registry& registry() {
  static auto* instance = new Registry();
  return *instance;
}

struct Counter {
  // Written by its thread alone, so a plain load and store suffice.
  std::atomic<std::int64_t> bytes{0};

  Counter() {
    const std::lock_guard lock(registry().mutex);
    registry().counters.insert(this);
  }
  ~Counter() {
    const std::lock_guard lock(registry().mutex);
    registry().counters.erase(this);
    registry().ended += bytes.load(std::memory_order_relaxed);
  }
};

thread_local Counter counter;

}  // namespace

void MemoryCount::add(std::int64_t bytes) {
  counter.bytes.store(counter.bytes.load(std::memory_order_relaxed) + bytes,
                      std::memory_order_relaxed);
}

std::int64_t MemoryCount::total() {
  const std::lock_guard lock(registry().mutex);
  std::int64_t sum = registry().ended;
  for (const Counter* each : registry().counters)
    sum += each->bytes.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace leveret::queue
