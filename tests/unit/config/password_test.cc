#include "config/password.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <string>

namespace leveret::config {
namespace {

UserDefinition user(const std::string& hash,
                    const std::string& algorithm = "rabbit_password_hashing_sha256") {
  UserDefinition result;
  result.name = "u";
  result.password_hash = hash;
  result.hashing_algorithm = algorithm;
  return result;
}

// Salts and digests made by RabbitMQ.
constexpr const char* kSha256Test12 = "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR";
constexpr const char* kSha512Secret =
    "6VJxEEb9kbpkalAD74IrNUei5ex7TeAcxhpm9L6v3mxP6UMbts/UNCVVb1Ba+Zb+TKaxGnP8cVLjLXbq7DQUe6yDWAY=";
constexpr const char* kMd5Secret = "z4zXb9kPbyWjezY0EcLZ5ALPZvc=";

TEST(Password, AcceptsHashesThatRabbitMqMade) {
  EXPECT_TRUE(verify_password(user(kSha256Test12), "test12"));
  EXPECT_FALSE(verify_password(user(kSha256Test12), "test13"));
  EXPECT_FALSE(verify_password(user(kSha256Test12), "test12 "));
  EXPECT_TRUE(verify_password(user(kSha512Secret, "rabbit_password_hashing_sha512"), "secret"));
  EXPECT_FALSE(verify_password(user(kSha512Secret, "rabbit_password_hashing_sha512"), "Secret"));
  EXPECT_TRUE(verify_password(user(kMd5Secret, "rabbit_password_hashing_md5"), "secret"));
  EXPECT_FALSE(verify_password(user(kMd5Secret, "rabbit_password_hashing_md5"), "secre"));
}

TEST(Password, DigestOfAnotherAlgorithmNeverFits) {
  EXPECT_FALSE(verify_password(user(kMd5Secret), "secret"));
  EXPECT_FALSE(verify_password(user(kSha256Test12, "rabbit_password_hashing_md5"), "test12"));
  EXPECT_FALSE(verify_password(user(kSha256Test12, "rot13"), "test12"));
}

TEST(Password, NoAlgorithmMeansSha256) {
  EXPECT_TRUE(verify_password(user(kSha256Test12, ""), "test12"));
}

TEST(Password, UserWithoutHashCannotLogIn) {
  EXPECT_FALSE(verify_password(user(""), ""));
  EXPECT_FALSE(verify_password(user(""), "x"));
}

TEST(Password, EmptyPasswordNeverLogsIn) {
  EXPECT_FALSE(verify_password(user(hash_password("")), ""));
}

TEST(Password, DamagedHashesRefuseAndDoNotCrash) {
  for (const char* hash : {"=", "====", "A===", "AA=A", "kI3G", "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgx",
                           "not base64 at all!!", "AAAAAA==", "\xFF\xFF\xFF\xFF"}) {
    EXPECT_FALSE(verify_password(user(hash), "x")) << hash;
  }
}

TEST(Password, HashesCarryFreshSalt) {
  EXPECT_NE(hash_password("same"), hash_password("same"));
  EXPECT_EQ(hash_password("same").size(), 48u);
}

TEST(Password, VerifyNothingAcceptsAnything) {
  verify_nothing("");
  verify_nothing("x");
  verify_nothing(std::string(100000, 'x'));
}

TEST(Password, CheckTellsWhatIsWrongWithAHash) {
  EXPECT_FALSE(check_password_hash(kSha256Test12, "rabbit_password_hashing_sha256"));
  EXPECT_EQ(check_password_hash(kSha256Test12, "md5"),
            "unknown hashing algorithm 'md5'; expected rabbit_password_hashing_sha256, _sha512 or "
            "_md5");
  EXPECT_EQ(check_password_hash("kI3G", "rabbit_password_hashing_sha256"),
            "not a salted password hash; expected base64 of 36 bytes, got 3");
  EXPECT_EQ(check_password_hash("?", "rabbit_password_hashing_md5"),
            "not a salted password hash; expected base64 of 20 bytes, got text that is not base64");
}

TEST(Password, EveryPasswordVerifiesAgainstItsHashOnly) {
  EXPECT_TRUE(rc::check([](const std::string& password, const std::string& other) {
    RC_PRE(!password.empty() && password != other);
    const UserDefinition hashed = user(hash_password(password));
    RC_ASSERT(!check_password_hash(hashed.password_hash, hashed.hashing_algorithm));
    RC_ASSERT(verify_password(hashed, password));
    RC_ASSERT(!verify_password(hashed, other));
  }));
}

}  // namespace
}  // namespace leveret::config
