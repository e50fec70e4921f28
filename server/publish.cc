#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/methods.h"
#include "protocol/properties.h"
#include "server/broker.h"
#include "server/channel.h"
#include "server/direct_reply.h"
#include "server/errors.h"
#include "server/message_frames.h"
#include "server/session.h"

// basic.publish from its content header to its queues.
namespace leveret::server {
namespace {

using protocol::AmqpError;
using protocol::BasicProperties;
using protocol::FieldTable;
using protocol::FieldTableBuilder;

// Ten years in milliseconds: RabbitMQ's bound on times to live.
constexpr std::int64_t kExpirationMax = 315360000000;

// RabbitMQ parses the expiration as Erlang's string:to_integer does; its words for what is wrong.
std::optional<AmqpError> parse_expiration(std::string_view text, std::int64_t* ms) {
  const auto invalid = [text](const std::string& why) {
    return precondition_error("invalid expiration '" + std::string(text) + "': " + why);
  };
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *ms);
  if (error == std::errc::invalid_argument) return invalid("no_integer");
  const std::string_view rest(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
  if (!rest.empty()) return invalid("{leftover_string,\"" + std::string(rest) + "\"}");
  const std::string number(digits);
  if (error == std::errc::result_out_of_range) {
    return invalid((number[0] == '-' ? "{value_negative," : "{value_too_large,") + number + "}");
  }
  if (*ms < 0) return invalid("{value_negative," + number + "}");
  if (*ms > kExpirationMax) return invalid("{value_too_large," + number + "}");
  return std::nullopt;
}

// Adds the strings of a CC or BCC header to *keys.
std::optional<AmqpError> read_extra_keys(FieldTable headers, std::string_view name,
                                         std::vector<std::string>* keys) {
  const auto value = headers.find(name);
  if (!value) return std::nullopt;
  const auto array = value->array();
  if (!array) {
    return precondition_error("invalid message: {unacceptable_type_in_header,\"" +
                              std::string(name) + "\"," + std::string(value->type_name()) + "}");
  }
  for (const protocol::FieldValue& key : *array) {
    if (const auto text = key.string()) keys->emplace_back(*text);
  }
  return std::nullopt;
}

std::string without(FieldTable table, std::string_view name) {
  FieldTableBuilder kept;
  for (const auto& entry : table) {
    if (entry.name != name) kept.value(entry.name, entry.value);
  }
  return kept.take();
}

}  // namespace

void Channel::begin_publish(std::string_view exchange, std::string_view routing_key,
                            bool mandatory) {
  incoming_.exchange.assign(exchange);
  incoming_.routing_key.assign(routing_key);
  incoming_.mandatory = mandatory;
}

void Channel::on_content_header(const protocol::ContentHeader& header, bool complete) {
  class_id_ = protocol::BasicPublish::class_id;
  method_id_ = protocol::BasicPublish::method_id;
  const std::uint64_t size_max = session_.settings().limits.max_message_size;
  if (header.body_size > size_max) {
    return fail(precondition_error("message size " + std::to_string(header.body_size) +
                                   " is larger than configured max size " +
                                   std::to_string(size_max)));
  }
  if (auto error = authorize_publish()) return fail(std::move(*error));
  incoming_.extra_keys.clear();
  incoming_.headers.clear();
  incoming_.properties.clear();
  queue::Message::Parts parts{incoming_.exchange, incoming_.routing_key, header.properties,
                              header.body_size};
  // Two zero bytes: no property at all, the usual case of a light publisher.
  if (header.properties != std::string_view("\0\0", 2)) {
    if (auto error = read_properties(header.properties, &parts)) return fail(std::move(*error));
  }
  incoming_.message = queue::Message::create(parts);
  if (complete) finish_publish();
}

void Channel::on_content_body(std::string_view body, bool complete) {
  if (!incoming_.message) return;
  queue::Message::append_body(incoming_.message, body);
  if (complete) {
    class_id_ = protocol::BasicPublish::class_id;
    method_id_ = protocol::BasicPublish::method_id;
    finish_publish();
  }
}

std::optional<AmqpError> Channel::authorize_publish() {
  const exchange::RouteSnapshot& routes = *session_.vhost()->routes;
  const config::VhostAccess* access = session_.access();
  if (route_cache_.find(incoming_.exchange, incoming_.routing_key, routes.version(), access)) {
    return std::nullopt;
  }
  const std::string_view name = incoming_.exchange;
  if (!access->allows(config::Access::kWrite, name)) {
    return refused_error("exchange", name, session_.vhost_name(), session_.user());
  }
  const auto info = routes.find_exchange(name);
  if (!info) return no_exchange_error(name, session_.vhost_name());
  if (info->internal) {
    return protocol::make_error(protocol::ReplyCode::kAccessRefused,
                                "cannot publish to internal exchange '" + std::string(name) +
                                    "' in vhost '" + session_.vhost_name() + "'");
  }
  if (info->type == exchange::ExchangeType::kTopic) return authorize_topic(incoming_.routing_key);
  return std::nullopt;
}

std::optional<AmqpError> Channel::authorize_topic(std::string_view routing_key) {
  const config::VhostAccess* access = session_.access();
  if (!access->has_topic_permissions() ||
      access->allows_topic(config::Access::kWrite, incoming_.exchange, routing_key)) {
    return std::nullopt;
  }
  return topic_refused_error(routing_key, incoming_.exchange, session_.vhost_name(),
                             session_.user());
}

std::optional<AmqpError> Channel::read_properties(std::string_view raw,
                                                  queue::Message::Parts* parts) {
  BasicProperties properties;
  switch (protocol::parse_properties(raw, &properties)) {
    case protocol::WireError::kNone:
      break;
    case protocol::WireError::kBadTable:
    case protocol::WireError::kTableTooDeep:
      return protocol::make_error(protocol::ReplyCode::kInternalError, "");
    default:
      return protocol::make_error(protocol::ReplyCode::kFrameError,
                                  "cannot decode the content properties");
  }
  if (properties.user_id && *properties.user_id != session_.user() &&
      !session_.user_may_impersonate()) {
    return precondition_error("user_id property set to '" + std::string(*properties.user_id) +
                              "' but authenticated user was '" + session_.user() + "'");
  }
  if (properties.expiration) {
    if (auto error = parse_expiration(*properties.expiration, &parts->expiration_ms)) return error;
  }
  if (properties.delivery_mode) {
    if (*properties.delivery_mode != 1 && *properties.delivery_mode != 2) {
      return precondition_error("invalid message: {delivery_mode_unknown," +
                                std::to_string(*properties.delivery_mode) + "}");
    }
    parts->persistent = *properties.delivery_mode == 2;
  }
  parts->priority = properties.priority.value_or(0);
  bool rewrite = false;
  std::string headers_without_bcc;
  if (properties.headers && !properties.headers->empty()) {
    if (auto error = read_header_keys(*properties.headers, &headers_without_bcc, &rewrite)) {
      return error;
    }
    if (rewrite) properties.headers = FieldTable(headers_without_bcc);
    incoming_.headers.assign(properties.headers->bytes());
  }
  if (properties.reply_to && *properties.reply_to == kReplyTo) {
    if (reply_name_.empty()) return precondition_error("fast reply consumer does not exist");
    properties.reply_to = reply_name_;
    rewrite = true;
  }
  if (rewrite) {
    incoming_.properties = protocol::encode_properties(properties);
    parts->properties = incoming_.properties;
  }
  return std::nullopt;
}

std::optional<AmqpError> Channel::read_header_keys(FieldTable headers, std::string* without_bcc,
                                                   bool* rewrite) {
  if (auto error = read_extra_keys(headers, "CC", &incoming_.extra_keys)) return error;
  if (auto error = read_extra_keys(headers, "BCC", &incoming_.extra_keys)) return error;
  if (headers.find("BCC")) {
    *without_bcc = without(headers, "BCC");
    *rewrite = true;
  }
  const auto info = session_.vhost()->routes->find_exchange(incoming_.exchange);
  if (info && info->type == exchange::ExchangeType::kTopic) {
    for (const std::string& key : incoming_.extra_keys) {
      if (auto error = authorize_topic(key)) return error;
    }
  }
  return std::nullopt;
}

const std::vector<QueueId>& Channel::find_route() {
  VhostView& vhost = *session_.vhost();
  const exchange::RouteSnapshot& routes = *vhost.routes;
  const bool plain = incoming_.extra_keys.empty();
  if (plain) {
    const auto* known = route_cache_.find(incoming_.exchange, incoming_.routing_key,
                                          routes.version(), session_.access());
    if (known != nullptr) return *known;
  }
  Loop& loop = session_.loop();
  std::vector<QueueId>& queues = loop.route_scratch();
  const std::vector<std::string_view> extra(incoming_.extra_keys.begin(),
                                            incoming_.extra_keys.end());
  const exchange::RouteOutcome outcome = loop.router().route(
      routes, {incoming_.exchange, incoming_.routing_key, extra, FieldTable(incoming_.headers)},
      &queues);
  if (plain && outcome.cacheable && outcome.status == exchange::RouteStatus::kOk) {
    route_cache_.put(incoming_.exchange, incoming_.routing_key, routes.version(), session_.access(),
                     queues);
  }
  return queues;
}

void Channel::finish_publish() {
  session_.note_publish();
  queue::MessageRef message = std::move(incoming_.message);
  bool replied = false;
  if (incoming_.exchange.empty() && incoming_.routing_key.starts_with(kReplyTo)) {
    replied = direct_reply(message);
  }
  const std::vector<QueueId>& queues = find_route();
  const bool unroutable = queues.empty() && !replied;
  if (mode_ == Mode::kTransaction) {
    tx_publishes_.push_back(
        {std::move(message), queues, incoming_.mandatory, incoming_.mandatory && unroutable});
    return;
  }
  if (unroutable && incoming_.mandatory) return_unroutable(message);
  follow_route(queues);
  if (mode_ == Mode::kPlain) {
    bool refused = false;
    publish_to(message, 0, queues, &refused);
    return;
  }
  // One more outcome than the queues give, settled last: whatever they answer in between, the tag
  // is not told before all of them were asked.
  const std::uint64_t tag = confirms_.add(1);
  bool refused = false;
  const std::uint32_t pending = publish_to(message, tag, queues, &refused);
  if (pending > 0) confirms_.expect_more(tag, pending);
  confirms_.settle(tag, !refused);
  if (confirms_.has_replies() && !std::exchange(confirms_marked_, true)) {
    session_.mark_confirms(*this);
  }
}

// A publisher whose messages all go to one other loop had better live there.
void Channel::follow_route(const std::vector<QueueId>& queues) {
  const std::uint16_t here = session_.loop().index();
  if (queues.empty() || queues.front().loop == here || mode_ == Mode::kTransaction) return;
  for (const QueueId& id : queues) {
    if (id.loop != queues.front().loop) return;
  }
  session_.move_towards(queues.front().loop, false);
}

std::uint32_t Channel::publish_to(const queue::MessageRef& message, std::uint64_t publish_seq,
                                  const std::vector<QueueId>& queues, bool* refused) {
  Loop& loop = session_.loop();
  std::uint32_t pending = 0;
  for (const QueueId& id : queues) {
    if (id.loop == loop.index()) {
      // A queue that is gone counts as done, as in RabbitMQ.
      QueueHost* host = loop.find_queue(id);
      if (host != nullptr && !host->publish(message)) *refused = true;
      continue;
    }
    loop.send(id.loop, PublishMail{address(), publish_seq, message, id});
    session_.add_in_flight(message->footprint());
    ++pending;
  }
  return publish_seq == 0 ? 0 : pending;
}

void Channel::return_unroutable(const queue::MessageRef& message) {
  // Confirms of earlier publishes keep their place before it.
  write_confirms();
  session_.write(id_, protocol::BasicReturn{
                          .reply_code = static_cast<std::uint16_t>(protocol::ReplyCode::kNoRoute),
                          .reply_text = "NO_ROUTE",
                          .exchange = message->exchange(),
                          .routing_key = message->routing_key()});
  write_content_frames(session_.output(), session_.frame_max(), id_, message);
  session_.note_output();
}

bool Channel::direct_reply(const queue::MessageRef& message) {
  const auto address = parse_direct_reply_name(message->routing_key());
  Loop& loop = session_.loop();
  if (!address || address->loop >= loop.broker().loop_count()) return false;
  const auto hand_over = [message, to = *address](Loop& home) {
    Session* session = home.find_session(to.connection);
    Channel* channel = session == nullptr ? nullptr : session->find_channel(to.channel);
    return channel != nullptr && channel->on_direct_reply(message);
  };
  if (address->loop == loop.index()) return hand_over(loop);
  loop.send(address->loop, Task([hand_over](Loop& home) { hand_over(home); }));
  return true;
}

bool Channel::on_direct_reply(const queue::MessageRef& message) {
  if (reply_name_ != message->routing_key()) return false;
  write_message_frames(session_.output(), session_.frame_max(), id_, message,
                       DeliverStart{reply_tag_, next_delivery_tag(), false});
  session_.note_output();
  return true;
}

void Channel::set_reply_consumer(std::string tag) {
  reply_tag_ = std::move(tag);
  reply_name_ = direct_reply_name(address());
}

void Channel::clear_reply_consumer() {
  reply_tag_.clear();
  reply_name_.clear();
}

}  // namespace leveret::server
