#pragma once

#include <atomic>
#include <utility>
#include <vector>

namespace leveret::server {

// Batches of mail from other threads to one loop. A producer collects mail during its turn and
// pushes it once, so that one exchange of a pointer and one wake-up carry many messages.
//
// push() from any thread, drain() on the home loop. Mail of one producer arrives in order.
template <typename Mail>
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() {
    drain([](Mail&) {});
  }

  void push(std::vector<Mail>&& mails) {
    auto* batch = new Batch{nullptr, std::move(mails)};
    batch->next = newest_.load(std::memory_order_relaxed);
    while (!newest_.compare_exchange_weak(batch->next, batch, std::memory_order_release,
                                          std::memory_order_relaxed)) {
    }
  }

  bool empty() const { return newest_.load(std::memory_order_acquire) == nullptr; }

  // Hands over everything that has arrived, oldest first. True if there was any.
  template <typename Handler>
  bool drain(Handler&& handle) {
    Batch* newest = newest_.exchange(nullptr, std::memory_order_acquire);
    Batch* oldest = nullptr;
    while (newest != nullptr) {
      Batch* next = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = next;
    }
    const bool any = oldest != nullptr;
    while (oldest != nullptr) {
      for (Mail& mail : oldest->mails) handle(mail);
      Batch* done = oldest;
      oldest = oldest->next;
      delete done;
    }
    return any;
  }

 private:
  struct Batch {
    Batch* next;
    std::vector<Mail> mails;
  };
  std::atomic<Batch*> newest_{nullptr};
};

}  // namespace leveret::server
