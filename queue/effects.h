#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/ids.h"
#include "queue/message.h"

namespace leveret::queue {

enum class DeadLetterReason : std::uint8_t { kRejected, kExpired, kMaxLength, kDeliveryLimit };

// Something a queue wants done outside itself. The server carries effects out in order.
struct Effect {
  enum class Kind : std::uint8_t {
    kDeliver,         // message `seq` goes to the consumer with `cookie`
    kAppend,          // `seq` is persistent in a durable queue: the store keeps it before a confirm
    kSettle,          // `seq`, appended earlier, is gone for good
    kDeadLetter,      // `message` left for `reason`; publish it to the dead-letter exchange
    kCancelConsumer,  // the queue dropped this consumer (it was deleted)
    kUnused,          // the last consumer of an auto-delete queue left: delete the queue
    kExpired,         // the queue was unused for x-expires: delete it
  };
  Kind kind = Kind::kDeliver;
  bool redelivered = false;
  bool no_ack = false;
  DeadLetterReason reason = DeadLetterReason::kRejected;
  std::uint32_t delivery_count = 0;
  MessageSeq seq;
  ConsumerId consumer;
  void* cookie = nullptr;
  MessageRef message;
};

// Reused by its owner, so that filling it allocates nothing once warm.
using Effects = std::vector<Effect>;

}  // namespace leveret::queue
