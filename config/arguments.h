#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/amqp_error.h"
#include "protocol/field_table.h"

// The x-arguments of declares and consumes, validated as RabbitMQ does.
namespace leveret::config {

enum class Overflow : std::uint8_t { kDropHead, kRejectPublish, kRejectPublishDlx };
enum class QueueType : std::uint8_t { kClassic, kQuorum };

// What steers a queue, from its arguments, its policy and its operator policy (see policy.h for the
// precedence). One value that a policy change replaces whole on a live queue.
struct QueueSettings {
  QueueType type = QueueType::kClassic;
  std::optional<std::int64_t> message_ttl_ms;
  std::optional<std::int64_t> expires_ms;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> max_length_bytes;
  Overflow overflow = Overflow::kDropHead;
  // An x-overflow argument set it: a policy must not replace it on a classic queue.
  bool overflow_declared = false;
  std::optional<std::string> dead_letter_exchange;
  std::optional<std::string> dead_letter_routing_key;
  std::optional<std::uint8_t> max_priority;
  bool single_active_consumer = false;
  std::optional<std::int64_t> delivery_limit;  // empty: none; -1 in an argument means that, too
  std::optional<std::int64_t> consumer_timeout_ms;

  friend bool operator==(const QueueSettings&, const QueueSettings&) = default;
};

// Names an object in reply texts: queue 'q' in vhost '/'.
struct ObjectName {
  std::string_view vhost;
  std::string_view name;
};

// Checks the arguments of queue.declare and fills *out from them; *out is as it was if there is an
// error. `durable`, `exclusive` and `auto_delete` matter for the quorum type, and so does an empty
// name: it asks for a server-named queue, which RabbitMQ refuses before all else. Unknown arguments
// are ignored.
std::optional<protocol::AmqpError> parse_queue_arguments(const ObjectName& queue,
                                                         protocol::FieldTable arguments,
                                                         bool durable, bool exclusive,
                                                         bool auto_delete, QueueSettings* out);

// Checks that a redeclaration means the same queue: 406 "inequivalent arg ..." with RabbitMQ's
// texts. Unknown arguments are not compared.
std::optional<protocol::AmqpError> compare_queue_arguments(const ObjectName& queue,
                                                           protocol::FieldTable current,
                                                           protocol::FieldTable received);

// The alternate-exchange argument of exchange.declare: 406 if it is not a string.
std::optional<protocol::AmqpError> parse_exchange_arguments(
    const ObjectName& exchange, protocol::FieldTable arguments,
    std::optional<std::string>* alternate_exchange);

// Compares alternate-exchange, the only exchange argument that RabbitMQ compares.
std::optional<protocol::AmqpError> compare_exchange_arguments(const ObjectName& exchange,
                                                              protocol::FieldTable current,
                                                              protocol::FieldTable received);

struct ConsumerArguments {
  std::int32_t priority = 0;
  std::optional<std::int64_t> timeout_ms;
};

// The arguments of basic.consume on a queue of that type: x-priority must be an integer (cut to 32
// bits), x-stream-offset is refused.
std::optional<protocol::AmqpError> parse_consumer_arguments(const ObjectName& queue,
                                                            protocol::FieldTable arguments,
                                                            ConsumerArguments* out,
                                                            QueueType type = QueueType::kClassic);

}  // namespace leveret::config
