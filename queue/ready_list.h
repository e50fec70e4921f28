#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/base/ids.h"
#include "queue/entry.h"
#include "queue/ring.h"

namespace leveret::queue {

// The ready messages of one queue in delivery order: by priority if the queue has any, then by seq.
//
// New messages have ever greater seqs and go to the end of a ring. Whatever comes back was
// delivered before everything in the ring, so returned messages are a second, sorted list that goes
// first.
class ReadyList {
 public:
  // priority_max: 0 for a queue without priorities.
  explicit ReadyList(std::uint8_t priority_max);

  // REQUIRES: the entry's seq is greater than all pushed before.
  void push(Entry entry);
  // Back to its place.
  void put_back(Entry entry);
  bool empty() const { return count_ == 0; }
  std::uint64_t size() const { return count_; }
  std::uint64_t body_bytes() const { return body_bytes_; }
  // Entries in memory: size() and the gaps that take() left.
  std::size_t places() const;

  // REQUIRES: not empty.
  Entry pop_front();
  // The oldest of the lowest priority: what an overflowing queue drops. REQUIRES: not empty.
  Entry pop_least();
  // Takes a message out of the middle; empty if it is not ready. `priority`: the message's own.
  std::optional<Entry> take(MessageSeq seq, std::uint8_t priority);
  // Calls visit(Entry&) for each, in no particular order.
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (Level& level : levels_) {
      for (auto& [seq, entry] : level.returned) visit(entry);
      for (std::size_t i = 0; i < level.ring.size(); ++i) {
        if (level.ring[i].message) visit(level.ring[i]);
      }
    }
  }
  void clear();

 private:
  struct Level {
    std::map<std::uint64_t, Entry> returned;
    Ring<Entry> ring;
    std::uint64_t count = 0;
  };

  Level& level_of(std::uint8_t priority);
  Entry pop(Level& level);
  void drop_gaps(Level& level);
  void close_gaps(Level& level);
  void note_added(const Entry& entry);
  void note_removed(Level& level, const Entry& entry);

  std::vector<Level> levels_;  // by priority
  std::size_t highest_ = 0;    // no level above it has a message
  std::uint64_t count_ = 0;
  std::uint64_t body_bytes_ = 0;
};

}  // namespace leveret::queue
