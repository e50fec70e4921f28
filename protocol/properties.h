#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/big_endian.h"
#include "protocol/field_table.h"
#include "protocol/wire_reader.h"

// Content header payload:
//
//   class-id (2)  weight (2)  body-size (8)  property-flags (2)+  property-list
namespace leveret::protocol {

// The fourteen basic properties; views into the header they were read from.
struct BasicProperties {
  std::optional<std::string_view> content_type;
  std::optional<std::string_view> content_encoding;
  std::optional<FieldTable> headers;
  std::optional<std::uint8_t> delivery_mode;
  std::optional<std::uint8_t> priority;
  std::optional<std::string_view> correlation_id;
  std::optional<std::string_view> reply_to;
  std::optional<std::string_view> expiration;
  std::optional<std::string_view> message_id;
  std::optional<std::uint64_t> timestamp;
  std::optional<std::string_view> type;
  std::optional<std::string_view> user_id;
  std::optional<std::string_view> app_id;
  std::optional<std::string_view> cluster_id;
};

struct ContentHeader {
  std::uint16_t class_id = 0;
  std::uint16_t weight = 0;
  std::uint64_t body_size = 0;
  // property-flags and property-list as they came.
  std::string_view properties;
};

inline constexpr std::size_t kContentHeaderFixedBytes = 12;

// Splits a header frame's payload. Empty when it is shorter than class-id, weight and body-size.
inline std::optional<ContentHeader> parse_content_header(std::string_view payload) {
  if (payload.size() < kContentHeaderFixedBytes) return std::nullopt;
  const char* at = payload.data();
  return ContentHeader{load_u16(at), load_u16(at + 2), load_u64(at + 4),
                       payload.substr(kContentHeaderFixedBytes)};
}

// Reads flags and list. kBadTable: an unknown field type inside headers; kTruncated: the list is
// shorter than its flags say, or longer, or the flags announce a second word, which no property of
// class basic uses. RabbitMQ answers all of them with a bare 541 INTERNAL_ERROR and class and
// method 0,0.
WireError parse_properties(std::string_view bytes, BasicProperties* out);

// Flags and list for these properties; for messages that the broker changes or makes itself.
std::string encode_properties(const BasicProperties& properties);

}  // namespace leveret::protocol
