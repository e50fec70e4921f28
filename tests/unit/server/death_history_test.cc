#include "server/death_history.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/field_table.h"
#include "protocol/properties.h"

namespace leveret::server {
namespace {

using protocol::FieldTable;
using protocol::FieldTableBuilder;
using queue::DeadLetterReason;
using Names = std::vector<std::string>;

// A message that dies again and again.
class Mortal {
 public:
  Mortal& header(std::string_view name, std::string_view value) {
    headers_ = builder().string(name, value).take();
    return *this;
  }
  Mortal& cc(const std::vector<std::string>& keys) {
    std::string array;
    for (const std::string& key : keys) protocol::append_array_string(array, key);
    headers_ = builder().array("CC", array).take();
    return *this;
  }
  Mortal& expiration(std::string text) {
    expiration_ = std::move(text);
    return *this;
  }

  Mortal& dies(const Death& death) {
    protocol::BasicProperties properties;
    if (headers_) properties.headers = table();
    if (expiration_) properties.expiration = *expiration_;
    history_ = DeathHistory::after(properties, death);
    headers_ = std::string(history_.headers());
    expiration_.reset();
    EXPECT_EQ(protocol::validate_table(*headers_), protocol::TableError::kNone);
    return *this;
  }
  Mortal& dies(std::string_view queue, DeadLetterReason reason, std::int64_t seconds = 100) {
    return dies({.queue = queue,
                 .reason = reason,
                 .exchange = "ex",
                 .routing_key = "key",
                 .seconds = seconds});
  }

  FieldTable table() const { return headers_ ? FieldTable(*headers_) : FieldTable(); }
  const DeathHistory& history() const { return history_; }
  // Entries of x-death, newest first.
  std::vector<FieldTable> deaths() const {
    std::vector<FieldTable> tables;
    const auto value = table().find("x-death");
    if (const auto array = value ? value->array() : std::nullopt) {
      for (const auto& item : *array) tables.push_back(item.table().value());
    }
    return tables;
  }
  // "queue reason count" of each.
  Names summary() const {
    Names lines;
    for (const FieldTable& death : deaths()) {
      lines.push_back(text(death, "queue") + " " + text(death, "reason") + " " +
                      std::to_string(death.find("count")->integer().value()));
    }
    return lines;
  }
  static std::string text(FieldTable table, std::string_view name) {
    const auto value = table.find(name);
    return value ? std::string(value->string().value_or("?")) : "";
  }
  std::string text(std::string_view name) const { return text(table(), name); }

 private:
  // The headers so far, to add to.
  FieldTableBuilder builder() const {
    FieldTableBuilder all;
    for (const auto& field : table()) all.value(field.name, field.value);
    return all;
  }

