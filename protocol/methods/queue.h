#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class queue (50).
namespace leveret::protocol {

struct QueueDeclare {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "queue.declare";

  std::uint16_t ticket = 0;
  std::string_view queue;
  bool passive = false;
  bool durable = false;
  bool exclusive = false;
  bool auto_delete = false;
  bool nowait = false;
  FieldTable arguments;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &QueueDeclare::ticket),
                           wire::short_string("queue", &QueueDeclare::queue),
                           wire::bit("passive", &QueueDeclare::passive),
                           wire::bit("durable", &QueueDeclare::durable),
                           wire::bit("exclusive", &QueueDeclare::exclusive),
                           wire::bit("auto-delete", &QueueDeclare::auto_delete),
                           wire::bit("nowait", &QueueDeclare::nowait),
                           wire::table("arguments", &QueueDeclare::arguments));
  }
};

struct QueueDeclareOk {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "queue.declare-ok";

  std::string_view queue;
  std::uint32_t message_count = 0;
  std::uint32_t consumer_count = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("queue", &QueueDeclareOk::queue),
                           wire::long_uint("message-count", &QueueDeclareOk::message_count),
                           wire::long_uint("consumer-count", &QueueDeclareOk::consumer_count));
  }
};

struct QueueBind {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 20;
  static constexpr std::string_view name = "queue.bind";

  std::uint16_t ticket = 0;
  std::string_view queue;
  std::string_view exchange;
  std::string_view routing_key;
  bool nowait = false;
  FieldTable arguments;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &QueueBind::ticket),
                           wire::short_string("queue", &QueueBind::queue),
                           wire::short_string("exchange", &QueueBind::exchange),
                           wire::short_string("routing-key", &QueueBind::routing_key),
                           wire::bit("nowait", &QueueBind::nowait),
                           wire::table("arguments", &QueueBind::arguments));
  }
};

struct QueueBindOk {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 21;
  static constexpr std::string_view name = "queue.bind-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct QueuePurge {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 30;
  static constexpr std::string_view name = "queue.purge";

  std::uint16_t ticket = 0;
  std::string_view queue;
  bool nowait = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &QueuePurge::ticket),
                           wire::short_string("queue", &QueuePurge::queue),
                           wire::bit("nowait", &QueuePurge::nowait));
  }
};

struct QueuePurgeOk {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 31;
  static constexpr std::string_view name = "queue.purge-ok";

  std::uint32_t message_count = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::long_uint("message-count", &QueuePurgeOk::message_count));
  }
};

struct QueueDelete {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 40;
  static constexpr std::string_view name = "queue.delete";

  std::uint16_t ticket = 0;
  std::string_view queue;
  bool if_unused = false;
  bool if_empty = false;
  bool nowait = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &QueueDelete::ticket),
                           wire::short_string("queue", &QueueDelete::queue),
                           wire::bit("if-unused", &QueueDelete::if_unused),
                           wire::bit("if-empty", &QueueDelete::if_empty),
                           wire::bit("nowait", &QueueDelete::nowait));
  }
};

struct QueueDeleteOk {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 41;
  static constexpr std::string_view name = "queue.delete-ok";

  std::uint32_t message_count = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::long_uint("message-count", &QueueDeleteOk::message_count));
  }
};

struct QueueUnbind {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 50;
  static constexpr std::string_view name = "queue.unbind";

  std::uint16_t ticket = 0;
  std::string_view queue;
  std::string_view exchange;
  std::string_view routing_key;
  FieldTable arguments;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &QueueUnbind::ticket),
                           wire::short_string("queue", &QueueUnbind::queue),
                           wire::short_string("exchange", &QueueUnbind::exchange),
                           wire::short_string("routing-key", &QueueUnbind::routing_key),
                           wire::table("arguments", &QueueUnbind::arguments));
  }
};

struct QueueUnbindOk {
  static constexpr std::uint16_t class_id = 50;
  static constexpr std::uint16_t method_id = 51;
  static constexpr std::string_view name = "queue.unbind-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

}  // namespace leveret::protocol
