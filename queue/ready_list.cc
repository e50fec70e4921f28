#include "queue/ready_list.h"

#include <algorithm>
#include <utility>

#include "protocol/base/assert.h"

namespace leveret::queue {
namespace {

// Fewer gaps than this are not worth moving the others.
constexpr std::size_t kGapsSlack = 64;

}  // namespace

ReadyList::ReadyList(std::uint8_t priority_max) : levels_(std::size_t{priority_max} + 1) {}

ReadyList::Level& ReadyList::level_of(std::uint8_t priority) {
  const std::size_t at = std::min<std::size_t>(priority, levels_.size() - 1);
  highest_ = std::max(highest_, at);
  return levels_[at];
}

void ReadyList::note_added(const Entry& entry) {
  ++count_;
  body_bytes_ += entry.message->body_size();
}

void ReadyList::note_removed(Level& level, const Entry& entry) {
  --level.count;
  --count_;
  body_bytes_ -= entry.message->body_size();
}

void ReadyList::push(Entry entry) {
  Level& level = level_of(entry.message->priority());
  note_added(entry);
  ++level.count;
  level.ring.push_back(std::move(entry));
}

void ReadyList::put_back(Entry entry) {
  Level& level = level_of(entry.message->priority());
  note_added(entry);
  ++level.count;
  const std::uint64_t seq = entry.seq.value;
  level.returned.emplace_hint(level.returned.end(), seq, std::move(entry));
}

Entry ReadyList::pop_front() {
  LEVERET_ASSERT(count_ > 0);
  while (levels_[highest_].count == 0) --highest_;
  return pop(levels_[highest_]);
}

Entry ReadyList::pop_least() {
  LEVERET_ASSERT(count_ > 0);
  std::size_t lowest = 0;
  while (levels_[lowest].count == 0) ++lowest;
  return pop(levels_[lowest]);
}

Entry ReadyList::pop(Level& level) {
  if (!level.returned.empty()) {
    const auto first = level.returned.begin();
    Entry entry = std::move(first->second);
    level.returned.erase(first);
    note_removed(level, entry);
    return entry;
  }
  Entry entry = level.ring.pop_front();
  note_removed(level, entry);
  drop_gaps(level);
  return entry;
}

// The front of a ring is always a message, so that pop() need not look.
void ReadyList::drop_gaps(Level& level) {
  while (!level.ring.empty() && !level.ring.front().message) level.ring.pop_front();
}

// Behind a message that stays, gaps would pile up for as long as it does.
void ReadyList::close_gaps(Level& level) {
  const std::size_t alive = level.count - level.returned.size();
  if (level.ring.size() <= kGapsSlack + 2 * alive) return;
  Ring<Entry> closed;
  for (std::size_t i = 0; i < level.ring.size(); ++i) {
    if (level.ring[i].message) closed.push_back(std::move(level.ring[i]));
  }
  level.ring = std::move(closed);
}

std::size_t ReadyList::places() const {
  std::size_t places = 0;
  for (const Level& level : levels_) places += level.returned.size() + level.ring.size();
  return places;
}

std::optional<Entry> ReadyList::take(MessageSeq seq, std::uint8_t priority) {
  Level& level = levels_[std::min<std::size_t>(priority, levels_.size() - 1)];
  if (const auto at = level.returned.find(seq.value); at != level.returned.end()) {
    Entry entry = std::move(at->second);
    level.returned.erase(at);
    note_removed(level, entry);
    return entry;
  }
  std::size_t low = 0;
  std::size_t high = level.ring.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (level.ring[middle].seq < seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == level.ring.size() || level.ring[low].seq != seq || !level.ring[low].message) {
    return std::nullopt;
  }
  Entry entry = level.ring[low];
  level.ring[low].message.reset();
  note_removed(level, entry);
  drop_gaps(level);
  close_gaps(level);
  return entry;
}

void ReadyList::clear() {
  for (Level& level : levels_) {
    level.returned.clear();
    level.ring.clear();
    level.count = 0;
  }
  highest_ = 0;
  count_ = 0;
  body_bytes_ = 0;
}

}  // namespace leveret::queue
