#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace leveret::exchange {

// Drawn at start-up: who chooses names, keys and header values must not be able to choose which of
// them collide. Nothing is iterated in the order of these hashes, so that behaviour stays the same
// from run to run.
struct HashSecret {
  std::uint64_t first;
  std::uint64_t second;
};
extern const HashSecret kHashSecret;

// Multiplies to 128 bits and folds the halves: every bit of either input reaches every bit.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

namespace detail {
template <typename Word>
std::uint64_t load_word(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}
}  // namespace detail

// Different salts give independent hashes of the same bytes.
inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t salt = 0) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = kHashSecret.first ^ (salt * 0x9E3779B97F4A7C15u);
  for (; left > 16; at += 16, left -= 16) {
    hash = fold_multiply(detail::load_word<std::uint64_t>(at) ^ hash,
                         detail::load_word<std::uint64_t>(at + 8) ^ kHashSecret.second);
  }
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = detail::load_word<std::uint64_t>(at);
    high = detail::load_word<std::uint64_t>(at + left - 8);
  } else if (left >= 4) {
    low = detail::load_word<std::uint32_t>(at);
    high = detail::load_word<std::uint32_t>(at + left - 4);
  } else if (left > 0) {
    low = static_cast<unsigned char>(at[0]);
    high = static_cast<std::uint64_t>(static_cast<unsigned char>(at[left / 2])) << 8 |
           static_cast<unsigned char>(at[left - 1]);
  }
  hash = fold_multiply(low ^ hash, high ^ kHashSecret.second);
  return fold_multiply(hash ^ bytes.size(), kHashSecret.first ^ kHashSecret.second);
}

}  // namespace leveret::exchange
