#pragma once

#include <cstdint>
#include <string_view>

#include "config/access.h"
#include "exchange/route_builder.h"
#include "server/channel.h"

// The methods a client sends on a channel, one file per AMQP class.
namespace leveret::server {

void dispatch_method(Channel& channel, std::uint16_t class_id, std::uint16_t method_id,
                     std::string_view args);

void on_access_method(Channel& channel, std::uint16_t method_id, std::string_view args);
void on_basic_method(Channel& channel, std::uint16_t method_id, std::string_view args);
void on_channel_method(Channel& channel, std::uint16_t method_id, std::string_view args);
void on_confirm_method(Channel& channel, std::uint16_t method_id, std::string_view args);
void on_exchange_method(Channel& channel, std::uint16_t method_id, std::string_view args);
void on_queue_method(Channel& channel, std::uint16_t method_id, std::string_view args);
void on_tx_method(Channel& channel, std::uint16_t method_id, std::string_view args);

// False: 403 was sent. kind: "queue" or "exchange".
bool require_access(Channel& channel, config::Access access, std::string_view kind,
                    std::string_view name);

// The permissions of queue.bind, exchange.bind and their opposites. False: an error was sent.
bool check_binding_access(Channel& channel, const exchange::Binding& binding);

// A method that this broker does not implement: 503 COMMAND_INVALID.
void refuse_unknown_method(Channel& channel);

}  // namespace leveret::server
