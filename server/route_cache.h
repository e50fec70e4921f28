#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"

namespace leveret::server {

// The last routes of one channel. An entry holds only for the route snapshot and the permissions it
// was found under, so a change of either drops it by itself.
//
// Home loop: its channel's.
class RouteCache {
 public:
  struct Entry {
    std::string exchange;
    std::string routing_key;
    std::uint64_t routes_version = 0;
    const void* access = nullptr;
    bool used = false;
    std::vector<QueueId> queues;
  };

  // Null: not known under these versions.
  const std::vector<QueueId>* find(std::string_view exchange, std::string_view routing_key,
                                   std::uint64_t routes_version, const void* access) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[slot(exchange, routing_key)];
    if (entry.routes_version != routes_version || entry.access != access || !entry.used ||
        entry.routing_key != routing_key || entry.exchange != exchange) {
      return nullptr;
    }
    return &entry.queues;
  }

  void put(std::string_view exchange, std::string_view routing_key, std::uint64_t routes_version,
           const void* access, const std::vector<QueueId>& queues) {
    // Long lists are found again faster than they are copied.
    if (queues.size() > kQueuesMax) return;
    if (entries_.empty()) entries_.resize(kEntries);
    Entry& entry = entries_[slot(exchange, routing_key)];
    entry.exchange.assign(exchange);
    entry.routing_key.assign(routing_key);
    entry.routes_version = routes_version;
    entry.access = access;
    entry.used = true;
    entry.queues.assign(queues.begin(), queues.end());
  }

 private:
  static constexpr std::size_t kEntries = 16;
  static constexpr std::size_t kQueuesMax = 1024;

  // Sizes and the ends of the key: enough to tell a handful of keys apart without hashing them all.
  static std::size_t slot(std::string_view exchange, std::string_view routing_key) {
    std::uint64_t tail = 0;
    const std::size_t n = std::min<std::size_t>(routing_key.size(), sizeof tail);
    if (n > 0) std::memcpy(&tail, routing_key.data() + routing_key.size() - n, n);
    tail = (tail + routing_key.size() * 31 + exchange.size() * 131) * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(tail >> 60);
  }
  static_assert(kEntries == 16, "slot() takes the top four bits");

  std::vector<Entry> entries_;
};

}  // namespace leveret::server
