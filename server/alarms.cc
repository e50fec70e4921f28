#include "server/alarms.h"

#include <algorithm>
#include <chrono>
#include <malloc.h>
#include <spdlog/spdlog.h>

#include "queue/message.h"
#include "server/broker.h"
#include "server/loop.h"
#include "server/memory.h"

namespace leveret::server {
namespace {

// A fast publisher adds some 500 MB a second; a quarter of a second of that is what the watermark
// may be exceeded by.
constexpr std::chrono::milliseconds kInterval{250};

}  // namespace

Alarms::Alarms(Broker& broker, Loop& loop, const config::Limits& limits)
    : broker_(broker), loop_(loop), timer_(loop.io()) {
  set_limits(limits);
}

void Alarms::set_limits(const config::Limits& limits) {
  memory_limit_ = limits.memory_watermark_bytes.value_or(static_cast<std::uint64_t>(
      limits.memory_watermark * static_cast<double>(available_memory())));
}

void Alarms::start() {
  spdlog::info("memory watermark: {} MiB of {} MiB", memory_limit_ >> 20, available_memory() >> 20);
  wait();
}

void Alarms::wait() {
  timer_.expires_after(kInterval);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    check();
    wait();
  });
}

void Alarms::check() {
  std::uint64_t used = resident_memory();
  const auto messages =
      static_cast<std::uint64_t>(std::max<std::int64_t>(queue::Message::bytes_alive(), 0));
  // Freed memory that the allocator keeps is not what publishers should wait for.
  if (used >= memory_limit_ && messages < memory_limit_ / 2) {
    malloc_trim(0);
    used = resident_memory();
  }
  const std::string reason = used >= memory_limit_ ? "low on memory" : "";
  if (reason == reason_) return;
  reason_ = reason;
  if (reason.empty()) {
    spdlog::warn("memory alarm cleared: {} MiB in use, publishers go on", used >> 20);
  } else {
    spdlog::warn("memory alarm: {} MiB in use, watermark {} MiB; publishers are blocked",
                 used >> 20, memory_limit_ >> 20);
  }
  for (std::uint16_t i = 0; i < broker_.loop_count(); ++i) {
    loop_.send(i, Task([reason](Loop& loop) { loop.set_alarm(reason); }));
  }
}

}  // namespace leveret::server
