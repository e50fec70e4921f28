#include "queue/consumer_set.h"

#include <algorithm>
#include <utility>

namespace leveret::queue {

ConsumerSet::Group& ConsumerSet::group_of(std::int32_t priority) {
  auto at = std::find_if(groups_.begin(), groups_.end(),
                         [priority](const auto& group) { return group->priority <= priority; });
  if (at == groups_.end() || (*at)->priority != priority) {
    auto group = std::make_unique<Group>();
    group->priority = priority;
    at = groups_.insert(at, std::move(group));
  }
  return **at;
}

bool ConsumerSet::may_take(const QueueConsumer& consumer) const {
  return consumer.has_credit() && (!single_active_ || consumers_.front()->id == consumer.id);
}

QueueConsumer& ConsumerSet::add(QueueConsumer consumer) {
  consumer.id = ConsumerId(++last_id_);
  consumers_.push_back(std::make_unique<QueueConsumer>(std::move(consumer)));
  QueueConsumer& added = *consumers_.back();
  update(added);
  return added;
}

QueueConsumer* ConsumerSet::find(ConsumerId id) {
  const auto at = std::lower_bound(
      consumers_.begin(), consumers_.end(), id,
      [](const auto& consumer, ConsumerId wanted) { return consumer->id < wanted; });
  return at == consumers_.end() || (*at)->id != id ? nullptr : at->get();
}

void ConsumerSet::remove(ConsumerId id) {
  const auto at = std::find_if(consumers_.begin(), consumers_.end(),
                               [id](const auto& consumer) { return consumer->id == id; });
  if (at == consumers_.end()) return;
  if ((*at)->is_linked()) {
    Group& group = group_of((*at)->priority);
    group.ready.erase(group.ready.iterator_to(**at));
  }
  consumers_.erase(at);
  if (single_active_ && !consumers_.empty()) update(*consumers_.front());
}

void ConsumerSet::update(QueueConsumer& consumer) {
  const bool ready = may_take(consumer);
  if (ready == consumer.is_linked()) return;
  Group& group = group_of(consumer.priority);
  if (ready) {
    group.ready.push_back(consumer);
  } else {
    group.ready.erase(group.ready.iterator_to(consumer));
  }
}

QueueConsumer* ConsumerSet::next() {
  for (const auto& group : groups_) {
    if (group->ready.empty()) continue;
    QueueConsumer& consumer = group->ready.front();
    group->ready.pop_front();
    group->ready.push_back(consumer);
    return &consumer;
  }
  return nullptr;
}

bool ConsumerSet::any_ready() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const auto& group) { return !group->ready.empty(); });
}

bool ConsumerSet::has_exclusive() const {
  return std::any_of(consumers_.begin(), consumers_.end(),
                     [](const auto& consumer) { return consumer->exclusive; });
}

void ConsumerSet::clear() {
  for (const auto& group : groups_) group->ready.clear();
  consumers_.clear();
}

}  // namespace leveret::queue
