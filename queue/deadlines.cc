#include "queue/deadlines.h"

#include <algorithm>

namespace leveret::queue {
namespace {

// For a heap with the soonest on top. Equal deadlines go in order of publishing.
bool later(const Deadlines::Item& a, const Deadlines::Item& b) {
  return a.at != b.at ? a.at > b.at : a.seq > b.seq;
}

}  // namespace

void Deadlines::add(const Item& item) {
  heap_.push_back(item);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

std::optional<MonotonicMs> Deadlines::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().at;
}

std::optional<Deadlines::Item> Deadlines::take_due(MonotonicMs now) {
  if (heap_.empty() || heap_.front().at > now) return std::nullopt;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Item item = heap_.back();
  heap_.pop_back();
  return item;
}

}  // namespace leveret::queue
