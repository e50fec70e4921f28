#include "server/server_properties.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "protocol/field_table.h"

namespace leveret::server {
namespace {

TEST(ServerProperties, AreAValidTable) {
  EXPECT_EQ(protocol::validate_table(server_properties()), protocol::TableError::kNone);
}

TEST(ServerProperties, OfferRabbitsNineCapabilities) {
  const std::string bytes = server_properties();
  const auto value = protocol::FieldTable(bytes).find("capabilities");
  const auto capabilities = value ? value->table() : std::nullopt;
  ASSERT_TRUE(capabilities.has_value());
  std::size_t count = 0;
  for (const auto& field : *capabilities) {
    EXPECT_EQ(field.value.boolean(), true) << field.name;
    ++count;
  }
  EXPECT_EQ(count, 9u);
  for (const char* name : {"publisher_confirms", "exchange_exchange_bindings", "basic.nack",
                           "consumer_cancel_notify", "connection.blocked", "consumer_priorities",
                           "authentication_failure_close", "per_consumer_qos", "direct_reply_to"}) {
    EXPECT_TRUE(capabilities->find(name)) << name;
  }
}

TEST(ServerProperties, NameTheBrokerAndWhatClientsBranchOn) {
  const std::string bytes = server_properties();
  const protocol::FieldTable table(bytes);
  EXPECT_EQ(table.find("product")->string(), "RabbitMQ");
  EXPECT_TRUE(table.find("version")->string()->starts_with("3."));
  EXPECT_EQ(table.find("broker")->string(), "Leveret");
  EXPECT_EQ(table.find("broker_version")->string(), LEVERET_VERSION);
}

}  // namespace
}  // namespace leveret::server
