#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class channel (20): opening and closing of channels.
namespace leveret::protocol {

struct ChannelOpen {
  static constexpr std::uint16_t class_id = 20;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "channel.open";

  std::string_view out_of_band;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("out-of-band", &ChannelOpen::out_of_band));
  }
};

struct ChannelOpenOk {
  static constexpr std::uint16_t class_id = 20;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "channel.open-ok";

  std::string_view channel_id;

  static constexpr auto fields() {
    return std::make_tuple(wire::long_string("channel-id", &ChannelOpenOk::channel_id));
  }
};

struct ChannelFlow {
  static constexpr std::uint16_t class_id = 20;
  static constexpr std::uint16_t method_id = 20;
  static constexpr std::string_view name = "channel.flow";

  bool active = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::bit("active", &ChannelFlow::active));
  }
};

struct ChannelFlowOk {
  static constexpr std::uint16_t class_id = 20;
  static constexpr std::uint16_t method_id = 21;
  static constexpr std::string_view name = "channel.flow-ok";

  bool active = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::bit("active", &ChannelFlowOk::active));
  }
};

struct ChannelClose {
  static constexpr std::uint16_t class_id = 20;
  static constexpr std::uint16_t method_id = 40;
  static constexpr std::string_view name = "channel.close";

  std::uint16_t reply_code = 0;
  std::string_view reply_text;
  // The method that the error is about; 0,0 where there is none.
  std::uint16_t cause_class_id = 0;
  std::uint16_t cause_method_id = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("reply-code", &ChannelClose::reply_code),
                           wire::short_string("reply-text", &ChannelClose::reply_text),
                           wire::short_uint("class-id", &ChannelClose::cause_class_id),
                           wire::short_uint("method-id", &ChannelClose::cause_method_id));
  }
};

struct ChannelCloseOk {
  static constexpr std::uint16_t class_id = 20;
  static constexpr std::uint16_t method_id = 41;
  static constexpr std::string_view name = "channel.close-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

}  // namespace leveret::protocol
