#include "server/death_history.h"

#include <optional>
#include <utility>

namespace leveret::server {
namespace {

using protocol::FieldArray;
using protocol::FieldTable;
using protocol::FieldTableBuilder;
using protocol::FieldValue;

std::string_view string_at(FieldTable table, std::string_view key) {
  const auto value = table.find(key);
  return value ? value->string().value_or("") : std::string_view();
}

std::string routing_keys(const Death& death, FieldTable headers) {
  std::string keys;
  protocol::append_array_string(keys, death.routing_key);
  const auto cc = headers.find("CC");
  if (const auto array = cc ? cc->array() : std::nullopt) {
    for (const FieldValue& key : *array) {
      if (const auto text = key.string()) protocol::append_array_string(keys, *text);
    }
  }
  return keys;
}

// The entries before this death, without the one that it replaces; that one's count in *count.
std::string others(FieldTable headers, const Death& death, std::int64_t* count,
                   std::optional<FieldTable>* replaced) {
  std::string kept;
  const auto value = headers.find("x-death");
  const auto array = value ? value->array() : std::nullopt;
  if (!array) return kept;
  for (const FieldValue& item : *array) {
    const auto entry = item.table();
    if (!entry) continue;
    if (string_at(*entry, "queue") == death.queue &&
        string_at(*entry, "reason") == reason_name(death.reason)) {
      const auto before = entry->find("count");
      *count = before ? before->integer().value_or(1) : 1;
      *replaced = *entry;
    } else {
      protocol::append_array_table(kept, entry->bytes());
    }
  }
  return kept;
}

std::string new_entry(const protocol::BasicProperties& properties, FieldTable headers,
                      const Death& death) {
  FieldTableBuilder entry;
  entry.int64("count", 1)
      .string("reason", reason_name(death.reason))
      .string("queue", death.queue)
      .timestamp("time", static_cast<std::uint64_t>(death.seconds))
      .string("exchange", death.exchange)
      .array("routing-keys", routing_keys(death, headers));
  if (properties.expiration) entry.string("original-expiration", *properties.expiration);
  return entry.take();
}

// The entry again with its count raised, all else as it was.
std::string counted_entry(FieldTable entry, std::int64_t count) {
  FieldTableBuilder raised;
  for (const auto& field : entry) {
    if (field.name == "count") {
      raised.int64("count", count);
    } else {
      raised.value(field.name, field.value);
    }
  }
  return raised.take();
}

}  // namespace

std::string_view reason_name(queue::DeadLetterReason reason) {
  switch (reason) {
    case queue::DeadLetterReason::kRejected:
      return "rejected";
    case queue::DeadLetterReason::kExpired:
      return "expired";
    case queue::DeadLetterReason::kMaxLength:
      return "maxlen";
    case queue::DeadLetterReason::kDeliveryLimit:
      return "delivery_limit";
  }
  return "";
}

DeathHistory DeathHistory::after(const protocol::BasicProperties& properties, const Death& death) {
  const FieldTable before = properties.headers.value_or(FieldTable());
  std::int64_t count = 0;
  std::optional<FieldTable> replaced;
  const std::string rest = others(before, death, &count, &replaced);
  std::string deaths;
  protocol::append_array_table(deaths, replaced ? counted_entry(*replaced, count + 1)
                                                : new_entry(properties, before, death));
  deaths += rest;

  FieldTableBuilder headers;
  bool has_first = false;
  for (const auto& field : before) {
    if (field.name == "x-death" || (field.name == "CC" && !death.keep_cc)) continue;
    has_first |= field.name == "x-first-death-reason";
    headers.value(field.name, field.value);
  }
  headers.array("x-death", deaths);
  if (!has_first) {
    headers.string("x-first-death-exchange", death.exchange)
        .string("x-first-death-queue", death.queue)
        .string("x-first-death-reason", reason_name(death.reason));
  }
  DeathHistory history;
  history.headers_ = headers.take();
  return history;
}

std::vector<std::string_view> DeathHistory::cc_keys() const {
  std::vector<std::string_view> keys;
  const auto cc = FieldTable(headers_).find("CC");
  if (const auto array = cc ? cc->array() : std::nullopt) {
    for (const FieldValue& key : *array) {
      if (const auto text = key.string()) keys.push_back(*text);
    }
  }
  return keys;
}

bool DeathHistory::is_cycle(std::string_view queue) const {
  const auto value = FieldTable(headers_).find("x-death");
  const auto array = value ? value->array() : std::nullopt;
  if (!array) return false;
  // Newest first: a rejection on the way round means that a client decided it.
  for (const FieldValue& item : *array) {
    const auto entry = item.table();
    if (!entry) continue;
    if (string_at(*entry, "reason") == "rejected") return false;
    if (string_at(*entry, "queue") == queue) return true;
  }
  return false;
}

}  // namespace leveret::server
