#include "config/policy.h"

#include <algorithm>
#include <utility>

#include "config/policy_keys.h"
#include "protocol/erlang_text.h"

namespace leveret::config {

using protocol::FieldTable;
using protocol::FieldValue;

namespace {

// What one or two policies ask of a queue.
struct PolicyValues {
  std::optional<std::int64_t> message_ttl_ms;
  std::optional<std::int64_t> expires_ms;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> max_length_bytes;
  std::optional<std::int64_t> delivery_limit;
  std::optional<std::int64_t> consumer_timeout_ms;
  std::optional<Overflow> overflow;
  std::optional<std::string> dead_letter_exchange;
  std::optional<std::string> dead_letter_routing_key;
};

std::optional<std::string> string_in(FieldTable definition, std::string_view key) {
  const auto value = definition.find(key);
  if (!value || !value->string()) return std::nullopt;
  return std::string(*value->string());
}

std::optional<std::int64_t> number_in(FieldTable definition, std::string_view key) {
  const auto value = definition.find(key);
  return value ? value->integer() : std::nullopt;
}

std::optional<Overflow> overflow_in(FieldTable definition) {
  const auto text = string_in(definition, "overflow");
  if (!text) return std::nullopt;
  if (*text == "reject-publish") return Overflow::kRejectPublish;
  if (*text == "reject-publish-dlx") return Overflow::kRejectPublishDlx;
  return Overflow::kDropHead;
}

PolicyValues read_values(const PolicyDefinition* policy) {
  if (policy == nullptr) return {};
  const FieldTable definition(policy->definition);
  PolicyValues values{
      .message_ttl_ms = number_in(definition, "message-ttl"),
      .expires_ms = number_in(definition, "expires"),
      .max_length = number_in(definition, "max-length"),
      .max_length_bytes = number_in(definition, "max-length-bytes"),
      .delivery_limit = number_in(definition, "delivery-limit"),
      .consumer_timeout_ms = number_in(definition, "consumer-timeout"),
      .overflow = overflow_in(definition),
      .dead_letter_exchange = string_in(definition, "dead-letter-exchange"),
      .dead_letter_routing_key = string_in(definition, "dead-letter-routing-key"),
  };
  // A negative limit is none, so any other limit is stronger.
  if (values.delivery_limit && *values.delivery_limit < 0) values.delivery_limit.reset();
  return values;
}

void lower(std::optional<std::int64_t>* value, const std::optional<std::int64_t>& bound) {
  if (!bound) return;
  *value = *value ? std::min(**value, *bound) : *bound;
}

}  // namespace

std::vector<PolicySet::Compiled> PolicySet::compile(const std::vector<PolicyDefinition>& policies) {
  std::vector<Compiled> result;
  result.reserve(policies.size());
  for (const PolicyDefinition& policy : policies) {
    Compiled compiled;
    compiled.policy = policy;
    std::string error;
    const std::string pattern = policy.pattern.empty() ? ".*" : policy.pattern;
    compiled.pattern = Pattern::compile(pattern, &error).value_or(Pattern());
    for (const FieldTable::Entry& entry : FieldTable(policy.definition)) {
      const PolicyKey* key = find_policy_key(entry.name);
      if (key == nullptr) continue;
      compiled.for_classic |= (key->types & PolicyKey::kClassicOnly) != 0;
      compiled.for_quorum |= (key->types & PolicyKey::kQuorumOnly) != 0;
    }
    result.push_back(std::move(compiled));
  }
  std::stable_sort(result.begin(), result.end(), [](const Compiled& a, const Compiled& b) {
    if (a.policy.priority != b.policy.priority) return a.policy.priority > b.policy.priority;
    return a.policy.name < b.policy.name;
  });
  return result;
}

PolicySet::PolicySet(const std::vector<PolicyDefinition>& policies,
                     const std::vector<PolicyDefinition>& operator_policies)
    : policies_(compile(policies)), operator_policies_(compile(operator_policies)) {}

bool PolicySet::applies(const Compiled& compiled, PolicyTarget target) {
  const ApplyTo to = compiled.policy.apply_to;
  switch (target) {
    case PolicyTarget::kExchange:
      return to == ApplyTo::kAll || to == ApplyTo::kExchanges;
    case PolicyTarget::kClassicQueue:
      return compiled.for_classic &&
             (to == ApplyTo::kAll || to == ApplyTo::kQueues || to == ApplyTo::kClassicQueues);
    case PolicyTarget::kQuorumQueue:
      return compiled.for_quorum &&
             (to == ApplyTo::kAll || to == ApplyTo::kQueues || to == ApplyTo::kQuorumQueues);
  }
  return false;
}

const PolicyDefinition* PolicySet::first_match(const std::vector<Compiled>& policies,
                                               std::string_view vhost, PolicyTarget target,
                                               std::string_view name) {
  for (const Compiled& compiled : policies) {
    if (compiled.policy.vhost == vhost && applies(compiled, target) &&
        compiled.pattern.matches(name)) {
      return &compiled.policy;
    }
  }
  return nullptr;
}

const PolicyDefinition* PolicySet::match(std::string_view vhost, PolicyTarget target,
                                         std::string_view name) const {
  return first_match(policies_, vhost, target, name);
}

const PolicyDefinition* PolicySet::match_operator(std::string_view vhost, PolicyTarget target,
                                                  std::string_view name) const {
  return first_match(operator_policies_, vhost, target, name);
}

QueueSettings effective_queue_settings(const QueueSettings& from_arguments,
                                       const PolicyDefinition* policy,
                                       const PolicyDefinition* operator_policy) {
  const PolicyValues user = read_values(policy);
  const PolicyValues limits = read_values(operator_policy);
  const bool quorum = from_arguments.type == QueueType::kQuorum;
  QueueSettings result = from_arguments;
  for (const PolicyValues* values : {&user, &limits}) {
    lower(&result.message_ttl_ms, values->message_ttl_ms);
    lower(&result.expires_ms, values->expires_ms);
    lower(&result.max_length, values->max_length);
    lower(&result.max_length_bytes, values->max_length_bytes);
    lower(&result.consumer_timeout_ms, values->consumer_timeout_ms);
    if (quorum) lower(&result.delivery_limit, values->delivery_limit);
  }
  const std::optional<Overflow> overflow = limits.overflow ? limits.overflow : user.overflow;
  if (overflow && (quorum || !from_arguments.overflow_declared)) result.overflow = *overflow;
  if (!result.dead_letter_exchange) result.dead_letter_exchange = user.dead_letter_exchange;
  if (!result.dead_letter_routing_key) {
    result.dead_letter_routing_key = user.dead_letter_routing_key;
  }
  return result;
}

std::optional<std::string> effective_alternate_exchange(
    const std::optional<std::string>& from_arguments, const PolicyDefinition* policy) {
  if (from_arguments || policy == nullptr) return from_arguments;
  return string_in(FieldTable(policy->definition), "alternate-exchange");
}

std::optional<std::string> validate_policy_definition(FieldTable definition, bool operator_policy) {
  std::vector<FieldTable::Entry> entries;
  for (const FieldTable::Entry& entry : definition) entries.push_back(entry);
  if (entries.empty()) return "no policy provided";
  // RabbitMQ looks at the keys in their order, whatever the order of the definition.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  std::string unknown;
  for (const FieldTable::Entry& entry : entries) {
    const PolicyKey* key = find_policy_key(entry.name);
    if (key == nullptr || (operator_policy && !key->operator_key)) {
      if (!unknown.empty()) unknown += ",";
      unknown += "{" + protocol::erlang_binary(entry.name) + "," + erlang_text(entry.value) + "}";
    } else if (!key->fits(entry.value)) {
      return erlang_text(entry.value) + " is not a valid " + std::string(key->what);
    }
  }
  if (unknown.empty()) return std::nullopt;
  return "[" + unknown + "] are not recognised policy settings";
}

}  // namespace leveret::config
