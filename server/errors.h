#pragma once

#include <string_view>

#include "config/access.h"
#include "protocol/amqp_error.h"

// Errors that several methods share, with RabbitMQ's texts.
namespace leveret::server {

protocol::AmqpError no_queue_error(std::string_view queue, std::string_view vhost);
protocol::AmqpError no_exchange_error(std::string_view exchange, std::string_view vhost);
// An exclusive queue of another connection, or the exclusive flag does not match.
protocol::AmqpError locked_error(std::string_view queue, std::string_view vhost);
// kind: "queue" or "exchange". An empty name is the default exchange.
protocol::AmqpError refused_error(std::string_view kind, std::string_view name,
                                  std::string_view vhost, std::string_view user);
protocol::AmqpError topic_refused_error(std::string_view routing_key, std::string_view exchange,
                                        std::string_view vhost, std::string_view user);
protocol::AmqpError default_exchange_error();
// Names beginning with amq. belong to the broker.
protocol::AmqpError reserved_name_error(std::string_view kind, std::string_view name);
protocol::AmqpError precondition_error(std::string_view text);

}  // namespace leveret::server
