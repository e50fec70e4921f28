#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/mail.h"

// Direct reply-to: a consumer of the pseudo-queue amq.rabbitmq.reply-to gets replies without a
// queue. Requests carry a name that leads back to the requester's channel.
namespace leveret::server {

inline constexpr std::string_view kReplyTo = "amq.rabbitmq.reply-to";

// amq.rabbitmq.reply-to., the address, and random characters that nobody can guess. Ends in == as
// RabbitMQ's names do, which clients' tests look for.
std::string direct_reply_name(const ChannelAddress& address);

// Empty: not such a name. Whether the channel still has that name is for its session to say.
std::optional<ChannelAddress> parse_direct_reply_name(std::string_view name);

}  // namespace leveret::server
