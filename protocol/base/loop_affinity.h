#pragma once

#include <thread>

#include "protocol/base/assert.h"
#include "protocol/base/thread_annotations.h"

namespace leveret {

// The thread that an object's state belongs to. Public methods of loop-owned classes begin with
// assert_here(); Clang's analysis then knows that data guarded by the loop may be touched.
class LV_CAPABILITY("loop") LoopAffinity {
 public:
  // Binds to the calling thread. Call once, on the loop's own thread, before any assert_here().
  void bind_here() { owner_ = std::this_thread::get_id(); }

  void assert_here() const LV_ASSERT_CAPABILITY(this) {
#ifndef NDEBUG
    LEVERET_ASSERT(owner_ == std::thread::id{} || owner_ == std::this_thread::get_id());
#endif
  }

 private:
  std::thread::id owner_;
};

}  // namespace leveret
