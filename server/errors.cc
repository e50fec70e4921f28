#include "server/errors.h"

#include <string>

namespace leveret::server {

using protocol::AmqpError;
using protocol::make_error;
using protocol::ReplyCode;

namespace {

std::string quoted(std::string_view name) {
  return "'" + std::string(name) + "'";
}

}  // namespace

AmqpError no_queue_error(std::string_view queue, std::string_view vhost) {
  return make_error(ReplyCode::kNotFound,
                    "no queue " + quoted(queue) + " in vhost " + quoted(vhost));
}

AmqpError no_exchange_error(std::string_view exchange, std::string_view vhost) {
  return make_error(ReplyCode::kNotFound,
                    "no exchange " + quoted(exchange) + " in vhost " + quoted(vhost));
}

AmqpError locked_error(std::string_view queue, std::string_view vhost) {
  return make_error(ReplyCode::kResourceLocked,
                    "cannot obtain exclusive access to locked queue " + quoted(queue) +
                        " in vhost " + quoted(vhost) +
                        ". It could be originally declared on another connection or the exclusive "
                        "property value does not match that of the original declaration.");
}

AmqpError refused_error(std::string_view kind, std::string_view name, std::string_view vhost,
                        std::string_view user) {
  const std::string_view shown = kind == "exchange" && name.empty() ? "amq.default" : name;
  return make_error(ReplyCode::kAccessRefused, "access to " + std::string(kind) + " " +
                                                   quoted(shown) + " in vhost " + quoted(vhost) +
                                                   " refused for user " + quoted(user));
}

AmqpError topic_refused_error(std::string_view routing_key, std::string_view exchange,
                              std::string_view vhost, std::string_view user) {
  return make_error(ReplyCode::kAccessRefused,
                    "access to topic " + quoted(routing_key) + " in exchange " + quoted(exchange) +
                        " in vhost " + quoted(vhost) + " refused for user " + quoted(user));
}

AmqpError default_exchange_error() {
  return make_error(ReplyCode::kAccessRefused, "operation not permitted on the default exchange");
}

AmqpError reserved_name_error(std::string_view kind, std::string_view name) {
  return make_error(ReplyCode::kAccessRefused, std::string(kind) + " name " + quoted(name) +
                                                   " contains reserved prefix 'amq.*'");
}

AmqpError precondition_error(std::string_view text) {
  return make_error(ReplyCode::kPreconditionFailed, std::string(text));
}

}  // namespace leveret::server
