#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace leveret::server {

// Publisher confirms of one channel: which publishes are settled and not yet told.
//
// Settlements arrive in any order. Tags up to the smallest unsettled one go out as one multiple
// acknowledgement; nothing is ever acknowledged past an unsettled or refused tag.
class Confirms {
 public:
  struct Reply {
    std::uint64_t tag = 0;
    bool multiple = false;
    bool nack = false;
  };

  // The next publish: returns its tag, from 1. `pending`: outcomes that must come in before it is
  // settled; 0 settles it at once.
  std::uint64_t add(std::uint32_t pending);
  // One of the awaited outcomes. A refused one makes it a nack whatever the others say.
  void settle(std::uint64_t tag, bool accepted);
  // More outcomes to await than add() was told. REQUIRES: tag is not settled.
  void expect_more(std::uint64_t tag, std::uint32_t pending);

  bool has_replies() const { return settled_ > 0; }
  // Appends what can be told now and forgets it.
  void take_replies(std::vector<Reply>* replies);
  std::uint64_t unsettled() const { return entries_.size() - settled_ - told_; }

 private:
  struct Entry {
    std::uint32_t pending = 0;
    bool refused = false;
    bool told = false;
  };
  std::deque<Entry> entries_;  // entries_[i] is tag first_ + i
  std::uint64_t first_ = 1;
  std::uint64_t settled_ = 0;  // settled but not told
  std::uint64_t told_ = 0;     // told, but behind an unsettled one
};

}  // namespace leveret::server
