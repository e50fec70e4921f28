#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "protocol/base/ids.h"
#include "queue/message.h"

// What loops send each other. The frequent kinds are plain values; everything rare is a Task.
namespace leveret::server {

class Loop;

// Names a channel from another loop. `generation` tells a channel from a later one with the same
// number.
struct ChannelAddress {
  ConnectionId connection;
  std::uint16_t loop = 0;
  ChannelId channel;
  std::uint32_t generation = 0;
};

// A consumer on its channel: a number that the channel gives out and never reuses.
using ConsumerKey = std::uint32_t;

using Task = std::function<void(Loop&)>;

// To a queue's home loop: publish `message` to these queues of that loop.
struct PublishMail {
  ChannelAddress from;
  // Number of the publish on its channel; 0 if nobody waits for the outcome.
  std::uint64_t publish_seq = 0;
  queue::MessageRef message;
  QueueId queue;
};

// Back to the publisher's loop: what became of it, and bytes that may be in flight again.
struct PublishedMail {
  ChannelAddress to;
  std::uint64_t publish_seq = 0;
  bool accepted = true;
  std::uint64_t bytes = 0;
};

// To a consumer's loop.
struct DeliverMail {
  ChannelAddress to;
  ConsumerKey consumer = 0;
  ConsumerId queue_consumer;
  QueueId queue;
  MessageSeq seq;
  queue::MessageRef message;
  std::uint32_t delivery_count = 0;
  bool redelivered = false;
  bool no_ack = false;
};

// To a queue's home loop: settlements in the order the client gave them.
struct SettleMail {
  enum class Kind : std::uint8_t { kAck, kReject, kRequeue, kRequeueUncounted, kUndeliver };
  Kind kind = Kind::kAck;
  QueueId queue;
  std::vector<MessageSeq> seqs;
};

// To a queue's home loop: deliveries of so many bytes have left for the consumer's socket.
struct CreditMail {
  QueueId queue;
  ConsumerId consumer;
  std::uint64_t bytes = 0;
};

using Mail = std::variant<Task, PublishMail, PublishedMail, DeliverMail, SettleMail, CreditMail>;

}  // namespace leveret::server
