#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class basic (60), with basic.nack of RabbitMQ.
namespace leveret::protocol {

struct BasicQos {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "basic.qos";

  std::uint32_t prefetch_size = 0;
  std::uint16_t prefetch_count = 0;
  bool global = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::long_uint("prefetch-size", &BasicQos::prefetch_size),
                           wire::short_uint("prefetch-count", &BasicQos::prefetch_count),
                           wire::bit("global", &BasicQos::global));
  }
};

struct BasicQosOk {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "basic.qos-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct BasicConsume {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 20;
  static constexpr std::string_view name = "basic.consume";

  std::uint16_t ticket = 0;
  std::string_view queue;
  std::string_view consumer_tag;
  bool no_local = false;
  bool no_ack = false;
  bool exclusive = false;
  bool nowait = false;
  FieldTable arguments;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &BasicConsume::ticket),
                           wire::short_string("queue", &BasicConsume::queue),
                           wire::short_string("consumer-tag", &BasicConsume::consumer_tag),
                           wire::bit("no-local", &BasicConsume::no_local),
                           wire::bit("no-ack", &BasicConsume::no_ack),
                           wire::bit("exclusive", &BasicConsume::exclusive),
                           wire::bit("nowait", &BasicConsume::nowait),
                           wire::table("arguments", &BasicConsume::arguments));
  }
};

struct BasicConsumeOk {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 21;
  static constexpr std::string_view name = "basic.consume-ok";

  std::string_view consumer_tag;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("consumer-tag", &BasicConsumeOk::consumer_tag));
  }
};

struct BasicCancel {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 30;
  static constexpr std::string_view name = "basic.cancel";

  std::string_view consumer_tag;
  bool nowait = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("consumer-tag", &BasicCancel::consumer_tag),
                           wire::bit("nowait", &BasicCancel::nowait));
  }
};

struct BasicCancelOk {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 31;
  static constexpr std::string_view name = "basic.cancel-ok";

  std::string_view consumer_tag;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("consumer-tag", &BasicCancelOk::consumer_tag));
  }
};

struct BasicPublish {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 40;
  static constexpr std::string_view name = "basic.publish";

  std::uint16_t ticket = 0;
  // RabbitMQ takes any bytes for these two.
  std::string_view exchange;
  std::string_view routing_key;
  bool mandatory = false;
  bool immediate = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &BasicPublish::ticket),
                           wire::short_bytes("exchange", &BasicPublish::exchange),
                           wire::short_bytes("routing-key", &BasicPublish::routing_key),
                           wire::bit("mandatory", &BasicPublish::mandatory),
                           wire::bit("immediate", &BasicPublish::immediate));
  }
};

struct BasicReturn {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 50;
  static constexpr std::string_view name = "basic.return";

  std::uint16_t reply_code = 0;
  std::string_view reply_text;
  std::string_view exchange;
  std::string_view routing_key;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("reply-code", &BasicReturn::reply_code),
                           wire::short_string("reply-text", &BasicReturn::reply_text),
                           wire::short_string("exchange", &BasicReturn::exchange),
                           wire::short_string("routing-key", &BasicReturn::routing_key));
  }
};

struct BasicDeliver {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 60;
  static constexpr std::string_view name = "basic.deliver";

  std::string_view consumer_tag;
  std::uint64_t delivery_tag = 0;
  bool redelivered = false;
  std::string_view exchange;
  std::string_view routing_key;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("consumer-tag", &BasicDeliver::consumer_tag),
                           wire::longlong_uint("delivery-tag", &BasicDeliver::delivery_tag),
                           wire::bit("redelivered", &BasicDeliver::redelivered),
                           wire::short_string("exchange", &BasicDeliver::exchange),
                           wire::short_string("routing-key", &BasicDeliver::routing_key));
  }
};

struct BasicGet {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 70;
  static constexpr std::string_view name = "basic.get";

  std::uint16_t ticket = 0;
  std::string_view queue;
  bool no_ack = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("ticket", &BasicGet::ticket),
                           wire::short_string("queue", &BasicGet::queue),
                           wire::bit("no-ack", &BasicGet::no_ack));
  }
};

struct BasicGetOk {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 71;
  static constexpr std::string_view name = "basic.get-ok";

  std::uint64_t delivery_tag = 0;
  bool redelivered = false;
  std::string_view exchange;
  std::string_view routing_key;
  std::uint32_t message_count = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::longlong_uint("delivery-tag", &BasicGetOk::delivery_tag),
                           wire::bit("redelivered", &BasicGetOk::redelivered),
                           wire::short_string("exchange", &BasicGetOk::exchange),
                           wire::short_string("routing-key", &BasicGetOk::routing_key),
                           wire::long_uint("message-count", &BasicGetOk::message_count));
  }
};

struct BasicGetEmpty {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 72;
  static constexpr std::string_view name = "basic.get-empty";

  std::string_view cluster_id;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("cluster-id", &BasicGetEmpty::cluster_id));
  }
};

struct BasicAck {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 80;
  static constexpr std::string_view name = "basic.ack";

  std::uint64_t delivery_tag = 0;
  bool multiple = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::longlong_uint("delivery-tag", &BasicAck::delivery_tag),
                           wire::bit("multiple", &BasicAck::multiple));
  }
};

struct BasicReject {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 90;
  static constexpr std::string_view name = "basic.reject";

  std::uint64_t delivery_tag = 0;
  bool requeue = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::longlong_uint("delivery-tag", &BasicReject::delivery_tag),
                           wire::bit("requeue", &BasicReject::requeue));
  }
};

struct BasicRecoverAsync {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 100;
  static constexpr std::string_view name = "basic.recover-async";

  bool requeue = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::bit("requeue", &BasicRecoverAsync::requeue));
  }
};

struct BasicRecover {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 110;
  static constexpr std::string_view name = "basic.recover";

  bool requeue = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::bit("requeue", &BasicRecover::requeue));
  }
};

struct BasicRecoverOk {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 111;
  static constexpr std::string_view name = "basic.recover-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct BasicNack {
  static constexpr std::uint16_t class_id = 60;
  static constexpr std::uint16_t method_id = 120;
  static constexpr std::string_view name = "basic.nack";

  std::uint64_t delivery_tag = 0;
  bool multiple = false;
  bool requeue = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::longlong_uint("delivery-tag", &BasicNack::delivery_tag),
                           wire::bit("multiple", &BasicNack::multiple),
                           wire::bit("requeue", &BasicNack::requeue));
  }
};

}  // namespace leveret::protocol
