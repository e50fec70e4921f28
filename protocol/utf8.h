#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace leveret::protocol {

// The part of valid_utf8() that is not plain ASCII.
bool valid_utf8_slow(std::string_view text);

// Whether these bytes are UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing
// beyond U+10FFFF. RabbitMQ lets the latter two pass; names with them could not be shown in JSON.
inline bool valid_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    if ((word & kHighBits) != 0) return valid_utf8_slow(text);
    text.remove_prefix(sizeof word);
  }
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0x80) != 0) return valid_utf8_slow(text);
  }
  return true;
}

// How many of the first `bytes_max` bytes to keep so that no UTF-8 sequence is cut in two.
std::size_t utf8_cut(std::string_view text, std::size_t bytes_max);

}  // namespace leveret::protocol
