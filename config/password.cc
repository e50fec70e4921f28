#include "config/password.h"

#include <array>
#include <cstddef>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "protocol/base/assert.h"

namespace leveret::config {

namespace {

// password_hash, decoded:
//
//   +------+--------------------------+
//   | salt | digest of salt, password |
//   +------+--------------------------+
//   0      4
constexpr std::size_t kSaltBytes = 4;

const EVP_MD* digest_named(std::string_view algorithm) {
  if (algorithm.empty() || algorithm == "rabbit_password_hashing_sha256") return EVP_sha256();
  if (algorithm == "rabbit_password_hashing_sha512") return EVP_sha512();
  if (algorithm == "rabbit_password_hashing_md5") return EVP_md5();
  return nullptr;
}

std::string salted_hash(const EVP_MD* digest, std::string_view salt, std::string_view password) {
  std::string input(salt);
  input += password;
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  const int ok =
      EVP_Digest(input.data(), input.size(), hash.data(), &size, digest, /*impl=*/nullptr);
  OPENSSL_cleanse(input.data(), input.size());
  // A provider without this digest (MD5 in FIPS mode) gives no hash, which equals no stored one.
  if (ok != 1) return {};
  return std::string(reinterpret_cast<const char*>(hash.data()), size);
}

std::string encode_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// OpenSSL's decoder counts the padding as zero bytes and trims white space; neither is wanted.
std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  // The longest hash, SHA-512, has 92 characters.
  if (text.empty() || text.size() % 4 != 0 || text.size() > 1024) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
  if (text.substr(0, text.size() - padding).find_first_not_of(kAlphabet) != text.npos) {
    return std::nullopt;
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size())) < 0) {
    return std::nullopt;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace

std::string hash_password(std::string_view password) {
  std::array<unsigned char, kSaltBytes> salt{};
  // Without randomness there is no safe way on.
  LEVERET_ASSERT(RAND_bytes(salt.data(), static_cast<int>(salt.size())) == 1);
  const std::string salt_text(reinterpret_cast<const char*>(salt.data()), salt.size());
  return encode_base64(salt_text + salted_hash(EVP_sha256(), salt_text, password));
}

bool verify_password(const UserDefinition& user, std::string_view password) {
  const EVP_MD* digest = digest_named(user.hashing_algorithm);
  const std::optional<std::string> stored = decode_base64(user.password_hash);
  if (digest == nullptr || !stored || stored->size() <= kSaltBytes || password.empty()) {
    verify_nothing(password);
    return false;
  }
  const std::string_view salt = std::string_view(*stored).substr(0, kSaltBytes);
  const std::string_view expected = std::string_view(*stored).substr(kSaltBytes);
  const std::string actual = salted_hash(digest, salt, password);
  return actual.size() == expected.size() &&
         CRYPTO_memcmp(actual.data(), expected.data(), expected.size()) == 0;
}

void verify_nothing(std::string_view password) {
  static const UserDefinition kNobody{
      .name = {},
      .password_hash = hash_password("nobody"),
      .hashing_algorithm = "rabbit_password_hashing_sha256",
      .tags = {},
      .limits = {},
  };
  // Not the empty password, which verify_password hands back to here.
  static_cast<void>(verify_password(kNobody, password.empty() ? "-" : password));
}

bool is_hashing_algorithm(std::string_view name) {
  return digest_named(name) != nullptr;
}

std::optional<std::string> check_password_hash(const std::string& hash,
                                               const std::string& algorithm) {
  const EVP_MD* digest = digest_named(algorithm);
  if (digest == nullptr) {
    return "unknown hashing algorithm '" + algorithm +
           "'; expected rabbit_password_hashing_sha256, _sha512 or _md5";
  }
  const std::optional<std::string> bytes = decode_base64(hash);
  const std::size_t wanted = kSaltBytes + static_cast<std::size_t>(EVP_MD_get_size(digest));
  if (bytes && bytes->size() == wanted) return std::nullopt;
  return "not a salted password hash; expected base64 of " + std::to_string(wanted) +
         " bytes, got " + (bytes ? std::to_string(bytes->size()) : "text that is not base64");
}

}  // namespace leveret::config