  std::optional<std::string> headers_;
  std::optional<std::string> expiration_;
  DeathHistory history_;
};

Names strings_of(FieldTable table, std::string_view name) {
  Names names;
  const auto value = table.find(name);
  if (const auto array = value ? value->array() : std::nullopt) {
    for (const auto& item : *array) names.emplace_back(item.string().value());
  }
  return names;
}

TEST(DeathHistory, FirstDeathHasRabbitsFields) {
  Mortal m;
  m.dies({.queue = "q",
          .reason = DeadLetterReason::kRejected,
          .exchange = "ex",
          .routing_key = "key",
          .seconds = 1700000000});
  ASSERT_EQ(m.deaths().size(), 1u);
  const FieldTable death = m.deaths()[0];
  std::string fields;
  for (const auto& field : death) {
    fields += std::string(field.name) + ":" + field.value.type + " ";
  }
  EXPECT_EQ(fields, "count:l reason:S queue:S time:T exchange:S routing-keys:A ");
  EXPECT_EQ(death.find("count")->integer(), 1);
  EXPECT_EQ(Mortal::text(death, "reason"), "rejected");
  EXPECT_EQ(Mortal::text(death, "queue"), "q");
  EXPECT_EQ(death.find("time")->integer(), 1700000000);
  EXPECT_EQ(Mortal::text(death, "exchange"), "ex");
  EXPECT_EQ(strings_of(death, "routing-keys"), Names{"key"});
  EXPECT_EQ(m.text("x-first-death-exchange"), "ex");
  EXPECT_EQ(m.text("x-first-death-queue"), "q");
  EXPECT_EQ(m.text("x-first-death-reason"), "rejected");
}

TEST(DeathHistory, ReasonsAreSpeltAsRabbitDoes) {
  EXPECT_EQ(reason_name(DeadLetterReason::kRejected), "rejected");
  EXPECT_EQ(reason_name(DeadLetterReason::kExpired), "expired");
  EXPECT_EQ(reason_name(DeadLetterReason::kMaxLength), "maxlen");
  EXPECT_EQ(reason_name(DeadLetterReason::kDeliveryLimit), "delivery_limit");
}

TEST(DeathHistory, SameQueueAndReasonCountsInOneEntry) {
  Mortal m;
  m.dies("q", DeadLetterReason::kRejected, 100).dies("q", DeadLetterReason::kRejected, 200);
  EXPECT_EQ(m.summary(), Names{"q rejected 2"});
  EXPECT_EQ(m.deaths()[0].find("time")->integer(), 100) << "the time of the first death stays";
}

TEST(DeathHistory, NewestIsFirstAndACountedEntryMovesToTheFront) {
  Mortal m;
  m.dies("q1", DeadLetterReason::kRejected).dies("q2", DeadLetterReason::kExpired);
  EXPECT_EQ(m.summary(), (Names{"q2 expired 1", "q1 rejected 1"}));
  m.dies("q1", DeadLetterReason::kExpired);
  EXPECT_EQ(m.summary(), (Names{"q1 expired 1", "q2 expired 1", "q1 rejected 1"}));
  m.dies("q1", DeadLetterReason::kRejected);
  EXPECT_EQ(m.summary(), (Names{"q1 rejected 2", "q1 expired 1", "q2 expired 1"}));
}

TEST(DeathHistory, FirstDeathIsWrittenOnce) {
  Mortal m;
  m.dies("q1", DeadLetterReason::kExpired).dies("q2", DeadLetterReason::kRejected);
  EXPECT_EQ(m.text("x-first-death-queue"), "q1");
  EXPECT_EQ(m.text("x-first-death-reason"), "expired");
  int firsts = 0;
  for (const auto& field : m.table()) firsts += field.name.starts_with("x-first-death-") ? 1 : 0;
  EXPECT_EQ(firsts, 3);
}

TEST(DeathHistory, OtherHeadersStay) {
  Mortal m;
  m.header("a", "1").header("b", "2").dies("q", DeadLetterReason::kMaxLength);
  EXPECT_EQ(m.text("a"), "1");
  EXPECT_EQ(m.text("b"), "2");
}

TEST(DeathHistory, ExpirationIsRememberedInTheEntry) {
  Mortal m;
  m.expiration("1500").dies("q", DeadLetterReason::kExpired);
  EXPECT_EQ(Mortal::text(m.deaths()[0], "original-expiration"), "1500");
  m.dies("q2", DeadLetterReason::kRejected);
  EXPECT_EQ(m.deaths()[0].find("original-expiration"), std::nullopt);
  EXPECT_EQ(Mortal::text(m.deaths()[1], "original-expiration"), "1500");
}

TEST(DeathHistory, CcKeysAreRememberedAndUsedAgain) {
  Mortal m;
  m.cc({"c1", "c2"}).dies("q", DeadLetterReason::kRejected);
  EXPECT_EQ(strings_of(m.deaths()[0], "routing-keys"), (Names{"key", "c1", "c2"}));
  EXPECT_EQ(strings_of(m.table(), "CC"), (Names{"c1", "c2"}));
  EXPECT_EQ(m.history().cc_keys(), (std::vector<std::string_view>{"c1", "c2"}));
}

TEST(DeathHistory, DeadLetterRoutingKeyReplacesCc) {
  Mortal m;
  m.cc({"c1"}).dies({.queue = "q",
                     .reason = DeadLetterReason::kRejected,
                     .exchange = "ex",
                     .routing_key = "key",
                     .seconds = 1,
                     .keep_cc = false});
  EXPECT_EQ(strings_of(m.deaths()[0], "routing-keys"), (Names{"key", "c1"}));
  EXPECT_EQ(m.table().find("CC"), std::nullopt);
  EXPECT_TRUE(m.history().cc_keys().empty());
}

TEST(DeathHistory, HeaderThatIsNoHistoryIsReplaced) {
  Mortal m;
  m.header("x-death", "nonsense").dies("q", DeadLetterReason::kRejected);
  EXPECT_EQ(m.summary(), Names{"q rejected 1"});
}

TEST(DeathHistory, CountGoesOnInAHeaderThatAClientSentBack) {
  Mortal first;
  first.dies("q", DeadLetterReason::kRejected).dies("q", DeadLetterReason::kRejected);
  protocol::BasicProperties properties;
  properties.headers = first.table();
  const DeathHistory again = DeathHistory::after(properties, {.queue = "q",
                                                              .reason = DeadLetterReason::kRejected,
                                                              .exchange = "other",
                                                              .routing_key = "k",
                                                              .seconds = 9});
  const auto deaths = FieldTable(again.headers()).find("x-death")->array();
  EXPECT_EQ(deaths->begin()->table()->find("count")->integer(), 3);
}

TEST(DeathCycle, QueueThatItExpiredInBefore) {
  Mortal m;
  m.dies("q1", DeadLetterReason::kExpired).dies("q2", DeadLetterReason::kExpired);
  EXPECT_TRUE(m.history().is_cycle("q1"));
  EXPECT_TRUE(m.history().is_cycle("q2"));
  EXPECT_FALSE(m.history().is_cycle("q3"));
}

TEST(DeathCycle, RejectionOnTheWayRoundBreaksIt) {
  Mortal m;
  m.dies("q1", DeadLetterReason::kExpired).dies("q2", DeadLetterReason::kRejected);
  EXPECT_FALSE(m.history().is_cycle("q1"));
  EXPECT_FALSE(m.history().is_cycle("q2"));
}

TEST(DeathCycle, RejectionFromBeforeDoesNot) {
  Mortal m;
  m.dies("q1", DeadLetterReason::kRejected).dies("q2", DeadLetterReason::kExpired);
  EXPECT_TRUE(m.history().is_cycle("q2"));
  EXPECT_FALSE(m.history().is_cycle("q1"));
}

}  // namespace
}  // namespace leveret::server
