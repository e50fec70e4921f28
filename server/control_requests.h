#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exchange/route_builder.h"
#include "protocol/amqp_error.h"
#include "protocol/base/ids.h"

// What sessions ask of the control loop, as plain values. Argument tables are their encoded
// entries.
namespace leveret::server {

struct ExchangeDeclaration {
  std::string vhost;
  std::string name;
  std::string type;
  bool passive = false;
  bool durable = false;
  bool auto_delete = false;
  bool internal = false;
  std::string arguments;
};

struct QueueDeclaration {
  std::string vhost;
  std::string name;
  ConnectionId connection;  // the declaring one; owner if exclusive
  std::uint16_t loop = 0;   // home of a new queue
  bool passive = false;
  bool durable = false;
  bool exclusive = false;
  bool auto_delete = false;
  bool server_named = false;
  std::string arguments;
};

struct QueueDeclared {
  std::optional<protocol::AmqpError> error;
  QueueId id;
};

struct QueueDeletion {
  std::string vhost;
  std::string name;
  ConnectionId connection;
  bool if_unused = false;
  bool if_empty = false;
};

struct QueueDeleted {
  std::optional<protocol::AmqpError> error;
  std::uint64_t ready = 0;  // messages it held
};

struct BindingChange {
  std::string vhost;
  ConnectionId connection;
  bool add = true;
  exchange::Binding binding;
};

struct ConnectionInfo {
  ConnectionId id;
  std::uint16_t loop = 0;
  std::string name;  // "peer -> own" addresses
  std::string user;
  std::string vhost;
  std::string client_name;  // connection_name of the client properties
};

}  // namespace leveret::server
