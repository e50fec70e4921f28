#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/arguments.h"
#include "config/definitions.h"
#include "config/pattern.h"
#include "protocol/field_table.h"

namespace leveret::config {

enum class PolicyTarget : std::uint8_t { kExchange, kClassicQueue, kQuorumQueue };

// The policies of one broker, ready to be matched. Immutable once built.
class PolicySet {
 public:
  PolicySet() = default;
  // REQUIRES: patterns and definitions were validated (yaml_loader does).
  PolicySet(const std::vector<PolicyDefinition>& policies,
            const std::vector<PolicyDefinition>& operator_policies);

  // The policy of highest priority whose pattern and apply-to match; of equal ones that whose name
  // sorts first, so that the choice is stable (RabbitMQ leaves it open). An empty pattern matches
  // every name. A policy none of whose keys the queue type can follow is passed over. Null if none
  // is left. The pointer is valid as long as this set.
  const PolicyDefinition* match(std::string_view vhost, PolicyTarget target,
                                std::string_view name) const;
  const PolicyDefinition* match_operator(std::string_view vhost, PolicyTarget target,
                                         std::string_view name) const;

 private:
  struct Compiled {
    PolicyDefinition policy;
    Pattern pattern;
    // Whether a queue of that type can follow any of the keys.
    bool for_classic = false;
    bool for_quorum = false;
  };

  static std::vector<Compiled> compile(const std::vector<PolicyDefinition>& policies);
  static bool applies(const Compiled& compiled, PolicyTarget target);
  static const PolicyDefinition* first_match(const std::vector<Compiled>& policies,
                                             std::string_view vhost, PolicyTarget target,
                                             std::string_view name);

  // Strongest first.
  std::vector<Compiled> policies_;
  std::vector<Compiled> operator_policies_;
};

// Merges arguments, policy and operator policy (null: none) as RabbitMQ does: minimum for numbers;
// argument before policy for dead-letter keys and, on classic queues, overflow; an operator's
// overflow before that of the policy. delivery-limit is for quorum queues.
QueueSettings effective_queue_settings(const QueueSettings& from_arguments,
                                       const PolicyDefinition* policy,
                                       const PolicyDefinition* operator_policy);

// The exchange's own argument wins over the policy's alternate-exchange.
std::optional<std::string> effective_alternate_exchange(
    const std::optional<std::string>& from_arguments, const PolicyDefinition* policy);

// Null if every key is known and every value fits; else RabbitMQ's reason, without the line
// "Validation failed" that its HTTP API puts before it.
std::optional<std::string> validate_policy_definition(protocol::FieldTable definition,
                                                      bool operator_policy);

}  // namespace leveret::config
