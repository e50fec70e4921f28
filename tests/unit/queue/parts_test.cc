#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <list>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "queue/consumer_set.h"
#include "queue/deadlines.h"
#include "queue/ready_list.h"
#include "queue/ring.h"
#include "tests/unit/queue/script.h"

namespace leveret::queue::test {
namespace {

using Steps = std::vector<std::pair<unsigned, unsigned>>;

// Pairs of what to do and with which.
Steps random_steps(unsigned kinds) {
  return *rc::gen::scale(5.0, rc::gen::container<Steps>(rc::gen::pair(
                                  rc::gen::inRange(0u, kinds), rc::gen::inRange(0u, 1000u))));
}

RC_GTEST_PROP(RingProperty, IsADeque, ()) {
  Ring<std::string> ring;
  std::deque<std::string> deque;
  for (const auto& [what, n] : random_steps(20)) {
    if (what < 10) {
      ring.push_back(std::to_string(n));
      deque.push_back(std::to_string(n));
    } else if (what < 19) {
      if (deque.empty()) continue;
      RC_ASSERT(ring.pop_front() == deque.front());
      deque.pop_front();
    } else if (n < 50) {
      ring.clear();
      deque.clear();
    }
    RC_ASSERT(ring.size() == deque.size());
    RC_ASSERT(ring.empty() == deque.empty());
    for (std::size_t i = 0; i < deque.size(); ++i) RC_ASSERT(ring[i] == deque[i]);
    if (!deque.empty()) RC_ASSERT(ring.front() == deque.front());
  }
}

TEST(Ring, KeepsOrderOverManyGrowthsWhileWrapped) {
  Ring<int> ring;
  int pushed = 0;
  int popped = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 7; ++i) ring.push_back(pushed++);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(ring.pop_front(), popped++);
  }
  while (!ring.empty()) EXPECT_EQ(ring.pop_front(), popped++);
  EXPECT_EQ(popped, pushed);
}

RC_GTEST_PROP(DeadlinesProperty, AreASortedSet, ()) {
  Deadlines deadlines;
  std::set<std::pair<MonotonicMs, std::uint64_t>> sorted;
  std::uint64_t seq = 0;
  for (const auto& [what, n] : random_steps(10)) {
    if (what < 6) {
      deadlines.add({n, MessageSeq(++seq), static_cast<std::uint8_t>(n % 10)});
      sorted.emplace(n, seq);
    } else {
      const auto due = deadlines.take_due(n);
      const bool any = !sorted.empty() && sorted.begin()->first <= n;
      RC_ASSERT(due.has_value() == any);
      if (any) {
        RC_ASSERT(std::pair(due->at, due->seq.value) == *sorted.begin());
        RC_ASSERT(due->priority == due->at % 10);
        sorted.erase(sorted.begin());
      }
    }
    RC_ASSERT(deadlines.size() == sorted.size());
    RC_ASSERT(deadlines.next().has_value() == !sorted.empty());
    if (!sorted.empty()) RC_ASSERT(*deadlines.next() == sorted.begin()->first);
  }
}

Entry entry_of(std::uint64_t seq, std::uint8_t priority, std::size_t size) {
  Entry entry;
  entry.seq = MessageSeq(seq);
  entry.message = make_message("m", {.priority = priority, .size = size});
  return entry;
}

// Levels from highest to lowest, seqs from lowest to highest: the order of delivery.
using Key = std::pair<int, std::uint64_t>;

RC_GTEST_PROP(ReadyListProperty, IsASortedMap, ()) {
  const auto priority_max = *rc::gen::element<std::uint8_t>(0, 1, 5, 255);
  ReadyList list(priority_max);
  std::map<Key, Entry> sorted;
  std::vector<Entry> popped;
  std::vector<Entry> dropped;
  std::uint64_t seq = 0;
  std::uint64_t bytes = 0;
  const auto key_of = [&](const Entry& entry) {
    return Key(-std::min<int>(entry.message->priority(), priority_max), entry.seq.value);
  };
  const auto remove = [&](const Entry& entry, std::vector<Entry>* to) {
    RC_ASSERT(sorted.erase(key_of(entry)) == 1u);
    bytes -= entry.message->body_size();
    to->push_back(entry);
  };
  for (const auto& [what, n] : random_steps(20)) {
    if (what < 8) {
      Entry entry = entry_of(++seq, static_cast<std::uint8_t>(n % 7), n % 11);
      bytes += entry.message->body_size();
      sorted.emplace(key_of(entry), entry);
      list.push(std::move(entry));
    } else if (what < 11 && !popped.empty()) {
      const auto at = popped.begin() + static_cast<std::ptrdiff_t>(n % popped.size());
      bytes += at->message->body_size();
      sorted.emplace(key_of(*at), *at);
      list.put_back(*at);
      popped.erase(at);
    } else if (what < 14 && !sorted.empty()) {
      const Entry entry = list.pop_front();
      RC_ASSERT(key_of(entry) == sorted.begin()->first);
      remove(entry, &popped);
    } else if (what < 15 && !sorted.empty()) {
      const Entry entry = list.pop_least();
      const int lowest = sorted.rbegin()->first.first;
      RC_ASSERT(key_of(entry) == sorted.lower_bound(Key(lowest, 0))->first);
      remove(entry, &dropped);
    } else if (what < 19 && !sorted.empty()) {
      auto at = sorted.begin();
      std::advance(at, n % sorted.size());
      const auto entry = list.take(at->second.seq, at->second.message->priority());
      RC_ASSERT(entry.has_value());
      RC_ASSERT(entry->seq == at->second.seq);
      remove(*entry, &dropped);
    } else if (!dropped.empty()) {
      const Entry& gone = dropped[n % dropped.size()];
      RC_ASSERT(!list.take(gone.seq, gone.message->priority()).has_value());
    }
    RC_ASSERT(list.size() == sorted.size());
    RC_ASSERT(list.empty() == sorted.empty());
    RC_ASSERT(list.body_bytes() == bytes);
    std::set<std::uint64_t> visited;
    list.for_each([&visited](Entry& entry) { visited.insert(entry.seq.value); });
    RC_ASSERT(visited.size() == sorted.size());
  }
}

