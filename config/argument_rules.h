#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/arguments.h"
#include "protocol/field_table.h"

// One rule for each argument of queue.declare; arguments.h is the way in.
namespace leveret::config {

inline constexpr std::string_view kDeadLetterExchange = "x-dead-letter-exchange";
inline constexpr std::string_view kQueueType = "x-queue-type";

// What follows the colon of "invalid arg 'K' for queue 'Q' in vhost 'V': "; empty when the value is
// right. Written as Erlang prints terms, because that is what clients have seen so far.
using Complaint = std::string;

struct ArgumentRule {
  // The queue types that know the argument; the others refuse it. kNoType: streams have it.
  enum Types : std::uint8_t { kNoType = 0, kClassicOnly = 1, kQuorumOnly = 2, kBothTypes = 3 };

  std::string_view name;
  Types types;
  // Gets all arguments of the declaration, too, and stores what it read.
  Complaint (*check)(const protocol::FieldValue& value, protocol::FieldTable arguments,
                     QueueSettings* out);
};

// In the order in which RabbitMQ checks and compares, so that of several errors the same is told.
std::span<const ArgumentRule> queue_argument_rules();
// Null: no queue type knows the argument.
const ArgumentRule* find_queue_argument_rule(std::string_view name);
bool knows(const ArgumentRule& rule, QueueType type);

// "message" in double quotes, escaped.
Complaint quoted(const std::string& message);
Complaint unacceptable_type(const protocol::FieldValue& value);
// Integers of any width. Timestamps are none here, although they read as such.
Complaint read_integer(const protocol::FieldValue& value, std::int64_t* out);
Complaint read_non_negative(const protocol::FieldValue& value, std::int64_t* out);

}  // namespace leveret::config
