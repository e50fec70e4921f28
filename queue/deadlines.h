#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"

namespace leveret::queue {

// When messages of one queue expire, soonest first. Only messages with a time to live are here.
//
// A message that is delivered stays in the list; whoever takes it from here checks whether it is
// still ready. The owner rebuilds the list when such leftovers outnumber what is alive.
class Deadlines {
 public:
  struct Item {
    MonotonicMs at = 0;
    MessageSeq seq;
    std::uint8_t priority = 0;
  };

  void add(const Item& item);
  std::optional<MonotonicMs> next() const;
  // The soonest item if it is due.
  std::optional<Item> take_due(MonotonicMs now);
  std::size_t size() const { return heap_.size(); }
  void clear() { heap_ = {}; }

 private:
  std::vector<Item> heap_;
};

}  // namespace leveret::queue
