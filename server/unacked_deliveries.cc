#include "server/unacked_deliveries.h"

#include <algorithm>

namespace leveret::server {
namespace {

// Below this many marks a rebuild is not worth it.
constexpr std::size_t kRebuildFrom = 1024;

}  // namespace

bool UnackedDeliveries::take(std::uint64_t tag, std::vector<Entry>* out) {
  if (entries_.empty() || tag < entries_.front().tag) return false;
  const std::uint64_t guess = tag - entries_.front().tag;
  auto at = entries_.end();
  if (guess < entries_.size() && entries_[guess].tag == tag) {
    at = entries_.begin() + static_cast<std::ptrdiff_t>(guess);
  } else {
    at = std::lower_bound(entries_.begin(), entries_.end(), tag,
                          [](const Entry& entry, std::uint64_t t) { return entry.tag < t; });
  }
  if (at == entries_.end() || at->tag != tag || at->settled) return false;
  out->push_back(*at);
  at->settled = true;
  --alive_;
  drop_settled();
  return true;
}

bool UnackedDeliveries::take_up_to(std::uint64_t tag, std::vector<Entry>* out) {
  if (tag == 0) {
    take_all(out);
    return true;
  }
  drop_settled();
  if (entries_.empty() || tag < entries_.front().tag) return false;
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), tag,
                       [](const Entry& entry, std::uint64_t t) { return entry.tag < t; });
  if (at == entries_.end() || at->tag != tag || at->settled) return false;
  while (!entries_.empty() && entries_.front().tag <= tag) {
    if (!entries_.front().settled) {
      out->push_back(entries_.front());
      --alive_;
    }
    entries_.pop_front();
  }
  drop_settled();
  return true;
}

void UnackedDeliveries::take_all(std::vector<Entry>* out) {
  for (const Entry& entry : entries_) {
    if (!entry.settled) out->push_back(entry);
  }
  entries_.clear();
  alive_ = 0;
}

void UnackedDeliveries::put_back(std::vector<Entry> entries) {
  alive_ += entries.size();
  std::erase_if(entries_, [](const Entry& entry) { return entry.settled; });
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.tag < b.tag; });
}

void UnackedDeliveries::drop_settled() {
  while (!entries_.empty() && entries_.front().settled) entries_.pop_front();
  if (entries_.size() > kRebuildFrom && entries_.size() > alive_ * 4) {
    std::erase_if(entries_, [](const Entry& entry) { return entry.settled; });
  }
}

}  // namespace leveret::server