TEST(ReadyList, ClearedOneIsLikeNew) {
  ReadyList list(3);
  list.push(entry_of(1, 3, 5));
  list.put_back(list.pop_front());
  list.push(entry_of(2, 0, 5));
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.body_bytes(), 0u);
  list.push(entry_of(3, 1, 7));
  EXPECT_EQ(list.pop_front().seq, MessageSeq(3));
}

// Messages with a short time to live behind one that stays.
TEST(ReadyList, PlacesOfTakenMessagesAreGivenBack) {
  ReadyList list(0);
  list.push(entry_of(1, 0, 1));
  for (std::uint64_t seq = 2; seq < 50'000; ++seq) {
    list.push(entry_of(seq, 0, 1));
    ASSERT_TRUE(list.take(MessageSeq(seq), 0).has_value());
  }
  EXPECT_LT(list.places(), 1000u);
  EXPECT_EQ(list.pop_front().seq, MessageSeq(1));
  EXPECT_TRUE(list.empty());
}

struct Waiting {
  ConsumerId id;
  std::int32_t priority = 0;
};

RC_GTEST_PROP(ConsumerSetProperty, IsAListForEachPriority, ()) {
  ConsumerSet set(false);
  std::map<std::int32_t, std::list<ConsumerId>, std::greater<>> rings;
  std::vector<Waiting> known;
  const auto forget = [&rings](const Waiting& consumer) {
    rings[consumer.priority].remove(consumer.id);
  };
  for (const auto& [what, n] : random_steps(20)) {
    if (what < 5) {
      QueueConsumer consumer;
      consumer.priority = static_cast<std::int32_t>(n % 4) - 2;
      consumer.exclusive = n % 5 == 0;
      const ConsumerId id = set.add(consumer).id;
      known.push_back({id, consumer.priority});
      rings[consumer.priority].push_back(id);
    } else if (what < 7 && !known.empty()) {
      const auto at = known.begin() + static_cast<std::ptrdiff_t>(n % known.size());
      set.remove(at->id);
      RC_ASSERT(set.find(at->id) == nullptr);
      forget(*at);
      known.erase(at);
    } else if (what < 11 && !known.empty()) {
      const Waiting& chosen = known[n % known.size()];
      QueueConsumer* consumer = set.find(chosen.id);
      RC_ASSERT(consumer != nullptr);
      consumer->paused = !consumer->paused;
      set.update(*consumer);
      forget(chosen);
      if (!consumer->paused) rings[chosen.priority].push_back(chosen.id);
    } else {
      const auto ring = std::find_if(rings.begin(), rings.end(),
                                     [](const auto& each) { return !each.second.empty(); });
      const QueueConsumer* next = set.next();
      RC_ASSERT((next != nullptr) == (ring != rings.end()));
      if (next != nullptr) {
        RC_ASSERT(next->id == ring->second.front());
        ring->second.splice(ring->second.end(), ring->second, ring->second.begin());
      }
    }
    RC_ASSERT(set.size() == known.size());
    RC_ASSERT(set.any_ready() == std::any_of(rings.begin(), rings.end(), [](const auto& each) {
                return !each.second.empty();
              }));
    for (std::size_t i = 0; i < known.size(); ++i) RC_ASSERT(set.all()[i]->id == known[i].id);
  }
}

TEST(ConsumerSet, IdsAreNeverReused) {
  ConsumerSet set(false);
  const ConsumerId first = set.add({}).id;
  set.remove(first);
  EXPECT_NE(set.add({}).id, first);
  set.clear();
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.next(), nullptr);
  EXPECT_GT(set.add({}).id.value, 2u);
}

}  // namespace
}  // namespace leveret::queue::test
