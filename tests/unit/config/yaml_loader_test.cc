#include "config/yaml_loader.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "config/access.h"
#include "config/password.h"
#include "config/policy.h"
#include "protocol/field_table.h"

namespace leveret::config {
namespace {

using protocol::FieldTable;
using protocol::FieldValue;

Configuration load(const std::string& text) {
  return load_yaml(text, "leveret.yaml");
}

TEST(YamlLoader, EmptyFileGivesDefaults) {
  for (const char* text : {"", "\n", "# nothing\n", "---\n", "{}"}) {
    const Configuration loaded = load(text);
    EXPECT_TRUE(loaded.settings.listeners.empty());
    EXPECT_EQ(loaded.settings.data_dir, "");
    EXPECT_EQ(loaded.settings.limits.frame_max, 131072u);
    ASSERT_EQ(loaded.definitions.vhosts.size(), 1u);
    EXPECT_EQ(loaded.definitions.vhosts[0].name, "/");
    ASSERT_EQ(loaded.definitions.users.size(), 1u);
    EXPECT_TRUE(verify_password(loaded.definitions.users[0], "guest"));
    EXPECT_EQ(loaded.definitions.users[0].tags, std::vector<std::string>{"administrator"});
    const AccessTable access(loaded.definitions);
    ASSERT_NE(access.find("guest", "/"), nullptr);
    EXPECT_TRUE(access.find("guest", "/")->allows(Access::kConfigure, "anything"));
  }
}

TEST(YamlLoader, DefaultUserMayUseEveryVhostUnlessToldOtherwise) {
  const Configuration loaded = load(
      "vhosts: [{name: a}, {name: b}]\n"
      "permissions: [{user: guest, vhost: b, configure: '', write: '', read: '.*'}]\n");
  const AccessTable access(loaded.definitions);
  EXPECT_TRUE(access.find("guest", "a")->allows(Access::kWrite, "q"));
  EXPECT_FALSE(access.find("guest", "b")->allows(Access::kWrite, "q"));
  EXPECT_TRUE(access.find("guest", "b")->allows(Access::kRead, "q"));
}

TEST(YamlLoader, EmptySectionsMeanNone) {
  const Configuration loaded = load("users: []\nvhosts: []\nqueues:\n");
  EXPECT_TRUE(loaded.definitions.users.empty());
  EXPECT_TRUE(loaded.definitions.vhosts.empty());
  EXPECT_TRUE(loaded.definitions.permissions.empty());
}

TEST(YamlLoader, ExampleLoads) {
  const Configuration loaded = load_yaml_file(LEVERET_EXAMPLE_YAML);
  const Settings defaults;
  EXPECT_EQ(loaded.settings.limits.frame_max, defaults.limits.frame_max);
  EXPECT_EQ(loaded.settings.limits.heartbeat_s, defaults.limits.heartbeat_s);
  EXPECT_EQ(loaded.settings.limits.handshake_timeout_ms, defaults.limits.handshake_timeout_ms);
  EXPECT_EQ(loaded.settings.limits.max_message_size, defaults.limits.max_message_size);
  EXPECT_EQ(loaded.settings.limits.memory_watermark, defaults.limits.memory_watermark);
  EXPECT_EQ(loaded.settings.limits.disk_free_limit, defaults.limits.disk_free_limit);
  EXPECT_EQ(loaded.settings.limits.output_buffer_bytes, defaults.limits.output_buffer_bytes);
  EXPECT_EQ(loaded.settings.loopback_users, defaults.loopback_users);
  const Definitions& definitions = loaded.definitions;
  EXPECT_EQ(definitions.vhosts.size(), 2u);
  EXPECT_EQ(definitions.users.size(), 2u);
  EXPECT_TRUE(verify_password(definitions.users[1], "test12"));
  EXPECT_EQ(definitions.exchanges.size(), 2u);
  EXPECT_EQ(definitions.queues.size(), 2u);
  EXPECT_EQ(definitions.bindings.size(), 2u);
  const PolicySet policies(definitions.policies, definitions.operator_policies);
  EXPECT_EQ(effective_alternate_exchange(std::nullopt,
                                         policies.match("/", PolicyTarget::kExchange, "pol-x")),
            "unrouted");
}

TEST(YamlLoader, SettingsArrive) {
  const Settings s =
      load(
          "listeners: [{address: 0.0.0.0, port: 0}, {address: '::1'}]\n"
          "data_dir: /tmp/x\nloops: 3\nlogging: {level: trace, file: l.txt}\n"
          "loopback_users: []\n"
          "limits: {frame_max: 4096, channel_max: 9, heartbeat: 0, handshake_timeout: 250,\n"
          "  max_message_size: 1MiB, connection_max: 7, consumers_per_channel: 8,\n"
          "  memory_watermark: 2GiB, disk_free_limit: 1GB, output_buffer: 64KiB}\n")
          .settings;
  ASSERT_EQ(s.listeners.size(), 2u);
  EXPECT_EQ(s.listeners[0].address, "0.0.0.0");
  EXPECT_EQ(s.listeners[0].port, 0);
  EXPECT_EQ(s.listeners[1].port, 5672);
  EXPECT_EQ(s.data_dir, "/tmp/x");
  EXPECT_EQ(s.loops, 3);
  EXPECT_EQ(s.log.level, LogLevel::kTrace);
  EXPECT_EQ(s.log.file, "l.txt");
  EXPECT_TRUE(s.loopback_users.empty());
  EXPECT_EQ(s.limits.frame_max, 4096u);
  EXPECT_EQ(s.limits.channel_max, 9);
  EXPECT_EQ(s.limits.heartbeat_s, 0);
  EXPECT_EQ(s.limits.handshake_timeout_ms, 250);
  EXPECT_EQ(s.limits.max_message_size, 1048576u);
  EXPECT_EQ(s.limits.connection_max, 7u);
  EXPECT_EQ(s.limits.consumers_per_channel, 8u);
  EXPECT_EQ(s.limits.memory_watermark_bytes, 2147483648u);
  EXPECT_EQ(s.limits.disk_free_limit, 1000000000u);
  EXPECT_EQ(s.limits.output_buffer_bytes, 65536u);
}

TEST(YamlLoader, WatermarkUpToOneIsAShareAndAboveAreBytes) {
  EXPECT_EQ(load("limits: {memory_watermark: 0.25}").settings.limits.memory_watermark, 0.25);
  EXPECT_EQ(load("limits: {memory_watermark: 1}").settings.limits.memory_watermark, 1.0);
  EXPECT_FALSE(load("limits: {memory_watermark: 1}").settings.limits.memory_watermark_bytes);
  EXPECT_EQ(load("limits: {memory_watermark: 4096}").settings.limits.memory_watermark_bytes, 4096u);
}

TEST(YamlLoader, DurationsTakeTheirUnits) {
  const auto ms = [](const std::string& text) {
    return load("limits: {handshake_timeout: " + text + "}").settings.limits.handshake_timeout_ms;
  };
  EXPECT_EQ(ms("500ms"), 500);
  EXPECT_EQ(ms("10s"), 10000);
  EXPECT_EQ(ms("1m"), 60000);
  EXPECT_EQ(ms("1h"), 3600000);
  EXPECT_EQ(ms("1500"), 1500);
}

// The type of each value in an arguments table.
TEST(YamlLoader, ArgumentsKeepTheirTypes) {
  const Definitions definitions =
      load(
          "exchanges:\n  - name: x\n    arguments:\n"
          "      {small: 7, minus: -2147483648, wide: 2147483648, on: true, off: false,\n"
          "       real: 1.5, exp: -1e3, text: abc, quoted: '7', version: 1.2.3, zero: 007,\n"
          "       plus: +5, tagged: !!str 7, yes: yes, none: ~, empty: ,\n"
          "       list: [1, a, [true], {k: v}], map: {a: {b: 0}}}\n")
          .definitions;
  const FieldTable table(definitions.exchanges.at(0).arguments);
  ASSERT_EQ(protocol::validate_table(table.bytes()), protocol::TableError::kNone);
  const auto typed = [&](const char* key) {
    const FieldValue value = table.find(key).value();
    return std::string(1, value.type) + ":" + value.to_text();
  };
  EXPECT_EQ(typed("small"), "I:7");
  EXPECT_EQ(typed("minus"), "I:-2147483648");
  EXPECT_EQ(typed("wide"), "l:2147483648");
  EXPECT_EQ(typed("on"), "t:true");
  EXPECT_EQ(typed("off"), "t:false");
  EXPECT_EQ(typed("real"), "d:1.5");
  EXPECT_EQ(typed("exp"), "d:-1.0e3");
  EXPECT_EQ(typed("text"), "S:abc");
  EXPECT_EQ(typed("quoted"), "S:7");
  EXPECT_EQ(typed("version"), "S:1.2.3");
  EXPECT_EQ(typed("zero"), "S:007");
  EXPECT_EQ(typed("plus"), "S:+5");
  EXPECT_EQ(typed("tagged"), "S:7");
  EXPECT_EQ(typed("yes"), "S:yes");
  EXPECT_EQ(table.find("none")->type, 'V');
  EXPECT_EQ(table.find("empty")->type, 'V');
  EXPECT_EQ(typed("list"),
            "A:[{signedint,1},{longstr,<<\"a\">>},{array,[{bool,true}]},"
            "{table,[{<<\"k\">>,longstr,<<\"v\">>}]}]");
  EXPECT_EQ(typed("map"), "F:[{<<\"a\">>,table,[{<<\"b\">>,signedint,0}]}]");
}

TEST(YamlLoader, UsersArrive) {
  ASSERT_EQ(setenv("LEVERET_TEST_PASSWORD", "from env", 1), 0);
  const Definitions d =
      load(
          "users:\n"
          "  - {name: a, password: '1', tags: [monitoring], limits: {max_channels: 5}}\n"
          "  - {name: b, password_env: LEVERET_TEST_PASSWORD}\n"
          "  - {name: c, password_hash: ''}\n"
          "  - {name: d, password_hash: z4zXb9kPbyWjezY0EcLZ5ALPZvc=,\n"
          "     hashing_algorithm: rabbit_password_hashing_md5}\n")
          .definitions;
  ASSERT_EQ(d.users.size(), 4u);
  EXPECT_TRUE(verify_password(d.users[0], "1"));
  EXPECT_EQ(d.users[0].limits.max_channels, 5);
  EXPECT_EQ(d.users[0].limits.max_connections, -1);
  EXPECT_TRUE(verify_password(d.users[1], "from env"));
  EXPECT_FALSE(verify_password(d.users[2], ""));
  EXPECT_TRUE(verify_password(d.users[3], "secret"));
  EXPECT_TRUE(d.permissions.empty());
}

TEST(YamlLoader, BindingsMayNamePredeclaredExchanges) {
  const Definitions d =
      load(
          "exchanges: [{name: x, type: topic, internal: true, durable: false}]\n"
          "queues: [{name: q, auto_delete: true}]\n"
          "bindings:\n"
          "  - {source: amq.topic, destination: x, destination_type: exchange, routing_key: '#'}\n"
          "  - {source: x, destination: q}\n"
          "  - {source: x, destination: q, arguments: {a: 1}}\n")
          .definitions;
  ASSERT_EQ(d.bindings.size(), 3u);
  EXPECT_EQ(d.bindings[0].destination_kind, DestinationKind::kExchange);
  EXPECT_EQ(d.bindings[0].routing_key, "#");
  EXPECT_EQ(d.bindings[1].destination_kind, DestinationKind::kQueue);
  EXPECT_TRUE(d.exchanges[0].internal);
  EXPECT_FALSE(d.exchanges[0].durable);
  EXPECT_TRUE(d.queues[0].auto_delete);
  EXPECT_TRUE(d.queues[0].durable);
}

TEST(YamlLoader, PoliciesArrive) {
  const Definitions d =
      load(
          "policies: [{name: p, pattern: '^q', apply-to: quorum_queues, priority: -3,\n"
          "            definition: {max-length: 5, overflow: reject-publish}}]\n"
          "operator_policies: [{name: p, pattern: '', definition: {expires: 1000}}]\n")
          .definitions;
  ASSERT_EQ(d.policies.size(), 1u);
  EXPECT_EQ(d.policies[0].apply_to, ApplyTo::kQuorumQueues);
  EXPECT_EQ(d.policies[0].priority, -3);
  EXPECT_EQ(FieldTable(d.policies[0].definition).find("max-length")->integer(), 5);
  ASSERT_EQ(d.operator_policies.size(), 1u);
  EXPECT_EQ(d.operator_policies[0].apply_to, ApplyTo::kAll);
}

TEST(YamlLoader, BlockAndFlowStyleMeanTheSame) {
  const Definitions block =
      load("queues:\n- name: q\n  arguments:\n    x-max-length: 5\n    x-overflow: drop-head\n")
          .definitions;
  const Definitions flow =
      load("{queues: [{name: q, arguments: {x-max-length: 5, x-overflow: drop-head}}]}")
          .definitions;
  EXPECT_EQ(block.queues.at(0).arguments, flow.queues.at(0).arguments);
}

}  // namespace
}  // namespace leveret::config
