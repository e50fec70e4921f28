#include "exchange/destination_collector.h"

#include <algorithm>

namespace leveret::exchange {
namespace {

// Up to here a scan of the list is as fast as a look at the table.
constexpr std::size_t kScanMax = 12;

}  // namespace

void DestinationCollector::begin(std::vector<QueueId>* queues) {
  queues->clear();
  queues_ = queues;
  given_ = 0;
  seen_.clear();
  visited_.clear();
  to_ask_.clear();
}

void DestinationCollector::add(const DestinationSet& set) {
  // One set has no repetitions in itself: the first one need not be compared with anything.
  const bool first = queues_->empty();
  set.for_each([this, first](const Destination& destination) {
    ++given_;
    if (destination.is_exchange()) {
      visit_exchange(destination.exchange_slot());
    } else if (first || first_sight(destination.queue_id())) {
      queues_->push_back(destination.queue_id());
    }
  });
}

void DestinationCollector::add_queue(QueueId id) {
  ++given_;
  if (first_sight(id)) queues_->push_back(id);
}

void DestinationCollector::visit_exchange(ExchangeSlot slot) {
  if (visited_.insert(slot)) to_ask_.push_back(slot);
}

std::optional<ExchangeSlot> DestinationCollector::next_exchange() {
  if (to_ask_.empty()) return std::nullopt;
  const ExchangeSlot slot = to_ask_.back();
  to_ask_.pop_back();
  return slot;
}

bool DestinationCollector::first_sight(QueueId id) {
  if (queues_->size() <= kScanMax) return std::ranges::find(*queues_, id) == queues_->end();
  // Queues of a first set come here only when a second set does.
  while (seen_.size() < queues_->size()) seen_.insert((*queues_)[seen_.size()]);
  return seen_.insert(id);
}

}  // namespace leveret::exchange
