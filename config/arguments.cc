#include "config/arguments.h"

#include <algorithm>
#include <limits>

#include "config/argument_rules.h"

namespace leveret::config {

using protocol::AmqpError;
using protocol::FieldTable;
using protocol::FieldValue;
using protocol::ReplyCode;

namespace {

constexpr std::string_view kAlternateExchange = "alternate-exchange";

std::string text(std::string_view view) {
  return std::string(view);
}

std::string describe(std::string_view kind, const ObjectName& object) {
  return text(kind) + " '" + text(object.name) + "' in vhost '" + text(object.vhost) + "'";
}

AmqpError refused(const std::string& explanation) {
  return protocol::make_error(ReplyCode::kPreconditionFailed, explanation);
}

std::string_view type_module(QueueType type) {
  return type == QueueType::kQuorum ? "rabbit_quorum_queue" : "rabbit_classic_queue";
}

QueueType type_of(FieldTable arguments) {
  const std::optional<FieldValue> value = arguments.find(kQueueType);
  const bool quorum = value && value->string() == std::string_view("quorum");
  return quorum ? QueueType::kQuorum : QueueType::kClassic;
}

AmqpError invalid_argument(const ObjectName& queue, std::string_view key,
                           const Complaint& complaint) {
  return refused("invalid arg '" + text(key) + "' for " + describe("queue", queue) + ": " +
                 complaint);
}

AmqpError wrong_queue_type(const ObjectName& queue, std::string_view key, QueueType type) {
  return refused("invalid arg '" + text(key) + "' for " + describe("queue", queue) +
                 " of queue type " + text(type_module(type)));
}

AmqpError invalid_type(std::string_view kind, const ObjectName& object, std::string_view key,
                       const FieldValue& value) {
  return refused("invalid type '" + text(value.type_name()) + "' for arg '" + text(key) + "' in " +
                 describe(kind, object));
}

std::optional<AmqpError> check_queue_type(const ObjectName& queue, FieldTable arguments) {
  const std::optional<FieldValue> value = arguments.find(kQueueType);
  if (!value) return std::nullopt;
  const auto type = value->string();
  if (!type) return invalid_argument(queue, kQueueType, unacceptable_type(*value));
  if (*type == "classic" || *type == "quorum") return std::nullopt;
  if (*type == "stream") {
    return invalid_argument(queue, kQueueType,
                            quoted("queue type 'stream' is not supported by this broker"));
  }
  return invalid_argument(queue, kQueueType,
                          quoted("unsupported queue type '" + text(*type) + "'"));
}

std::optional<AmqpError> check_quorum_properties(const ObjectName& queue, bool durable,
                                                 bool exclusive, bool auto_delete) {
  const char* wrong = auto_delete ? "auto-delete"
                      : exclusive ? "exclusive-owner"
                      : !durable  ? "non-durable"
                                  : nullptr;
  if (wrong == nullptr) return std::nullopt;
  return refused("invalid property '" + text(wrong) + "' for " + describe("queue", queue));
}

std::string value_text(const FieldValue& value) {
  return value.is_void() ? "undefined" : value.to_text();
}

// "the value '1000' of type 'signedint'", or none.
std::string typed_text(const std::optional<FieldValue>& value) {
  if (!value) return "none";
  return "the value '" + value_text(*value) + "' of type '" + text(value->type_name()) + "'";
}

std::string bare_text(const FieldValue& value) {
  return value.is_void() ? "none" : "'" + value_text(value) + "'";
}

std::optional<AmqpError> compare_one(std::string_view kind, const ObjectName& object,
                                     std::string_view key, FieldTable current,
                                     FieldTable received) {
  const std::optional<FieldValue> old_value = current.find(key);
  const std::optional<FieldValue> new_value = received.find(key);
  if (!old_value && !new_value) return std::nullopt;
  const bool both = old_value && new_value;
  if (both && protocol::equivalent(*old_value, *new_value)) return std::nullopt;
  if (!both && key == kQueueType &&
      (old_value ? *old_value : *new_value).string() == std::string_view("classic")) {
    return std::nullopt;
  }
  return refused("inequivalent arg '" + text(key) + "' for " + describe(kind, object) +
                 ": received " + (both ? bare_text(*new_value) : typed_text(new_value)) +
                 " but current is " + (both ? bare_text(*old_value) : typed_text(old_value)));
}

}  // namespace

std::optional<AmqpError> parse_queue_arguments(const ObjectName& queue, FieldTable arguments,
                                               bool durable, bool exclusive, bool auto_delete,
                                               QueueSettings* out) {
  QueueSettings settings;
  settings.type = type_of(arguments);
  if (queue.name.empty() && settings.type == QueueType::kQuorum) {
    return refused("Cannot declare a server-named queue for type rabbit_quorum_queue");
  }
  const std::optional<FieldValue> exchange = arguments.find(kDeadLetterExchange);
  if (exchange && !exchange->string()) {
    return invalid_type("queue", queue, kDeadLetterExchange, *exchange);
  }
  if (auto error = check_queue_type(queue, arguments)) return error;
  for (const ArgumentRule& rule : queue_argument_rules()) {
    const std::optional<FieldValue> value = arguments.find(rule.name);
    if (!value || !knows(rule, settings.type)) continue;
    const Complaint complaint = rule.check(*value, arguments, &settings);
    if (!complaint.empty()) return invalid_argument(queue, rule.name, complaint);
  }
  for (const FieldTable::Entry& entry : arguments) {
    const ArgumentRule* rule = find_queue_argument_rule(entry.name);
    if (rule != nullptr && !knows(*rule, settings.type)) {
      return wrong_queue_type(queue, entry.name, settings.type);
    }
  }
  if (settings.type == QueueType::kQuorum) {
    if (auto error = check_quorum_properties(queue, durable, exclusive, auto_delete)) return error;
  }
  *out = settings;
  return std::nullopt;
}

std::optional<AmqpError> compare_queue_arguments(const ObjectName& queue, FieldTable current,
                                                 FieldTable received) {
  const QueueType type = type_of(current);
  for (const ArgumentRule& rule : queue_argument_rules()) {
    if (!knows(rule, type)) continue;
    if (auto error = compare_one("queue", queue, rule.name, current, received)) return error;
  }
  return std::nullopt;
}

std::optional<AmqpError> parse_exchange_arguments(const ObjectName& exchange, FieldTable arguments,
                                                  std::optional<std::string>* alternate_exchange) {
  alternate_exchange->reset();
  const std::optional<FieldValue> value = arguments.find(kAlternateExchange);
  if (!value) return std::nullopt;
  const auto name = value->string();
  if (!name) return invalid_type("exchange", exchange, kAlternateExchange, *value);
  *alternate_exchange = text(*name);
  return std::nullopt;
}

std::optional<AmqpError> compare_exchange_arguments(const ObjectName& exchange, FieldTable current,
                                                    FieldTable received) {
  return compare_one("exchange", exchange, kAlternateExchange, current, received);
}

std::optional<AmqpError> parse_consumer_arguments(const ObjectName& queue, FieldTable arguments,
                                                  ConsumerArguments* out, QueueType type) {
  ConsumerArguments result;
  if (const auto value = arguments.find("x-priority")) {
    std::int64_t priority = 0;
    const Complaint complaint = read_integer(*value, &priority);
    if (!complaint.empty()) return invalid_argument(queue, "x-priority", complaint);
    using Bounds = std::numeric_limits<std::int32_t>;
    result.priority =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(priority, Bounds::min(), Bounds::max()));
  }
  const auto failover = arguments.find("x-cancel-on-ha-failover");
  if (failover && type == QueueType::kClassic && !failover->boolean()) {
    return invalid_argument(queue, "x-cancel-on-ha-failover", unacceptable_type(*failover));
  }
  if (const auto value = arguments.find("x-consumer-timeout")) {
    std::int64_t ms = 0;
    const Complaint complaint = read_non_negative(*value, &ms);
    if (!complaint.empty()) return invalid_argument(queue, "x-consumer-timeout", complaint);
    result.timeout_ms = ms;
  }
  for (const FieldTable::Entry& entry : arguments) {
    if (entry.name == "x-stream-offset" ||
        (entry.name == "x-cancel-on-ha-failover" && type == QueueType::kQuorum)) {
      return wrong_queue_type(queue, entry.name, type);
    }
  }
  *out = result;
  return std::nullopt;
}

}  // namespace leveret::config
