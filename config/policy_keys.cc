#include "config/policy_keys.h"

#include <array>
#include <initializer_list>

#include "protocol/erlang_text.h"

namespace leveret::config {

using protocol::FieldTable;
using protocol::FieldValue;

namespace {

bool at_least(const FieldValue& value, std::int64_t minimum) {
  const auto integer = value.integer();
  return value.type != 'T' && integer && *integer >= minimum;
}

bool one_of(const FieldValue& value, std::initializer_list<std::string_view> known) {
  const auto string = value.string();
  if (!string) return false;
  for (const std::string_view candidate : known) {
    if (*string == candidate) return true;
  }
  return false;
}

bool any(const FieldValue&) {
  return true;
}
bool a_string(const FieldValue& value) {
  return value.string().has_value();
}
bool an_integer(const FieldValue& value) {
  return value.type != 'T' && value.integer().has_value();
}
bool non_negative(const FieldValue& value) {
  return at_least(value, 0);
}
bool positive(const FieldValue& value) {
  return at_least(value, 1);
}
bool a_strategy(const FieldValue& value) {
  return one_of(value, {"at-most-once", "at-least-once"});
}
bool a_queue_mode(const FieldValue& value) {
  return one_of(value, {"default", "lazy"});
}
bool a_queue_version(const FieldValue& value) {
  return at_least(value, 1) && !at_least(value, 3);
}
bool an_overflow(const FieldValue& value) {
  return one_of(value, {"drop-head", "reject-publish", "reject-publish-dlx"});
}

using Key = PolicyKey;

// Those with `any` steer what a single broker does not have (mirrors, streams, federation): they
// are taken so that existing policies load, and do nothing.
constexpr auto kKeys = std::to_array<PolicyKey>({
    {"alternate-exchange", Key::kBothTypes, false, a_string, "alternate exchange name"},
    {"consumer-disconnected-timeout", Key::kQuorumOnly, false, any, ""},
    {"consumer-timeout", Key::kBothTypes, false, non_negative, "consumer timeout"},
    {"dead-letter-exchange", Key::kBothTypes, false, a_string, "dead letter exchange name"},
    {"dead-letter-routing-key", Key::kBothTypes, false, a_string, "dead letter routing key"},
    {"dead-letter-strategy", Key::kQuorumOnly, false, a_strategy, "dead letter strategy"},
    {"delayed-retry-max", Key::kQuorumOnly, true, any, ""},
    {"delayed-retry-min", Key::kQuorumOnly, true, any, ""},
    {"delayed-retry-type", Key::kQuorumOnly, true, any, ""},
    {"delivery-limit", Key::kQuorumOnly, true, an_integer, "delivery limit"},
    {"expires", Key::kBothTypes, true, positive, "queue expiry"},
    {"federation-upstream", Key::kBothTypes, false, any, ""},
    {"federation-upstream-pattern", Key::kBothTypes, false, any, ""},
    {"federation-upstream-set", Key::kBothTypes, false, any, ""},
    {"ha-mode", Key::kClassicOnly, false, any, ""},
    {"ha-params", Key::kClassicOnly, false, any, ""},
    {"ha-promote-on-failure", Key::kClassicOnly, false, any, ""},
    {"ha-promote-on-shutdown", Key::kClassicOnly, false, any, ""},
    {"ha-sync-batch-size", Key::kClassicOnly, false, any, ""},
    {"ha-sync-mode", Key::kClassicOnly, false, any, ""},
    {"initial-cluster-size", Key::kNoType, false, any, ""},
    {"max-age", Key::kNoType, false, any, ""},
    {"max-in-memory-bytes", Key::kQuorumOnly, true, non_negative, "maximum memory in bytes"},
    {"max-in-memory-length", Key::kQuorumOnly, true, non_negative, "maximum memory in bytes"},
    {"max-length", Key::kBothTypes, true, non_negative, "maximum length"},
    {"max-length-bytes", Key::kBothTypes, true, non_negative, "maximum length in bytes"},
    {"member-placement-tag", Key::kQuorumOnly, true, any, ""},
    {"message-ttl", Key::kBothTypes, true, non_negative, "message TTL"},
    {"overflow", Key::kBothTypes, true, an_overflow, "overflow value"},
    {"queue-leader-locator", Key::kBothTypes, false, any, ""},
    {"queue-master-locator", Key::kClassicOnly, true, any, ""},
    {"queue-mode", Key::kClassicOnly, false, a_queue_mode, "queue-mode value"},
    {"queue-version", Key::kClassicOnly, true, a_queue_version, "queue-version value"},
    {"routing-key", Key::kBothTypes, false, any, ""},
    {"shards-per-node", Key::kBothTypes, false, any, ""},
    {"stream-filter-size-bytes", Key::kNoType, false, any, ""},
    {"stream-max-segment-size-bytes", Key::kNoType, false, any, ""},
    {"target-group-size", Key::kQuorumOnly, true, any, ""},
});

std::string map_text(FieldTable table) {
  std::string result;
  for (const FieldTable::Entry& entry : table) {
    if (!result.empty()) result += ",";
    result += protocol::erlang_binary(entry.name) + " => " + erlang_text(entry.value);
  }
  return "#{" + result + "}";
}

std::string list_text(protocol::FieldArray array) {
  std::string result;
  for (const FieldValue& value : array) {
    if (!result.empty()) result += ",";
    result += erlang_text(value);
  }
  return "[" + result + "]";
}

}  // namespace

const PolicyKey* find_policy_key(std::string_view name) {
  for (const PolicyKey& key : kKeys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::string erlang_text(const FieldValue& value) {
  if (value.is_void()) return "null";
  if (const auto string = value.string()) return protocol::erlang_binary(*string);
  if (const auto table = value.table()) return map_text(*table);
  if (const auto array = value.array()) return list_text(*array);
  return value.to_text();
}

}  // namespace leveret::config
