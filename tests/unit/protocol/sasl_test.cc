#include "protocol/sasl.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "protocol/field_table.h"
#include "tests/unit/protocol/bytes.h"

namespace leveret::protocol {
namespace {

using test::bytes;

TEST(Sasl, PlainIsNulUserNulPassword) {
  const auto login = parse_plain(bytes("\0guest\0secret"));
  ASSERT_TRUE(login.has_value());
  EXPECT_EQ(login->user, "guest");
  EXPECT_EQ(login->password, "secret");
  const auto empty = parse_plain(bytes("\0\0"));
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->user + empty->password, "");
}

TEST(Sasl, PlainWithAnAuthorisationIdentityOrTheWrongShapeIsRefused) {
  for (const std::string& response :
       {bytes(""), bytes("guest"), bytes("\0guest"), bytes("guest\0guest"),
        bytes("x\0guest\0guest"), bytes("\0guest\0guest\0"), bytes("\0\0\0")}) {
    EXPECT_FALSE(parse_plain(response).has_value()) << ::testing::PrintToString(response);
  }
}

TEST(Sasl, AmqplainIsATableWithoutItsSize) {
  const auto login = parse_amqplain(
      FieldTableBuilder().string("LOGIN", "u").nothing("x").string("PASSWORD", "p").take());
  ASSERT_TRUE(login.has_value());
  EXPECT_EQ(login->user, "u");
  EXPECT_EQ(login->password, "p");
}

TEST(Sasl, AmqplainTakesTheFirstOfEachName) {
  const auto login = parse_amqplain(
      FieldTableBuilder().string("LOGIN", "u").string("PASSWORD", "p").string("LOGIN", "v").take());
  ASSERT_TRUE(login.has_value());
  EXPECT_EQ(login->user, "u");
}

TEST(Sasl, AmqplainWithoutBothNamesOrWithOtherTypesIsRefused) {
  EXPECT_FALSE(parse_amqplain("").has_value());
  EXPECT_FALSE(parse_amqplain(FieldTableBuilder().string("LOGIN", "u").take()).has_value());
  EXPECT_FALSE(parse_amqplain(FieldTableBuilder().int32("LOGIN", 1).string("PASSWORD", "p").take())
                   .has_value());
  const std::string entries =
      FieldTableBuilder().string("LOGIN", "u").string("PASSWORD", "p").take();
  EXPECT_FALSE(parse_amqplain(entries.substr(0, entries.size() - 1)).has_value());
  // With its size in front it is another table.
  std::string sized(4, '\0');
  store_u32(sized.data(), static_cast<std::uint32_t>(entries.size()));
  EXPECT_FALSE(parse_amqplain(sized + entries).has_value());
}

RC_GTEST_PROP(Sasl, AnyBytesAreParsedOrRefused, (const std::string& any)) {
  const auto plain = parse_plain(any);
  if (plain) {
    RC_ASSERT(std::string(1, '\0') + plain->user + '\0' + plain->password == any);
  }
  parse_amqplain(any);
}

}  // namespace
}  // namespace leveret::protocol
