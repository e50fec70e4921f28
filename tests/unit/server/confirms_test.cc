#include "server/confirms.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace leveret::server {
namespace {

// "ack 3", "ack 3 multiple", "nack 2".
std::vector<std::string> told(Confirms& confirms) {
  std::vector<Confirms::Reply> replies;
  confirms.take_replies(&replies);
  std::vector<std::string> sentences;
  for (const Confirms::Reply& reply : replies) {
    sentences.push_back((reply.nack ? "nack " : "ack ") + std::to_string(reply.tag) +
                        (reply.multiple ? " multiple" : ""));
  }
  return sentences;
}

using Sentences = std::vector<std::string>;

TEST(Confirms, TagsCountFromOne) {
  Confirms confirms;
  EXPECT_EQ(confirms.add(1), 1u);
  EXPECT_EQ(confirms.add(0), 2u);
  EXPECT_EQ(confirms.add(2), 3u);
}

TEST(Confirms, RunAtTheFrontIsOneMultipleAck) {
  Confirms confirms;
  for (int i = 0; i < 1000; ++i) confirms.add(1);
  for (std::uint64_t tag = 1000; tag >= 1; --tag) confirms.settle(tag, true);
  EXPECT_EQ(told(confirms), Sentences{"ack 1000 multiple"});
  EXPECT_FALSE(confirms.has_replies());
}

TEST(Confirms, NothingToAwaitIsSettledAtOnce) {
  Confirms confirms;
  confirms.add(0);
  EXPECT_TRUE(confirms.has_replies());
  EXPECT_EQ(told(confirms), Sentences{"ack 1"});
}

TEST(Confirms, AllOutcomesMustComeIn) {
  Confirms confirms;
  confirms.add(2);
  confirms.settle(1, true);
  EXPECT_FALSE(confirms.has_replies());
  confirms.settle(1, true);
  EXPECT_EQ(told(confirms), Sentences{"ack 1"});
}

TEST(Confirms, OneRefusalOfSeveralIsANack) {
  Confirms confirms;
  confirms.add(3);
  confirms.settle(1, true);
  confirms.settle(1, false);
  confirms.settle(1, true);
  EXPECT_EQ(told(confirms), Sentences{"nack 1"});
}

TEST(Confirms, AheadOfAnUnsettledOneEachIsToldAlone) {
  Confirms confirms;
  for (int i = 0; i < 4; ++i) confirms.add(1);
  confirms.settle(2, true);
  confirms.settle(4, false);
  EXPECT_EQ(told(confirms), (Sentences{"ack 2", "nack 4"}));
  confirms.settle(1, true);
  confirms.settle(3, true);
  EXPECT_EQ(told(confirms), Sentences{"ack 3 multiple"});
}

TEST(Confirms, RefusedOneSplitsTheRun) {
  Confirms confirms;
  for (int i = 0; i < 5; ++i) confirms.add(1);
  for (std::uint64_t tag = 1; tag <= 5; ++tag) confirms.settle(tag, tag != 3);
  EXPECT_EQ(told(confirms), (Sentences{"ack 2 multiple", "nack 3", "ack 5 multiple"}));
}

TEST(Confirms, LateOutcomesAreIgnored) {
  Confirms confirms;
  confirms.add(1);
  confirms.settle(1, true);
  confirms.settle(1, false);
  EXPECT_EQ(told(confirms), Sentences{"ack 1"});
  confirms.settle(1, false);
  confirms.settle(0, false);
  confirms.settle(17, false);
  EXPECT_FALSE(confirms.has_replies());
}

TEST(Confirms, MoreOutcomesMayBeExpectedLater) {
  Confirms confirms;
  confirms.add(1);
  confirms.expect_more(1, 2);
  confirms.settle(1, true);
  confirms.settle(1, true);
  EXPECT_FALSE(confirms.has_replies());
  confirms.settle(1, true);
  EXPECT_TRUE(confirms.has_replies());
}

TEST(Confirms, ToldOnesAreNotUnsettledAnyMore) {
  Confirms confirms;
  for (int i = 0; i < 3; ++i) confirms.add(1);
  confirms.settle(2, true);
  EXPECT_EQ(confirms.unsettled(), 2u);
  told(confirms);
  EXPECT_EQ(confirms.unsettled(), 2u);
}

// A publisher's view: what it has not been told about, and what really happened.
struct Publisher {
  struct Publish {
    int pending = 0;
    bool refused = false;
  };
  std::vector<Publish> publishes;  // by tag - 1
  std::set<std::uint64_t> waiting;

  void hear(const Confirms::Reply& reply) {
    RC_ASSERT(waiting.count(reply.tag) == 1u);
    RC_ASSERT(!(reply.nack && reply.multiple));
    const std::uint64_t from = reply.multiple ? *waiting.begin() : reply.tag;
    for (std::uint64_t tag = from; tag <= reply.tag; ++tag) {
      if (waiting.erase(tag) == 0) continue;
      RC_ASSERT(publishes[tag - 1].pending == 0);
      RC_ASSERT(publishes[tag - 1].refused == reply.nack);
    }
  }
};

RC_GTEST_PROP(ConfirmsProperty, EveryTagIsToldOnceAndTruly, ()) {
  Confirms confirms;
  Publisher publisher;
  const auto steps = *rc::gen::scale(
      5.0, rc::gen::container<std::vector<std::pair<unsigned, unsigned>>>(
               rc::gen::pair(rc::gen::inRange(0u, 12u), rc::gen::inRange(0u, 1000u))));
  const auto settle = [&](std::uint64_t tag, bool accepted) {
    confirms.settle(tag, accepted);
    Publisher::Publish& publish = publisher.publishes[tag - 1];
    if (publish.pending == 0) return;
    --publish.pending;
    publish.refused |= !accepted;
  };
  const auto listen = [&] {
    std::vector<Confirms::Reply> replies;
    confirms.take_replies(&replies);
    for (const Confirms::Reply& reply : replies) publisher.hear(reply);
    RC_ASSERT(!confirms.has_replies());
    const auto& publishes = publisher.publishes;
    const auto unsettled = std::count_if(publishes.begin(), publishes.end(),
                                         [](const auto& publish) { return publish.pending > 0; });
    RC_ASSERT(publisher.waiting.size() == static_cast<std::size_t>(unsettled));
    RC_ASSERT(confirms.unsettled() == publisher.waiting.size());
  };
  for (const auto& [what, n] : steps) {
    if (what < 4) {
      publisher.publishes.push_back({static_cast<int>(n % 4), false});
      const std::uint64_t tag = confirms.add(n % 4);
      RC_ASSERT(tag == publisher.publishes.size());
      publisher.waiting.insert(tag);
    } else if (what < 10 && !publisher.publishes.empty()) {
      settle(n % publisher.publishes.size() + 1, n % 7 != 0);
    } else if (what == 10 && !publisher.publishes.empty()) {
      const std::uint64_t tag = n % publisher.publishes.size() + 1;
      if (publisher.publishes[tag - 1].pending == 0) continue;
      confirms.expect_more(tag, 1);
      ++publisher.publishes[tag - 1].pending;
    } else {
      listen();
    }
  }
  for (std::uint64_t tag = 1; tag <= publisher.publishes.size(); ++tag) {
    while (publisher.publishes[tag - 1].pending > 0) settle(tag, true);
  }
  listen();
  RC_ASSERT(publisher.waiting.empty());
}

}  // namespace
}  // namespace leveret::server
