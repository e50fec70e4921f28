#include "server/mailbox.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace leveret::server {
namespace {

TEST(Mailbox, EmptyOneHasNothing) {
  Mailbox<int> mailbox;
  EXPECT_TRUE(mailbox.empty());
  EXPECT_FALSE(mailbox.drain([](int&) { FAIL(); }));
}

TEST(Mailbox, BatchesArriveOldestFirst) {
  Mailbox<int> mailbox;
  mailbox.push({1, 2});
  mailbox.push({3});
  EXPECT_FALSE(mailbox.empty());
  std::vector<int> got;
  EXPECT_TRUE(mailbox.drain([&got](int& mail) { got.push_back(mail); }));
  EXPECT_EQ(got, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(mailbox.empty());
}

TEST(Mailbox, MailPushedWhileDrainingWaitsForTheNextDrain) {
  Mailbox<int> mailbox;
  mailbox.push({1});
  int handled = 0;
  mailbox.drain([&](int&) {
    ++handled;
    mailbox.push({2});
  });
  EXPECT_EQ(handled, 1);
  EXPECT_FALSE(mailbox.empty());
}

TEST(Mailbox, UnreadMailIsFreedWithIt) {
  const auto mail = std::make_shared<int>(1);
  {
    Mailbox<std::shared_ptr<int>> mailbox;
    mailbox.push({mail, mail});
    EXPECT_EQ(mail.use_count(), 3);
  }
  EXPECT_EQ(mail.use_count(), 1);
}

TEST(Mailbox, EachProducersMailArrivesOnceAndInOrder) {
  constexpr int kProducers = 4;
  constexpr int kMails = 20'000;
  struct Mail {
    int producer;
    int number;
  };
  Mailbox<Mail> mailbox;
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&mailbox, p] {
      for (int n = 0; n < kMails;) {
        std::vector<Mail> batch;
        for (int i = 0; i <= n % 5 && n < kMails; ++i) batch.push_back({p, n++});
        mailbox.push(std::move(batch));
      }
    });
  }
  std::vector<int> next(kProducers, 0);
  int received = 0;
  while (received < kProducers * kMails) {
    mailbox.drain([&](Mail& mail) {
      EXPECT_EQ(mail.number, next[static_cast<std::size_t>(mail.producer)]++);
      ++received;
    });
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_TRUE(mailbox.empty());
}

}  // namespace
}  // namespace leveret::server
