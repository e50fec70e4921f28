#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class connection (10): the whole connection, on channel 0.
namespace leveret::protocol {

struct ConnectionStart {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "connection.start";

  std::uint8_t version_major = 0;
  std::uint8_t version_minor = 0;
  FieldTable server_properties;
  std::string_view mechanisms;
  std::string_view locales;

  static constexpr auto fields() {
    return std::make_tuple(wire::octet("version-major", &ConnectionStart::version_major),
                           wire::octet("version-minor", &ConnectionStart::version_minor),
                           wire::table("server-properties", &ConnectionStart::server_properties),
                           wire::long_string("mechanisms", &ConnectionStart::mechanisms),
                           wire::long_string("locales", &ConnectionStart::locales));
  }
};

struct ConnectionStartOk {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "connection.start-ok";

  FieldTable client_properties;
  std::string_view mechanism;
  std::string_view response;
  std::string_view locale;

  static constexpr auto fields() {
    return std::make_tuple(wire::table("client-properties", &ConnectionStartOk::client_properties),
                           wire::short_string("mechanism", &ConnectionStartOk::mechanism),
                           wire::long_string("response", &ConnectionStartOk::response),
                           wire::short_string("locale", &ConnectionStartOk::locale));
  }
};

struct ConnectionSecure {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 20;
  static constexpr std::string_view name = "connection.secure";

  std::string_view challenge;

  static constexpr auto fields() {
    return std::make_tuple(wire::long_string("challenge", &ConnectionSecure::challenge));
  }
};

struct ConnectionSecureOk {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 21;
  static constexpr std::string_view name = "connection.secure-ok";

  std::string_view response;

  static constexpr auto fields() {
    return std::make_tuple(wire::long_string("response", &ConnectionSecureOk::response));
  }
};

struct ConnectionTune {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 30;
  static constexpr std::string_view name = "connection.tune";

  std::uint16_t channel_max = 0;
  std::uint32_t frame_max = 0;
  std::uint16_t heartbeat = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("channel-max", &ConnectionTune::channel_max),
                           wire::long_uint("frame-max", &ConnectionTune::frame_max),
                           wire::short_uint("heartbeat", &ConnectionTune::heartbeat));
  }
};

struct ConnectionTuneOk {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 31;
  static constexpr std::string_view name = "connection.tune-ok";

  std::uint16_t channel_max = 0;
  std::uint32_t frame_max = 0;
  std::uint16_t heartbeat = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("channel-max", &ConnectionTuneOk::channel_max),
                           wire::long_uint("frame-max", &ConnectionTuneOk::frame_max),
                           wire::short_uint("heartbeat", &ConnectionTuneOk::heartbeat));
  }
};

struct ConnectionOpen {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 40;
  static constexpr std::string_view name = "connection.open";

  std::string_view virtual_host;
  std::string_view capabilities;
  bool insist = false;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("virtual-host", &ConnectionOpen::virtual_host),
                           wire::short_string("capabilities", &ConnectionOpen::capabilities),
                           wire::bit("insist", &ConnectionOpen::insist));
  }
};

struct ConnectionOpenOk {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 41;
  static constexpr std::string_view name = "connection.open-ok";

  std::string_view known_hosts;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("known-hosts", &ConnectionOpenOk::known_hosts));
  }
};

struct ConnectionClose {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 50;
  static constexpr std::string_view name = "connection.close";

  std::uint16_t reply_code = 0;
  std::string_view reply_text;
  // The method that the error is about; 0,0 where there is none.
  std::uint16_t cause_class_id = 0;
  std::uint16_t cause_method_id = 0;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_uint("reply-code", &ConnectionClose::reply_code),
                           wire::short_string("reply-text", &ConnectionClose::reply_text),
                           wire::short_uint("class-id", &ConnectionClose::cause_class_id),
                           wire::short_uint("method-id", &ConnectionClose::cause_method_id));
  }
};

struct ConnectionCloseOk {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 51;
  static constexpr std::string_view name = "connection.close-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct ConnectionBlocked {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 60;
  static constexpr std::string_view name = "connection.blocked";

  std::string_view reason;

  static constexpr auto fields() {
    return std::make_tuple(wire::short_string("reason", &ConnectionBlocked::reason));
  }
};

struct ConnectionUnblocked {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 61;
  static constexpr std::string_view name = "connection.unblocked";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct ConnectionUpdateSecret {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 70;
  static constexpr std::string_view name = "connection.update-secret";

  std::string_view new_secret;
  std::string_view reason;

  static constexpr auto fields() {
    return std::make_tuple(wire::long_string("new-secret", &ConnectionUpdateSecret::new_secret),
                           wire::short_string("reason", &ConnectionUpdateSecret::reason));
  }
};

struct ConnectionUpdateSecretOk {
  static constexpr std::uint16_t class_id = 10;
  static constexpr std::uint16_t method_id = 71;
  static constexpr std::string_view name = "connection.update-secret-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

}  // namespace leveret::protocol
