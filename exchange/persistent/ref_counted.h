#pragma once

#include <atomic>
#include <cstdint>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace leveret::exchange {

// Counts the owners of an immutable object that several threads may share. A copy starts with a
// count of its own.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) noexcept {}
  RefCounted& operator=(const RefCounted&) = delete;

  void acquire() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  // True if this was the last owner: the caller destroys the object.
  [[nodiscard]] bool release() const noexcept {
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // The only owner may change the object in place: nobody else can come to own it meanwhile. The
  // acquire orders its writes behind the last read of an owner that has just gone.
  bool has_one_owner() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

 protected:
  ~RefCounted() = default;

 private:
  mutable std::atomic<std::uint32_t> count_{0};
};

template <typename T>
using Ref = boost::intrusive_ptr<T>;

}  // namespace leveret::exchange
