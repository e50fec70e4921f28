#include "protocol/properties.h"

#include <tuple>

#include "protocol/limits.h"
#include "protocol/utf8.h"

namespace leveret::protocol {

namespace {

// In flag order: the first has bit 15, cluster_id bit 2.
constexpr auto kMembers = std::make_tuple(
    &BasicProperties::content_type, &BasicProperties::content_encoding, &BasicProperties::headers,
    &BasicProperties::delivery_mode, &BasicProperties::priority, &BasicProperties::correlation_id,
    &BasicProperties::reply_to, &BasicProperties::expiration, &BasicProperties::message_id,
    &BasicProperties::timestamp, &BasicProperties::type, &BasicProperties::user_id,
    &BasicProperties::app_id, &BasicProperties::cluster_id);

constexpr std::uint16_t kFirstFlag = 0x8000;
// Bit 0: another word of flags follows.
constexpr std::uint16_t kMoreFlags = 0x0001;

void read(WireReader& in, std::optional<std::string_view>* out) {
  *out = in.short_bytes();
}
void read(WireReader& in, std::optional<FieldTable>* out) {
  *out = in.table();
}
void read(WireReader& in, std::optional<std::uint8_t>* out) {
  *out = in.octet();
}
void read(WireReader& in, std::optional<std::uint64_t>* out) {
  *out = in.longlong_uint();
}

void write(std::string& out, std::string_view v) {
  v = v.substr(0, utf8_cut(v, kShortStringMax));
  out += static_cast<char>(v.size());
  out.append(v);
}

void write(std::string& out, FieldTable v) {
  char size[sizeof(std::uint32_t)];
  store_u32(size, static_cast<std::uint32_t>(v.bytes().size()));
  out.append(size, sizeof size);
  out.append(v.bytes());
}

void write(std::string& out, std::uint8_t v) {
  out += static_cast<char>(v);
}

void write(std::string& out, std::uint64_t v) {
  char bytes[sizeof v];
  store_u64(bytes, v);
  out.append(bytes, sizeof bytes);
}

// Calls f(member, flag) for each property in flag order.
template <class F>
void for_each_property(F f) {
  std::uint16_t flag = kFirstFlag;
  const auto one = [&](auto member) {
    f(member, flag);
    flag = static_cast<std::uint16_t>(flag >> 1);
  };
  std::apply([&](auto... member) { (one(member), ...); }, kMembers);
}

}  // namespace

WireError parse_properties(std::string_view bytes, BasicProperties* out) {
  WireReader in(bytes);
  const std::uint16_t flags = in.short_uint();
  if ((flags & kMoreFlags) != 0) return WireError::kTruncated;
  for_each_property([&](auto member, std::uint16_t flag) {
    if ((flags & flag) != 0) {
      read(in, &(out->*member));
    } else {
      (out->*member).reset();
    }
  });
  return in.finish();
}

std::string encode_properties(const BasicProperties& properties) {
  std::string out(sizeof(std::uint16_t), '\0');
  std::uint16_t flags = 0;
  for_each_property([&](auto member, std::uint16_t flag) {
    const auto& property = properties.*member;
    if (!property) return;
    flags = static_cast<std::uint16_t>(flags | flag);
    write(out, *property);
  });
  store_u16(out.data(), flags);
  return out;
}

}  // namespace leveret::protocol
