#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

// Integers in network order at any alignment. Callers have checked that the bytes are there.
namespace leveret::protocol {

static_assert(std::endian::native == std::endian::little);

inline std::uint16_t load_u16(const char* at) {
  std::uint16_t v;
  std::memcpy(&v, at, sizeof v);
  return __builtin_bswap16(v);
}

inline std::uint32_t load_u32(const char* at) {
  std::uint32_t v;
  std::memcpy(&v, at, sizeof v);
  return __builtin_bswap32(v);
}

inline std::uint64_t load_u64(const char* at) {
  std::uint64_t v;
  std::memcpy(&v, at, sizeof v);
  return __builtin_bswap64(v);
}

inline void store_u16(char* at, std::uint16_t v) {
  v = __builtin_bswap16(v);
  std::memcpy(at, &v, sizeof v);
}

inline void store_u32(char* at, std::uint32_t v) {
  v = __builtin_bswap32(v);
  std::memcpy(at, &v, sizeof v);
}

inline void store_u64(char* at, std::uint64_t v) {
  v = __builtin_bswap64(v);
  std::memcpy(at, &v, sizeof v);
}

}  // namespace leveret::protocol
