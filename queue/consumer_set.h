#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "protocol/base/ids.h"

namespace leveret::queue {

// A consumer and its credit.
struct QueueConsumer : boost::intrusive::list_base_hook<> {
  ConsumerId id;
  void* cookie = nullptr;
  bool no_ack = false;
  bool exclusive = false;
  bool paused = false;
  std::uint16_t prefetch = 0;
  std::int32_t priority = 0;
  std::uint32_t unacked = 0;

  bool has_credit() const { return !paused && (no_ack || prefetch == 0 || unacked < prefetch); }
};

// The consumers of one queue, and which of them is next.
//
// Those with credit wait in a ring for each priority, so that choosing does not look at the others,
// however many there are. With a single active consumer only the longest registered one waits.
class ConsumerSet {
 public:
  explicit ConsumerSet(bool single_active) : single_active_(single_active) {}

  QueueConsumer& add(QueueConsumer consumer);
  // Null: unknown.
  QueueConsumer* find(ConsumerId id);
  void remove(ConsumerId id);
  // Credit may have come or gone.
  void update(QueueConsumer& consumer);
  // The next in turn, moved to the end of its ring; null if nobody has credit.
  QueueConsumer* next();
  bool any_ready() const;

  std::size_t size() const { return consumers_.size(); }
  bool empty() const { return consumers_.empty(); }
  bool has_exclusive() const;
  // In order of registration.
  const std::vector<std::unique_ptr<QueueConsumer>>& all() const { return consumers_; }
  void clear();

 private:
  using List = boost::intrusive::list<QueueConsumer>;
  struct Group {
    std::int32_t priority = 0;
    List ready;
  };

  Group& group_of(std::int32_t priority);
  bool may_take(const QueueConsumer& consumer) const;

  const bool single_active_;
  std::vector<std::unique_ptr<QueueConsumer>> consumers_;  // by id
  std::vector<std::unique_ptr<Group>> groups_;             // highest priority first
  std::uint64_t last_id_ = 0;
};

}  // namespace leveret::queue
