#include "server/names.h"

#include <array>
#include <cstdint>
#include <openssl/rand.h>

namespace leveret::server {

std::string random_name(std::string_view prefix) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<unsigned char, 22> bytes{};
  RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  std::string name(prefix);
  for (unsigned char byte : bytes) name += kAlphabet[byte & 63];
  return name;
}

std::string strip_line_ends(std::string_view name) {
  std::string stripped;
  stripped.reserve(name.size());
  for (char c : name) {
    if (c != '\r' && c != '\n') stripped += c;
  }
  return stripped;
}

}  // namespace leveret::server
