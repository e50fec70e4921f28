#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <sys/uio.h>

#include "protocol/base/buffer.h"
#include "queue/message.h"

namespace leveret::server {

// Bytes that wait for one connection's socket: small frames copied into one buffer, large bodies
// borrowed from their messages. Gathered into one writev a turn.
//
// Home loop: the session's.
class OutputQueue {
 public:
  // Bodies from this size on are borrowed, not copied: below it a copy costs less than another
  // element in the gather list.
  static constexpr std::size_t kBorrowFrom = 16384;
  static constexpr std::size_t kGatherMax = 64;

  // Where frames are appended. The reference stays valid; bytes in it move.
  Buffer& buffer() { return copied_; }

  // Puts `bytes`, which belong to `message`, behind what the buffer holds now.
  void borrow(queue::MessageRef message, std::string_view bytes);

  std::size_t size() const { return copied_.size() + borrowed_bytes_; }
  bool empty() const { return size() == 0; }

  // Fills `vectors` with the front of the queue; returns how many.
  std::size_t gather(std::array<iovec, kGatherMax>* vectors);
  // So many bytes were written.
  void consume(std::size_t n);
  // Drops everything and gives the memory back.
  void release();

 private:
  struct Borrowed {
    std::size_t behind;  // copied bytes that go before it, counted from the bytes before this one
    queue::MessageRef message;
    std::string_view bytes;
  };

  Buffer copied_;
  std::deque<Borrowed> borrowed_;
  std::size_t borrowed_bytes_ = 0;
  // Copied bytes that already have a place before some borrowed entry.
  std::size_t placed_ = 0;
};

}  // namespace leveret::server
