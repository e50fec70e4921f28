#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/properties.h"
#include "queue/effects.h"

namespace leveret::server {

struct Death {
  std::string_view queue;
  queue::DeadLetterReason reason = queue::DeadLetterReason::kRejected;
  // As the message was published to that queue.
  std::string_view exchange;
  std::string_view routing_key;
  std::int64_t seconds = 0;  // since 1970
  // False: the dead-letter routing key replaces the CC keys, and the header goes.
  bool keep_cc = true;
};

// The x-death header: where and why a message died, newest first, one entry for each queue and
// reason with a count. In the format of RabbitMQ 3.10, which goes on counting in a header that a
// client sends back: retry libraries rely on it.
class DeathHistory {
 public:
  static DeathHistory after(const protocol::BasicProperties& properties, const Death& death);

  // All headers of the message, x-death and x-first-death-* included; entries of a table.
  std::string_view headers() const { return headers_; }
  // Views into headers().
  std::vector<std::string_view> cc_keys() const;
  // The message would go round without anybody having rejected it: RabbitMQ drops it.
  bool is_cycle(std::string_view queue) const;

 private:
  std::string headers_;
};

std::string_view reason_name(queue::DeadLetterReason reason);

}  // namespace leveret::server
