#include "protocol/utf8.h"

namespace leveret::protocol {

namespace {

// What may follow a lead byte: how many bytes, and the range of the first of them (the rest are
// 80..BF). The ranges exclude overlong forms, surrogates and what is beyond U+10FFFF.
struct Lead {
  std::uint8_t followers;
  std::uint8_t low;
  std::uint8_t high;
};

constexpr Lead lead_of(std::uint8_t byte) {
  if (byte < 0x80) return {0, 0, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {0xFF, 0, 0};
}

constexpr bool continues(char c) {
  return (static_cast<std::uint8_t>(c) & 0xC0) == 0x80;
}

}  // namespace

bool valid_utf8_slow(std::string_view text) {
  while (!text.empty()) {
    const Lead lead = lead_of(static_cast<std::uint8_t>(text[0]));
    if (lead.followers >= text.size()) return false;
    if (lead.followers > 0) {
      const auto second = static_cast<std::uint8_t>(text[1]);
      if (second < lead.low || second > lead.high) return false;
    }
    for (std::size_t i = 2; i <= lead.followers; ++i) {
      if (!continues(text[i])) return false;
    }
    text.remove_prefix(lead.followers + std::size_t{1});
  }
  return true;
}

std::size_t utf8_cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text.size();
  // A sequence has at most three continuation bytes; more of them is not UTF-8 and cut anywhere.
  std::size_t cut = bytes_max;
  for (int i = 0; i < 3 && cut > 0 && continues(text[cut]); ++i) --cut;
  return continues(text[cut]) ? bytes_max : cut;
}

}  // namespace leveret::protocol
