#pragma once

#include <memory>
#include <utility>

#include "queue/effects.h"
#include "server/loop.h"

namespace leveret::server {

// An effect list for the length of one command. Carrying out effects may give commands to other
// queues, so one list a loop is not enough; lists go back to the loop with their memory.
class EffectsLease {
 public:
  explicit EffectsLease(Loop& loop) : loop_(loop) {
    auto& idle = loop_.idle_effects();
    if (idle.empty()) {
      effects_ = std::make_unique<queue::Effects>();
    } else {
      effects_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  EffectsLease(const EffectsLease&) = delete;
  EffectsLease& operator=(const EffectsLease&) = delete;
  ~EffectsLease() {
    effects_->clear();
    loop_.idle_effects().push_back(std::move(effects_));
  }

  queue::Effects* get() { return effects_.get(); }
  queue::Effects& operator*() { return *effects_; }

 private:
  Loop& loop_;
  std::unique_ptr<queue::Effects> effects_;
};

}  // namespace leveret::server
