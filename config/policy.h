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

namespace leveret::config {

enum class PolicyTarget : std::uint8_t { kExchange, kClassicQueue, kQuorumQueue };

// The policies of one broker, ready to be matched. Immutable once built.
class PolicySet {
 public:
  PolicySet() = default;
  // REQUIRES: patterns and definitions were validated (yaml_loader does).
  PolicySet(const std::vector<PolicyDefinition>& policies,
            const std::vector<PolicyDefinition>& operator_policies);

  // The policy of highest priority whose pattern and apply-to match; null if none does. The pointer
  // is valid as long as this set.
  const PolicyDefinition* match(std::string_view vhost, PolicyTarget target,
                                std::string_view name) const;
  const PolicyDefinition* match_operator(std::string_view vhost, PolicyTarget target,
                                         std::string_view name) const;

 private:
  struct Compiled {
    PolicyDefinition policy;
    Pattern pattern;
  };
  std::vector<Compiled> policies_;
  std::vector<Compiled> operator_policies_;
};

// Merges arguments, policy and operator policy (null: none) as reference behaviour has it: minimum
// for numbers; argument before policy for dead-letter keys and overflow.
QueueSettings effective_queue_settings(const QueueSettings& from_arguments,
                                       const PolicyDefinition* policy,
                                       const PolicyDefinition* operator_policy);

// The exchange's own argument wins over the policy's alternate-exchange.
std::optional<std::string> effective_alternate_exchange(
    const std::optional<std::string>& from_arguments, const PolicyDefinition* policy);

// Null if every key is known and every value fits; else RabbitMQ's text, which names the key.
std::optional<std::string> validate_policy_definition(protocol::FieldTable definition,
                                                      bool operator_policy);

}  // namespace leveret::config
