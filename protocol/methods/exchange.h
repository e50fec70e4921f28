#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class exchange (40), with the exchange-to-exchange bindings of RabbitMQ.
namespace leveret::protocol {

struct ExchangeDeclare {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "exchange.declare";

  std::uint16_t ticket = 0;
  std::string_view exchange;
  std::string_view type;
  bool passive = false;
  bool durable = false;
  bool auto_delete = false;
  bool internal = false;
  bool nowait = false;
  FieldTable arguments;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &ExchangeDeclare::ticket),
                           wire::short_string("exchange", &ExchangeDeclare::exchange),
                           wire::short_string("type", &ExchangeDeclare::type),
                           wire::bit("passive", &ExchangeDeclare::passive),
                           wire::bit("durable", &ExchangeDeclare::durable),
                           wire::bit("auto-delete", &ExchangeDeclare::auto_delete),
                           wire::bit("internal", &ExchangeDeclare::internal),
                           wire::bit("nowait", &ExchangeDeclare::nowait),
                           wire::table("arguments", &ExchangeDeclare::arguments));
  }
};

struct ExchangeDeclareOk {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "exchange.declare-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct ExchangeDelete {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 20;
  static constexpr std::string_view name = "exchange.delete";

  std::uint16_t ticket = 0;
  std::string_view exchange;
  bool if_unused = false;
  bool nowait = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &ExchangeDelete::ticket),
                           wire::short_string("exchange", &ExchangeDelete::exchange),
                           wire::bit("if-unused", &ExchangeDelete::if_unused),
                           wire::bit("nowait", &ExchangeDelete::nowait));
  }
};

struct ExchangeDeleteOk {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 21;
  static constexpr std::string_view name = "exchange.delete-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct ExchangeBind {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 30;
  static constexpr std::string_view name = "exchange.bind";

  std::uint16_t ticket = 0;
  std::string_view destination;
  std::string_view source;
  std::string_view routing_key;
  bool nowait = false;
  FieldTable arguments;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &ExchangeBind::ticket),
                           wire::short_string("destination", &ExchangeBind::destination),
                           wire::short_string("source", &ExchangeBind::source),
                           wire::short_string("routing-key", &ExchangeBind::routing_key),
                           wire::bit("nowait", &ExchangeBind::nowait),
                           wire::table("arguments", &ExchangeBind::arguments));
  }
};

struct ExchangeBindOk {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 31;
  static constexpr std::string_view name = "exchange.bind-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct ExchangeUnbind {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 40;
  static constexpr std::string_view name = "exchange.unbind";

  std::uint16_t ticket = 0;
  std::string_view destination;
  std::string_view source;
  std::string_view routing_key;
  bool nowait = false;
  FieldTable arguments;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &ExchangeUnbind::ticket),
                           wire::short_string("destination", &ExchangeUnbind::destination),
                           wire::short_string("source", &ExchangeUnbind::source),
                           wire::short_string("routing-key", &ExchangeUnbind::routing_key),
                           wire::bit("nowait", &ExchangeUnbind::nowait),
                           wire::table("arguments", &ExchangeUnbind::arguments));
  }
};

struct ExchangeUnbindOk {
  static constexpr std::uint16_t class_id = 40;
  static constexpr std::uint16_t method_id = 51;
  static constexpr std::string_view name = "exchange.unbind-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

}  // namespace leveret::protocol
