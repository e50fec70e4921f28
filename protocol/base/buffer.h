#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace leveret {

// A growing run of bytes: written at the end, consumed at the front. New bytes are not zeroed.
// Pointers into it are valid until the next prepare(), append() or consume().
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  const char* data() const { return data_ + begin_; }
  char* data() { return data_ + begin_; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return end_ == begin_; }
  std::size_t capacity() const { return capacity_; }
  std::string_view view() const { return {data(), size()}; }

  // Room for at least n more bytes behind the content; commit() says how many were written.
  char* prepare(std::size_t n) {
    if (capacity_ - end_ < n) grow(n);
    return data_ + end_;
  }
  std::size_t room() const { return capacity_ - end_; }
  void commit(std::size_t n) { end_ += n; }

  void append(const void* bytes, std::size_t n) {
    if (n == 0) return;
    std::memcpy(prepare(n), bytes, n);
    end_ += n;
  }
  void append(std::string_view bytes) { append(bytes.data(), bytes.size()); }

  void consume(std::size_t n) {
    begin_ += n;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  void clear() { begin_ = end_ = 0; }
  // Drops everything behind the first n bytes.
  void truncate(std::size_t n) { end_ = begin_ + n; }
  // Gives the memory back. An idle connection holds none.
  void release() {
    std::free(data_);
    data_ = nullptr;
    begin_ = end_ = capacity_ = 0;
  }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  void grow(std::size_t n) {
    const std::size_t used = size();
    if (begin_ > 0 && capacity_ - used >= n && used <= capacity_ / 2) {
      std::memmove(data_, data_ + begin_, used);
    } else {
      std::size_t wanted = capacity_ < 256 ? 512 : capacity_ * 2;
      while (wanted < used + n) wanted *= 2;
      char* bigger = static_cast<char*>(std::malloc(wanted));
      if (bigger == nullptr) throw std::bad_alloc();
      if (used > 0) std::memcpy(bigger, data_ + begin_, used);
      std::free(data_);
      data_ = bigger;
      capacity_ = wanted;
    }
    begin_ = 0;
    end_ = used;
  }

  char* data_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace leveret
