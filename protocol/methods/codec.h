#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "protocol/base/buffer.h"
#include "protocol/base/ids.h"
#include "protocol/frame.h"
#include "protocol/limits.h"
#include "protocol/wire_reader.h"
#include "protocol/wire_writer.h"

// How the list of a method's arguments becomes its codec. A method's frame payload:
//
//   class-id (2)  method-id (2)  argument...
//
// Neighbouring bits share octets, the first bit lowest:
//
//   no-local, no-ack, exclusive, nowait  ->  0000nxal
namespace leveret::protocol {

enum class WireType : std::uint8_t {
  kOctet,
  kShort,
  kLong,
  kLongLong,
  kBit,
  kShortString,
  kShortBytes,  // a short string whose bytes are not checked
  kLongString,
  kTable,
};

// One argument: its name in the specification, its wire type and where it is kept.
template <WireType Type, class M, class T>
struct Argument {
  static constexpr WireType type = Type;
  std::string_view name;
  T M::*member;
};

namespace wire {

template <class M>
constexpr auto octet(std::string_view name, std::uint8_t M::*member) {
  return Argument<WireType::kOctet, M, std::uint8_t>{name, member};
}
template <class M>
constexpr auto short_uint(std::string_view name, std::uint16_t M::*member) {
  return Argument<WireType::kShort, M, std::uint16_t>{name, member};
}
template <class M>
constexpr auto long_uint(std::string_view name, std::uint32_t M::*member) {
  return Argument<WireType::kLong, M, std::uint32_t>{name, member};
}
template <class M>
constexpr auto longlong_uint(std::string_view name, std::uint64_t M::*member) {
  return Argument<WireType::kLongLong, M, std::uint64_t>{name, member};
}
template <class M>
constexpr auto bit(std::string_view name, bool M::*member) {
  return Argument<WireType::kBit, M, bool>{name, member};
}
template <class M>
constexpr auto short_string(std::string_view name, std::string_view M::*member) {
  return Argument<WireType::kShortString, M, std::string_view>{name, member};
}
template <class M>
constexpr auto short_bytes(std::string_view name, std::string_view M::*member) {
  return Argument<WireType::kShortBytes, M, std::string_view>{name, member};
}
template <class M>
constexpr auto long_string(std::string_view name, std::string_view M::*member) {
  return Argument<WireType::kLongString, M, std::string_view>{name, member};
}
template <class M>
constexpr auto table(std::string_view name, FieldTable M::*member) {
  return Argument<WireType::kTable, M, FieldTable>{name, member};
}

}  // namespace wire

namespace detail {

inline constexpr int kBitsPerOctet = 8;
// type, channel and size of a method frame, then class-id and method-id.
inline constexpr std::size_t kMethodPrefixBytes = kFrameHeaderBytes + 4;

// The octet that neighbouring bits are read from.
struct BitSource {
  std::uint8_t octet = 0;
  int left = 0;

  bool next(WireReader& in) {
    if (left == 0) {
      octet = in.octet();
      left = kBitsPerOctet;
    }
    const bool bit = (octet & 1) != 0;
    octet = static_cast<std::uint8_t>(octet >> 1);
    --left;
    return bit;
  }
};

// The octet that neighbouring bits are gathered in.
struct BitSink {
  std::uint8_t octet = 0;
  int used = 0;

  void add(WireCursor& out, bool bit) {
    if (used == kBitsPerOctet) flush(out);
    octet = static_cast<std::uint8_t>(octet | (bit ? 1 << used : 0));
    ++used;
  }
  void flush(WireCursor& out) {
    if (used > 0) out.octet(octet);
    octet = 0;
    used = 0;
  }
};

template <WireType Type, class M, class T>
void read_argument(WireReader& in, BitSource& bits, const Argument<Type, M, T>& arg, M* out) {
  T& v = out->*arg.member;
  if constexpr (Type == WireType::kBit) {
    v = bits.next(in);
    return;
  }
  bits.left = 0;
  if constexpr (Type == WireType::kOctet) v = in.octet();
  if constexpr (Type == WireType::kShort) v = in.short_uint();
  if constexpr (Type == WireType::kLong) v = in.long_uint();
  if constexpr (Type == WireType::kLongLong) v = in.longlong_uint();
  if constexpr (Type == WireType::kShortString) v = in.short_string();
  if constexpr (Type == WireType::kShortBytes) v = in.short_bytes();
  if constexpr (Type == WireType::kLongString) v = in.long_string();
  if constexpr (Type == WireType::kTable) v = in.table();
}

template <WireType Type, class M, class T>
void write_argument(WireCursor& out, BitSink& bits, const Argument<Type, M, T>& arg, const M& m) {
  const T& v = m.*arg.member;
  if constexpr (Type == WireType::kBit) {
    bits.add(out, v);
    return;
  }
  bits.flush(out);
  if constexpr (Type == WireType::kOctet) out.octet(v);
  if constexpr (Type == WireType::kShort) out.short_uint(v);
  if constexpr (Type == WireType::kLong) out.long_uint(v);
  if constexpr (Type == WireType::kLongLong) out.longlong_uint(v);
  if constexpr (Type == WireType::kShortString) out.short_string(v);
  if constexpr (Type == WireType::kShortBytes) out.short_string(v);
  if constexpr (Type == WireType::kLongString) out.long_string(v);
  if constexpr (Type == WireType::kTable) out.long_string(v.bytes());
}

// Bytes that the argument takes at most.
template <WireType Type, class M, class T>
std::size_t argument_bytes_max(const Argument<Type, M, T>& arg, const M& m) {
  if constexpr (std::is_same_v<T, std::string_view>)
    return sizeof(std::uint32_t) + (m.*arg.member).size();
  if constexpr (std::is_same_v<T, FieldTable>) {
    return sizeof(std::uint32_t) + (m.*arg.member).bytes().size();
  }
  return sizeof(T);
}

}  // namespace detail

// Reads a method's arguments. Bytes left over are kTruncated too: RabbitMQ refuses both with
// "cannot decode". Views in *out point into args.
template <class M>
WireError decode(std::string_view args, M* out) {
  WireReader in(args);
  detail::BitSource bits;
  std::apply([&](const auto&... arg) { (detail::read_argument(in, bits, arg, out), ...); },
             M::fields());
  return in.finish();
}

// Appends the method's frame.
template <class M>
void write_method(Buffer& out, ChannelId channel, const M& m) {
  constexpr auto kFields = M::fields();
  const std::size_t bytes_max =
      detail::kMethodPrefixBytes + 1 +
      std::apply(
          [&](const auto&... arg) {
            return (std::size_t{0} + ... + detail::argument_bytes_max(arg, m));
          },
          kFields);
  char* const start = out.prepare(bytes_max);
  WireCursor cursor(start + kFrameHeaderBytes);
  cursor.short_uint(M::class_id);
  cursor.short_uint(M::method_id);
  detail::BitSink bits;
  std::apply([&](const auto&... arg) { (detail::write_argument(cursor, bits, arg, m), ...); },
             kFields);
  bits.flush(cursor);
  const auto payload_bytes = static_cast<std::size_t>(cursor.at() - start) - kFrameHeaderBytes;
  cursor.octet(static_cast<std::uint8_t>(kFrameEnd));
  WireCursor head(start);
  head.octet(static_cast<std::uint8_t>(FrameType::kMethod));
  head.short_uint(channel.value);
  head.long_uint(static_cast<std::uint32_t>(payload_bytes));
  out.commit(payload_bytes + kFrameOverhead);
}

}  // namespace leveret::protocol
