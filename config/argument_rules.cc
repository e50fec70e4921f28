#include "config/argument_rules.h"

#include <array>

namespace leveret::config {

using protocol::FieldTable;
using protocol::FieldValue;

namespace {

// Ten years; RabbitMQ's bound on times to live.
constexpr std::int64_t kExpiryMaxMs = 315360000000;

std::string text(std::string_view view) {
  return std::string(view);
}

Complaint tuple(std::string_view what, std::int64_t value) {
  return "{" + text(what) + "," + std::to_string(value) + "}";
}

}  // namespace

Complaint quoted(const std::string& message) {
  std::string result = "\"";
  for (const char c : message) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

Complaint unacceptable_type(const FieldValue& value) {
  return "{unacceptable_type," + text(value.type_name()) + "}";
}

Complaint read_integer(const FieldValue& value, std::int64_t* out) {
  const std::optional<std::int64_t> integer = value.type == 'T' ? std::nullopt : value.integer();
  if (!integer) return quoted("expected integer, got " + text(value.type_name()));
  *out = *integer;
  return {};
}

Complaint read_non_negative(const FieldValue& value, std::int64_t* out) {
  Complaint complaint = read_integer(value, out);
  if (complaint.empty() && *out < 0) complaint = tuple("value_negative", *out);
  return complaint;
}

namespace {

Complaint read_expiry(const FieldValue& value, std::int64_t* out) {
  Complaint complaint = read_non_negative(value, out);
  if (complaint.empty() && *out > kExpiryMaxMs) complaint = tuple("value_too_large", *out);
  return complaint;
}

Complaint check_expires(const FieldValue& value, FieldTable, QueueSettings* out) {
  std::int64_t ms = 0;
  Complaint complaint = read_expiry(value, &ms);
  if (complaint.empty() && ms == 0) complaint = tuple("value_zero", 0);
  if (complaint.empty()) out->expires_ms = ms;
  return complaint;
}

Complaint check_message_ttl(const FieldValue& value, FieldTable, QueueSettings* out) {
  std::int64_t ms = 0;
  Complaint complaint = read_expiry(value, &ms);
  if (complaint.empty()) out->message_ttl_ms = ms;
  return complaint;
}

Complaint check_consumer_timeout(const FieldValue& value, FieldTable, QueueSettings* out) {
  std::int64_t ms = 0;
  Complaint complaint = read_non_negative(value, &ms);
  if (complaint.empty()) out->consumer_timeout_ms = ms;
  return complaint;
}

Complaint check_max_length(const FieldValue& value, FieldTable, QueueSettings* out) {
  std::int64_t length = 0;
  Complaint complaint = read_non_negative(value, &length);
  if (complaint.empty()) out->max_length = length;
  return complaint;
}

Complaint check_max_length_bytes(const FieldValue& value, FieldTable, QueueSettings* out) {
  std::int64_t bytes = 0;
  Complaint complaint = read_non_negative(value, &bytes);
  if (complaint.empty()) out->max_length_bytes = bytes;
  return complaint;
}

Complaint check_max_priority(const FieldValue& value, FieldTable, QueueSettings* out) {
  std::int64_t priority = 0;
  Complaint complaint = read_non_negative(value, &priority);
  if (complaint.empty() && priority > 255) complaint = tuple("max_value_exceeded", priority);
  if (complaint.empty()) out->max_priority = static_cast<std::uint8_t>(priority);
  return complaint;
}

// RabbitMQ 3 takes anything and fails later; 4 takes integers, negative ones for no limit.
Complaint check_delivery_limit(const FieldValue& value, FieldTable, QueueSettings* out) {
  std::int64_t limit = 0;
  Complaint complaint = read_integer(value, &limit);
  if (complaint.empty() && limit >= 0) out->delivery_limit = limit;
  return complaint;
}

// The type of x-dead-letter-exchange was checked before all other arguments.
Complaint check_dead_letter_exchange(const FieldValue& value, FieldTable, QueueSettings* out) {
  out->dead_letter_exchange = text(value.string().value_or(""));
  return {};
}

Complaint check_dead_letter_routing_key(const FieldValue& value, FieldTable arguments,
                                        QueueSettings* out) {
  const auto key = value.string();
  if (!key) return unacceptable_type(value);
  if (!arguments.find(kDeadLetterExchange)) return "routing_key_but_no_dlx_defined";
  out->dead_letter_routing_key = text(*key);
  return {};
}

Complaint check_dead_letter_strategy(const FieldValue& value, FieldTable, QueueSettings*) {
  const auto strategy = value.string();
  if (!strategy) return unacceptable_type(value);
  if (*strategy == "at-most-once" || *strategy == "at-least-once") return {};
  return "invalid_dlx_strategy";
}

// RabbitMQ's quorum queues accept reject-publish-dlx and then drop from the head, against the wish
// of whoever asked; here it means the same for both types.
Complaint check_overflow(const FieldValue& value, FieldTable, QueueSettings* out) {
  const auto overflow = value.string();
  if (!overflow) return unacceptable_type(value);
  if (*overflow == "drop-head") {
    out->overflow = Overflow::kDropHead;
  } else if (*overflow == "reject-publish") {
    out->overflow = Overflow::kRejectPublish;
  } else if (*overflow == "reject-publish-dlx") {
    out->overflow = Overflow::kRejectPublishDlx;
  } else {
    return "invalid_overflow";
  }
  out->overflow_declared = true;
  return {};
}

Complaint check_queue_mode(const FieldValue& value, FieldTable, QueueSettings*) {
  const auto mode = value.string();
  if (!mode) return unacceptable_type(value);
  if (*mode == "default" || *mode == "lazy") return {};
  return quoted("unsupported queue mode '" + text(*mode) + "'");
}

Complaint check_queue_version(const FieldValue& value, FieldTable, QueueSettings*) {
  std::int64_t version = 0;
  Complaint complaint = read_non_negative(value, &version);
  if (complaint.empty() && version != 1 && version != 2) {
    complaint = quoted("unsupported queue version '" + std::to_string(version) + "'");
  }
  return complaint;
}

Complaint check_single_active_consumer(const FieldValue& value, FieldTable, QueueSettings* out) {
  const auto on = value.boolean();
  if (!on) return unacceptable_type(value);
  out->single_active_consumer = *on;
  return {};
}

Complaint check_size_only(const FieldValue& value, FieldTable, QueueSettings*) {
  std::int64_t ignored = 0;
  return read_non_negative(value, &ignored);
}

Complaint check_group_size(const FieldValue& value, FieldTable, QueueSettings*) {
  std::int64_t size = 0;
  Complaint complaint = read_non_negative(value, &size);
  if (complaint.empty() && size == 0) complaint = tuple("value_zero", 0);
  return complaint;
}

Complaint check_leader_locator(const FieldValue& value, FieldTable, QueueSettings*) {
  const auto locator = value.string();
  if (!locator) return unacceptable_type(value);
  for (const char* known : {"client-local", "balanced", "random", "least-leaders"}) {
    if (*locator == known) return {};
  }
  return "invalid_queue_locator_arg";
}

Complaint check_nothing(const FieldValue&, FieldTable, QueueSettings*) {
  return {};
}

// x-queue-leader-locator is known to classic queues since RabbitMQ 4, x-consumer-timeout to both.
constexpr auto kRules = std::to_array<ArgumentRule>({
    {"x-expires", ArgumentRule::kBothTypes, check_expires},
    {"x-message-ttl", ArgumentRule::kBothTypes, check_message_ttl},
    {kDeadLetterExchange, ArgumentRule::kBothTypes, check_dead_letter_exchange},
    {"x-dead-letter-routing-key", ArgumentRule::kBothTypes, check_dead_letter_routing_key},
    {"x-dead-letter-strategy", ArgumentRule::kQuorumOnly, check_dead_letter_strategy},
    {"x-max-length", ArgumentRule::kBothTypes, check_max_length},
    {"x-max-length-bytes", ArgumentRule::kBothTypes, check_max_length_bytes},
    {"x-max-in-memory-length", ArgumentRule::kQuorumOnly, check_size_only},
    {"x-max-in-memory-bytes", ArgumentRule::kQuorumOnly, check_size_only},
    {"x-max-priority", ArgumentRule::kClassicOnly, check_max_priority},
    {"x-overflow", ArgumentRule::kBothTypes, check_overflow},
    {"x-queue-mode", ArgumentRule::kClassicOnly, check_queue_mode},
    {"x-queue-version", ArgumentRule::kClassicOnly, check_queue_version},
    {"x-single-active-consumer", ArgumentRule::kBothTypes, check_single_active_consumer},
    {kQueueType, ArgumentRule::kBothTypes, check_nothing},
    {"x-queue-master-locator", ArgumentRule::kClassicOnly, check_nothing},
    {"x-quorum-initial-group-size", ArgumentRule::kQuorumOnly, check_group_size},
    {"x-delivery-limit", ArgumentRule::kQuorumOnly, check_delivery_limit},
    {"x-queue-leader-locator", ArgumentRule::kBothTypes, check_leader_locator},
    {"x-consumer-timeout", ArgumentRule::kBothTypes, check_consumer_timeout},
    {"x-max-age", ArgumentRule::kNoType, check_nothing},
    {"x-stream-max-segment-size-bytes", ArgumentRule::kNoType, check_nothing},
    {"x-stream-filter-size-bytes", ArgumentRule::kNoType, check_nothing},
    {"x-initial-cluster-size", ArgumentRule::kNoType, check_nothing},
});

}  // namespace

std::span<const ArgumentRule> queue_argument_rules() {
  return kRules;
}

const ArgumentRule* find_queue_argument_rule(std::string_view name) {
  for (const ArgumentRule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

bool knows(const ArgumentRule& rule, QueueType type) {
  const int bit =
      type == QueueType::kQuorum ? ArgumentRule::kQuorumOnly : ArgumentRule::kClassicOnly;
  return (rule.types & bit) != 0;
}

}  // namespace leveret::config
