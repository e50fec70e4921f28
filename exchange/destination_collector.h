#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exchange/destination_set.h"
#include "exchange/persistent/epoch_set.h"

namespace leveret::exchange {

// Gathers the destinations of one message: queues into the caller's list, exchanges into a list of
// those still to be asked; each once. Working memory is kept from message to message.
class DestinationCollector {
 public:
  // Forgets the message before. *queues receives the queues until the next begin().
  void begin(std::vector<QueueId>* queues);

  void add(const DestinationSet& set);
  void add_queue(QueueId id);
  // Asks an exchange later, unless that has been said already.
  void visit_exchange(ExchangeSlot slot);

  // The next exchange to ask; empty when all were asked.
  std::optional<ExchangeSlot> next_exchange();
  // Destinations given so far, repeated ones counted again.
  std::size_t given() const { return given_; }

 private:
  struct HashOfQueue {
    std::uint64_t operator()(QueueId id) const { return Destination::queue(id).hash(); }
  };
  struct HashOfSlot {
    std::uint64_t operator()(ExchangeSlot slot) const { return Destination::exchange(slot).hash(); }
  };

  bool first_sight(QueueId id);

  std::vector<QueueId>* queues_ = nullptr;
  std::size_t given_ = 0;
  // The first seen_.size() of *queues_.
  EpochSet<QueueId, HashOfQueue> seen_;
  EpochSet<ExchangeSlot, HashOfSlot> visited_;
  std::vector<ExchangeSlot> to_ask_;
};

}  // namespace leveret::exchange
