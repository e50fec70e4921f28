#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a broker serves: plain data, filled from YAML (and, later, from the metadata store, the HTTP
// API and definitions files). Argument tables are encoded field tables (entries without size).
namespace leveret::config {

struct VhostLimits {
  std::int64_t max_connections = -1;  // -1: none
  std::int64_t max_queues = -1;
};

struct VhostDefinition {
  std::string name;
  std::string description;
  std::vector<std::string> tags;
  VhostLimits limits;
};

struct UserLimits {
  std::int64_t max_connections = -1;
  std::int64_t max_channels = -1;
};

struct UserDefinition {
  std::string name;
  // As RabbitMQ's password_hash: base64 of salt and digest. Empty: the user cannot log in with a
  // password.
  std::string password_hash;
  std::string hashing_algorithm;  // rabbit_password_hashing_sha256, _sha512 or _md5
  std::vector<std::string> tags;
  UserLimits limits;
};

struct PermissionDefinition {
  std::string user, vhost, configure, write, read;  // regular expressions
};

struct TopicPermissionDefinition {
  std::string user, vhost, exchange, write, read;
};

struct ExchangeDefinition {
  std::string vhost, name, type = "direct";
  bool durable = true, auto_delete = false, internal = false;
  std::string arguments;
};

struct QueueDefinition {
  std::string vhost, name;
  bool durable = true, auto_delete = false;
  std::string arguments;
};

enum class DestinationKind : std::uint8_t { kQueue, kExchange };

struct BindingDefinition {
  std::string vhost, source, destination;
  DestinationKind destination_kind = DestinationKind::kQueue;
  std::string routing_key;
  std::string arguments;
};

enum class ApplyTo : std::uint8_t {
  kAll,
  kQueues,
  kExchanges,
  kClassicQueues,
  kQuorumQueues,
  kStreams
};

struct PolicyDefinition {
  std::string vhost, name, pattern;
  ApplyTo apply_to = ApplyTo::kAll;
  std::int32_t priority = 0;
  // Policy keys and values as an encoded field table: {"alternate-exchange": "ae"}.
  std::string definition;
};

struct Definitions {
  std::vector<VhostDefinition> vhosts;
  std::vector<UserDefinition> users;
  std::vector<PermissionDefinition> permissions;
  std::vector<TopicPermissionDefinition> topic_permissions;
  std::vector<PolicyDefinition> policies;
  std::vector<PolicyDefinition> operator_policies;
  std::vector<ExchangeDefinition> exchanges;
  std::vector<QueueDefinition> queues;
  std::vector<BindingDefinition> bindings;
};

}  // namespace leveret::config
