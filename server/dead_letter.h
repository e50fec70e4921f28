#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "queue/effects.h"
#include "queue/message.h"
#include "server/mail.h"

namespace leveret::server {

class Loop;
class QueueHost;

// Messages that died in queues of this loop, on their way to dead-letter exchanges.
//
// Home loop: its loop's. A dead letter may kill another message (a full target queue), so they are
// worked off one by one from a list, not by recursion.
class DeadLetters {
 public:
  explicit DeadLetters(Loop& loop) : loop_(loop) {}

  void add(const QueueHost& source, const queue::MessageRef& message,
           queue::DeadLetterReason reason);
  // Publishes what was added. No effect inside itself.
  void run();

 private:
  struct Letter {
    queue::MessageRef message;
    std::string vhost;
    std::string queue;
    std::string exchange;
    std::string routing_key;
    bool has_routing_key = false;
    queue::DeadLetterReason reason;
  };

  void publish(const Letter& letter);

  Loop& loop_;
  std::deque<Letter> letters_;
  std::vector<QueueId> targets_;
  bool running_ = false;
};

}  // namespace leveret::server
