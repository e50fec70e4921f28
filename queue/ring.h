#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "protocol/base/assert.h"

namespace leveret::queue {

// A double-ended list in one block of memory that doubles when it is full and is given back when
// the list is empty. An empty one takes no memory, which counts with 100,000 idle queues.
template <typename T>
class Ring {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return items_[(begin_ + i) & (capacity_ - 1)]; }
  T& front() { return items_[begin_]; }

  void push_back(T item) {
    if (size_ == capacity_) grow();
    items_[(begin_ + size_) & (capacity_ - 1)] = std::move(item);
    ++size_;
  }

  T pop_front() {
    LEVERET_ASSERT(size_ > 0);
    T item = std::move(items_[begin_]);
    begin_ = (begin_ + 1) & (capacity_ - 1);
    if (--size_ == 0) shrink();
    return item;
  }

  void clear() {
    items_.reset();
    begin_ = size_ = capacity_ = 0;
  }

 private:
  // What a queue that is filled and drained all the time may keep.
  static constexpr std::size_t kKeep = 64;

  void grow() {
    const std::size_t bigger = capacity_ == 0 ? 8 : capacity_ * 2;
    std::unique_ptr<T[]> moved(new T[bigger]);
    for (std::size_t i = 0; i < size_; ++i) moved[i] = std::move((*this)[i]);
    items_ = std::move(moved);
    begin_ = 0;
    capacity_ = bigger;
  }
  void shrink() {
    if (capacity_ > kKeep) clear();
  }

  std::unique_ptr<T[]> items_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // a power of two, or 0
};

}  // namespace leveret::queue
