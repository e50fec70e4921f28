#include "server/output_queue.h"

#include <algorithm>

namespace leveret::server {

void OutputQueue::borrow(queue::MessageRef message, std::string_view bytes) {
  if (bytes.empty()) return;
  borrowed_.push_back({copied_.size() - placed_, std::move(message), bytes});
  placed_ = copied_.size();
  borrowed_bytes_ += bytes.size();
}

std::size_t OutputQueue::gather(std::array<iovec, kGatherMax>* vectors) {
  std::size_t count = 0;
  char* copied = copied_.data();
  std::size_t used = 0;
  for (const Borrowed& entry : borrowed_) {
    if (count + 2 > kGatherMax) return count;
    if (entry.behind > 0) {
      (*vectors)[count++] = {copied + used, entry.behind};
      used += entry.behind;
    }
    (*vectors)[count++] = {const_cast<char*>(entry.bytes.data()), entry.bytes.size()};
  }
  if (copied_.size() > used && count < kGatherMax) {
    (*vectors)[count++] = {copied + used, copied_.size() - used};
  }
  return count;
}

void OutputQueue::consume(std::size_t n) {
  while (n > 0 && !borrowed_.empty()) {
    Borrowed& front = borrowed_.front();
    const std::size_t before = std::min(n, front.behind);
    if (before > 0) {
      copied_.consume(before);
      front.behind -= before;
      placed_ -= before;
      n -= before;
    }
    if (front.behind > 0) return;
    const std::size_t body = std::min(n, front.bytes.size());
    front.bytes.remove_prefix(body);
    borrowed_bytes_ -= body;
    n -= body;
    if (!front.bytes.empty()) return;
    borrowed_.pop_front();
  }
  if (n > 0) copied_.consume(n);
}

void OutputQueue::release() {
  copied_.release();
  borrowed_.clear();
  borrowed_.shrink_to_fit();
  borrowed_bytes_ = 0;
  placed_ = 0;
}

}  // namespace leveret::server
