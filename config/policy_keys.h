#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/field_table.h"

// The keys of policy definitions; policy.h is the way in.
namespace leveret::config {

struct PolicyKey {
  // The queue types that can follow the key. A policy with none such does not apply to a queue, and
  // leaves the place to a weaker one.
  enum Types : std::uint8_t { kNoType = 0, kClassicOnly = 1, kQuorumOnly = 2, kBothTypes = 3 };

  std::string_view name;
  Types types;
  bool operator_key;  // may stand in an operator policy
  bool (*fits)(const protocol::FieldValue& value);
  // Completes "VALUE is not a valid ...".
  std::string_view what;
};

// Null: not a policy key.
const PolicyKey* find_policy_key(std::string_view name);

// A value as Erlang prints it: <<"text">>, 1, true, null, [1,2], #{<<"key">> => 1}.
std::string erlang_text(const protocol::FieldValue& value);

}  // namespace leveret::config
