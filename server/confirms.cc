#include "server/confirms.h"

namespace leveret::server {

std::uint64_t Confirms::add(std::uint32_t pending) {
  entries_.push_back({pending, false, false});
  if (pending == 0) ++settled_;
  return first_ + entries_.size() - 1;
}

void Confirms::settle(std::uint64_t tag, bool accepted) {
  if (tag < first_ || tag - first_ >= entries_.size()) return;
  Entry& entry = entries_[tag - first_];
  if (entry.pending == 0) return;
  entry.refused |= !accepted;
  if (--entry.pending == 0) ++settled_;
}

void Confirms::expect_more(std::uint64_t tag, std::uint32_t pending) {
  Entry& entry = entries_[tag - first_];
  if (entry.pending == 0 && pending > 0) --settled_;
  entry.pending += pending;
}

void Confirms::take_replies(std::vector<Reply>* replies) {
  if (settled_ == 0) return;
  // The settled run at the front: acknowledged in one go up to each refused tag.
  std::uint64_t ack_up_to = 0;
  std::uint64_t run = 0;
  const auto end_run = [&] {
    if (run > 0) replies->push_back({ack_up_to, run > 1, false});
    run = 0;
  };
  while (!entries_.empty() && entries_.front().pending == 0) {
    const Entry entry = entries_.front();
    if (entry.told) {
      --told_;
      // No acknowledgement may cover a tag that was refused.
      if (entry.refused) end_run();
    } else {
      --settled_;
      if (entry.refused) {
        end_run();
        replies->push_back({first_, false, true});
      } else {
        ack_up_to = first_;
        ++run;
      }
    }
    entries_.pop_front();
    ++first_;
  }
  end_run();
  // Settled ahead of an unsettled one: one by one.
  for (std::size_t i = 0; settled_ > 0 && i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.pending != 0 || entry.told) continue;
    entry.told = true;
    ++told_;
    --settled_;
    replies->push_back({first_ + i, false, entry.refused});
  }
}

}  // namespace leveret::server
