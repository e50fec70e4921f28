#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

#include "config/yaml_loader.h"
#include "config/yaml_tree.h"

namespace leveret::config {
namespace {

std::string error_of(const std::string& text) {
  try {
    load_yaml(text, "f");
    return "loaded";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

struct Case {
  std::string text;
  std::string error;
};

void expect_errors(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(error_of(c.text), c.error) << c.text;
}

const std::string kTopKeys =
    "listeners, data_dir, loops, logging, limits, loopback_users, vhosts, users, permissions, "
    "topic_permissions, policies, operator_policies, exchanges, queues, bindings";
const std::string kLimitKeys =
    "frame_max, channel_max, heartbeat, handshake_timeout, max_message_size, connection_max, "
    "consumers_per_channel, memory_watermark, disk_free_limit, output_buffer";

std::string repeat(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(YamlErrors, SyntaxErrorsNameTheirPlace) {
  expect_errors({
      {"a: [", "f:1:5: not valid YAML: end of sequence flow not found"},
      {"listeners: [1, 2\nloops: 3", "f:2:6: not valid YAML: end of sequence flow not found"},
      {"\n\nlogging: {level: 'info", "f:3:23: not valid YAML: illegal EOF in scalar"},
      {"a: b: c", "f:1:5: not valid YAML: illegal map value"},
      {"loops:\n\t- 1", "f:2:2: not valid YAML: illegal block entry"},
      {"data_dir: @x", "f:1:11: not valid YAML: unknown token"},
      {"data_dir: \"\\q\"", "f:1:14: not valid YAML: unknown escape character: q"},
      {"data_dir: \"\\uD800\"", "f:1:18: not valid YAML: invalid unicode: 55296"},
      {"loops: ]", "f:1:8: not valid YAML: illegal flow end"},
      {"- a\nb: c", "f:2:1: a second document begins; expected one"},
      {"loops: 1\n---\nloops: 2\n", "f:3:1: a second document begins; expected one"},
      {"%YAML 9.9\n---\nloops: 1\n", "f:1:1: not valid YAML: YAML major version too large"},
  });
}

TEST(YamlErrors, TextThatIsNoYamlNamesItsPlace) {
  expect_errors({
      {"loops: 1\ndata_dir: \377",
       "f:2:11: invalid character; expected UTF-8 text without control characters"},
      {"loops: 1 # \303",
       "f:1:12: invalid character; expected UTF-8 text without control characters"},
      {"data_dir: \004 x",
       "f:1:11: invalid character; expected UTF-8 text without control characters"},
      {"data_dir: \"a\\0b\"", "f:1:11: contains a zero byte; expected text"},
      {"data_dir: \355\240\200",
       "f:1:11: invalid character; expected UTF-8 text without control characters"},
      {std::string("\377\376l\000", 4),
       "f:1:1: invalid character; expected UTF-8 text without control characters"},
      {"data_dir: \303\251\007",
       "f:1:12: invalid character; expected UTF-8 text without control characters"},
  });
}

TEST(YamlErrors, TopLevelMustBeAMappingOfKnownKeys) {
  expect_errors({
      {"5", "f:1:1: the document: got '5'; expected a mapping with " + kTopKeys},
      {"[a]", "f:1:1: the document: got a list; expected a mapping with " + kTopKeys},
      {"lops: 1", "f:1:1: the document: unknown key 'lops'; expected " + kTopKeys},
      {"loops: 1\nloops: 2", "f:2:1: duplicate key 'loops'; the first is at line 1"},
      {"? [a]\n: b", "f:1:3: a list or mapping stands as a key; expected text"},
      {"~: 1", "f:1:1: empty key; expected text"},
      {"? {a: b}\n: c", "f:1:3: a list or mapping stands as a key; expected text"},
  });
}

TEST(YamlErrors, AnchorsAliasesAndTagsAreRefused) {
  expect_errors({
      {"data_dir: &a x\nloops: *a",
       "f:1:11: anchors are not supported; expected a value without '&'"},
      {"listeners: &a [*a]", "f:1:12: anchors are not supported; expected a value without '&'"},
      {"data_dir: *nobody", "f:1:11: not valid YAML: the referenced anchor is not defined"},
      {"data_dir: !x y", "f:1:11: unknown tag '!x'; expected none, or !!str"},
      {"listeners: !!set []",
       "f:1:12: unknown tag 'tag:yaml.org,2002:set'; expected none, or !!str"},
      {"queues: &q\n  - {name: a}\n",
       "f:1:9: anchors are not supported; expected a value without '&'"},
  });
}

TEST(YamlErrors, ListenersAreChecked) {
  expect_errors({
      {"listeners: 5", "f:1:12: listeners: got '5'; expected a list"},
      {"listeners: {port: 1}", "f:1:12: listeners: got a mapping; expected a list"},
      {"listeners:\n  - port: 70000",
       "f:2:11: listeners[0].port: got '70000'; expected an integer from 0 to 65535"},
      {"listeners:\n  - port: -1",
       "f:2:11: listeners[0].port: got '-1'; expected an integer from 0 to 65535"},
      {"listeners:\n  - port: '5672'",
       "f:2:11: listeners[0].port: got quoted '5672'; expected an integer from 0 to 65535"},
      {"listeners:\n  - port: 5672x",
       "f:2:11: listeners[0].port: got '5672x'; expected an integer from 0 to 65535"},
      {"listeners:\n  - {address: localhost}",
       "f:2:15: listeners[0].address: got 'localhost'; expected an IPv4 or IPv6 address such as "
       "127.0.0.1 or '::'"},
      {"listeners:\n  - {address: 10.0.0.0/8, port: 1}",
       "f:2:15: listeners[0].address: got '10.0.0.0/8'; expected an IPv4 or IPv6 address such as "
       "127.0.0.1 or '::'"},
      {"listeners:\n  - {address: 1.2.3, port: 1}",
       "f:2:15: listeners[0].address: got '1.2.3'; expected an IPv4 or IPv6 address such as "
       "127.0.0.1 or '::'"},
      {"listeners:\n  - {adress: 127.0.0.1}",
       "f:2:6: listeners[0]: unknown key 'adress'; expected address, port"},
      {"listeners:\n  - {port: 1}\n  - {port: 1}",
       "f:3:5: listeners[1]: is there twice; expected each address and port once"},
      {"listeners: [~, 5]", "f:1:16: listeners[1]: got '5'; expected a mapping with address, port"},
  });
}

TEST(YamlErrors, SettingsAreChecked) {
  expect_errors({
      {"data_dir: ''", "f:1:11: data_dir: is empty; expected a directory"},
      {"data_dir: [a]", "f:1:11: data_dir: got a list; expected text"},
      {"data_dir:", "f:1:1: data_dir: got nothing; expected text"},
      {"loops: -1", "f:1:8: loops: got '-1'; expected an integer from 0 to 1024"},
      {"loops: 1.5", "f:1:8: loops: got '1.5'; expected an integer from 0 to 1024"},
      {"loops: many", "f:1:8: loops: got 'many'; expected an integer from 0 to 1024"},
      {"loops: 99999999999999999999",
       "f:1:8: loops: got '99999999999999999999'; expected an integer from 0 to 1024"},
      {"logging: {level: verbose}",
       "f:1:18: logging.level: got 'verbose'; expected trace, debug, info, warning or error"},
      {"logging: {levels: info}", "f:1:11: logging: unknown key 'levels'; expected level, file"},
      {"logging: {file: {}}", "f:1:17: logging.file: got a mapping; expected text"},
      {"loopback_users: guest", "f:1:17: loopback_users: got 'guest'; expected a list"},
      {"loopback_users: [a, a]",
       "f:1:21: loopback_users[1]: 'a' is there twice; expected each name once"},
      {"loopback_users: ['']", "f:1:18: loopback_users[0]: is empty; expected a name"},
  });
}

TEST(YamlErrors, LimitsAreChecked) {
  expect_errors({
      {"limits: []", "f:1:9: limits: got a list; expected a mapping with " + kLimitKeys},
      {"limits: {frame_max: 4095}",
       "f:1:21: limits.frame_max: got '4095'; expected a size such as 128MiB or 50MB, or bytes, "
       "from 4096 to 2097152"},
      {"limits: {frame_max: 4GiB}",
       "f:1:21: limits.frame_max: got '4GiB'; expected a size such as 128MiB or 50MB, or bytes, "
       "from 4096 to 2097152"},
      {"limits: {frame_max: -1}",
       "f:1:21: limits.frame_max: got '-1'; expected a size such as 128MiB or 50MB, or bytes, from "
       "4096 to 2097152"},
      {"limits: {channel_max: 0}",
       "f:1:23: limits.channel_max: got '0'; expected an integer from 1 to 65535"},
      {"limits: {channel_max: 65536}",
       "f:1:23: limits.channel_max: got '65536'; expected an integer from 1 to 65535"},
      {"limits: {heartbeat: 60}",
       "f:1:21: limits.heartbeat: got '60'; expected a duration such as 10s, 500ms or 1m, at most "
       "65535s"},
      {"limits: {heartbeat: 1500ms}",
       "f:1:21: limits.heartbeat: got '1500ms'; expected whole seconds"},
      {"limits: {heartbeat: -1s}",
       "f:1:21: limits.heartbeat: got '-1s'; expected a duration such as 10s, 500ms or 1m, at most "
       "65535s"},
      {"limits: {heartbeat: 20h}",
       "f:1:21: limits.heartbeat: got '20h'; expected a duration such as 10s, 500ms or 1m, at most "
       "65535s"},
      {"limits: {heartbeat: 5 s}",
       "f:1:21: limits.heartbeat: got '5 s'; expected a duration such as 10s, 500ms or 1m, at most "
       "65535s"},
      {"limits: {handshake_timeout: 0}",
       "f:1:29: limits.handshake_timeout: got '0'; expected a duration above 0"},
      {"limits: {handshake_timeout: 10 sec}",
       "f:1:29: limits.handshake_timeout: got '10 sec'; expected a duration such as 10s, 500ms or "
       "1m, at most 3600s, or milliseconds"},
      {"limits: {handshake_timeout: 99999999999999999999s}",
       "f:1:29: limits.handshake_timeout: got '99999999999999999999s'; expected a duration such as "
       "10s, 500ms or 1m, at most 3600s, or milliseconds"},
      {"limits: {max_message_size: 1GiB}",
       "f:1:28: limits.max_message_size: got '1GiB'; expected a size such as 128MiB or 50MB, or "
       "bytes, from 1 to 536870912"},
      {"limits: {max_message_size: 0}",
       "f:1:28: limits.max_message_size: got '0'; expected a size such as 128MiB or 50MB, or "
       "bytes, from 1 to 536870912"},
      {"limits: {max_message_size: -5MiB}",
       "f:1:28: limits.max_message_size: got '-5MiB'; expected a size such as 128MiB or 50MB, or "
       "bytes, from 1 to 536870912"},
      {"limits: {max_message_size: 12Mb}",
       "f:1:28: limits.max_message_size: got '12Mb'; expected a size such as 128MiB or 50MB, or "
       "bytes, from 1 to 536870912"},
      {"limits: {max_message_size: {}}",
       "f:1:28: limits.max_message_size: got a mapping; expected a size such as 128MiB or 50MB, or "
       "bytes, from 1 to 536870912"},
      {"limits: {connection_max: -1}",
       "f:1:26: limits.connection_max: got '-1'; expected an integer from 0 to 4294967295"},
      {"limits: {connection_max: 4294967296}",
       "f:1:26: limits.connection_max: got '4294967296'; expected an integer from 0 to 4294967295"},
      {"limits: {consumers_per_channel: x}",
       "f:1:33: limits.consumers_per_channel: got 'x'; expected an integer from 0 to 4294967295"},
      {"limits: {memory_watermark: 0}",
       "f:1:28: limits.memory_watermark: got '0'; expected a share above 0, at most 1, or a size "
       "such as 2GiB"},
      {"limits: {memory_watermark: -0.5}",
       "f:1:28: limits.memory_watermark: got '-0.5'; expected a share above 0, at most 1, or a "
       "size such as 2GiB"},
      {"limits: {memory_watermark: 1.5}",
       "f:1:28: limits.memory_watermark: got '1.5'; expected a share above 0, at most 1, or a size "
       "such as 2GiB"},
      {"limits: {memory_watermark: lots}",
       "f:1:28: limits.memory_watermark: got 'lots'; expected a share above 0, at most 1, or a "
       "size such as 2GiB"},
      {"limits: {memory_watermark: 0.5x}",
       "f:1:28: limits.memory_watermark: got '0.5x'; expected a share above 0, at most 1, or a "
       "size such as 2GiB"},
      {"limits: {disk_free_limit: -1}",
       "f:1:27: limits.disk_free_limit: got '-1'; expected a size such as 128MiB or 50MB, or "
       "bytes, from 0 to 9223372036854775807"},
      {"limits: {disk_free_limit: 99999999TiB}",
       "f:1:27: limits.disk_free_limit: got '99999999TiB'; expected a size such as 128MiB or 50MB, "
       "or bytes, from 0 to 9223372036854775807"},
      {"limits: {output_buffer: 1}",
       "f:1:25: limits.output_buffer: got '1'; expected a size such as 128MiB or 50MB, or bytes, "
       "from 4096 to 1073741824"},
      {"limits: {heart_beat: 60s}",
       "f:1:10: limits: unknown key 'heart_beat'; expected " + kLimitKeys},
  });
}

TEST(YamlErrors, VhostsAreChecked) {
  expect_errors({
      {"vhosts: /", "f:1:9: vhosts: got '/'; expected a list"},
      {"vhosts: [/]",
       "f:1:10: vhosts[0]: got '/'; expected a mapping with name, description, tags, limits"},
      {"vhosts: [{description: x}]", "f:1:10: vhosts[0]: has no 'name'; expected that key"},
      {"vhosts: [{name: ''}]", "f:1:17: vhosts[0].name: is empty; expected a name"},
      {"vhosts: [{name: " + std::string(256, 'a') + "}]",
       "f:1:17: vhosts[0].name: has 256 bytes; expected at most 255"},
      {"vhosts: [{name: a}, {name: a}]",
       "f:1:21: vhosts[1]: vhost 'a' is there twice; expected it once"},
      {"vhosts: [{name: a, limits: {max_queues: -2}}]",
       "f:1:41: vhosts[0].limits.max_queues: got '-2'; expected an integer from -1 to 2147483647"},
      {"vhosts: [{name: a, limits: {queues: 1}}]",
       "f:1:29: vhosts[0].limits: unknown key 'queues'; expected max_connections, max_queues"},
      {"vhosts: [{name: a, tags: x}]", "f:1:26: vhosts[0].tags: got 'x'; expected a list"},
      {"vhosts: [{name: [a]}]", "f:1:17: vhosts[0].name: got a list; expected text"},
  });
}

TEST(YamlErrors, UsersAreChecked) {
  expect_errors({
      {"users: [{password: p}]", "f:1:9: users[0]: has no 'name'; expected that key"},
      {"users: [{name: u}]",
       "f:1:9: users[0]: user 'u' has no password or several; expected one of password, "
       "password_hash, password_env"},
      {"users: [{name: u, password: ''}]",
       "f:1:29: users[0].password: the password is empty; expected at least one byte"},
      {"users: [{name: u, password: p, password_hash: ''}]",
       "f:1:9: users[0]: user 'u' has no password or several; expected one of password, "
       "password_hash, password_env"},
      {"users: [{name: u, password_env: LEVERET_TEST_UNSET}]",
       "f:1:33: users[0].password_env: environment variable 'LEVERET_TEST_UNSET' is not set; "
       "expected the password in it"},
      {"users: [{name: u, password_hash: abc}]",
       "f:1:34: users[0].password_hash: not a salted password hash; expected base64 of 36 bytes, "
       "got text that is not base64"},
      {"users: [{name: u, password_hash: kI3G}]",
       "f:1:34: users[0].password_hash: not a salted password hash; expected base64 of 36 bytes, "
       "got 3"},
      {"users: [{name: u, password_hash: '', hashing_algorithm: sha1}]",
       "f:1:57: users[0].hashing_algorithm: got 'sha1'; expected rabbit_password_hashing_sha256, "
       "rabbit_password_hashing_sha512 or rabbit_password_hashing_md5"},
      {"users: [{name: u, password: p, hashing_algorithm: rabbit_password_hashing_md5}]",
       "f:1:51: users[0].hashing_algorithm: stands without password_hash; expected both or none"},
      {"users: [{name: u, password: p}, {name: u, password: q}]",
       "f:1:33: users[1]: user 'u' is there twice; expected it once"},
      {"users: [{name: u, password: p, limits: {max_channels: x}}]",
       "f:1:55: users[0].limits.max_channels: got 'x'; expected an integer from -1 to 2147483647"},
      {"users: [{name: u, password: ~}]", "f:1:19: users[0].password: got nothing; expected text"},
  });
}

TEST(YamlErrors, PermissionsAreChecked) {
  expect_errors({
      {"permissions: [{user: nobody, configure: '', write: '', read: ''}]",
       "f:1:22: permissions[0].user: user 'nobody' does not exist; expected one of users"},
      {"permissions: [{user: guest, vhost: v, configure: '', write: '', read: ''}]",
       "f:1:36: permissions[0].vhost: vhost 'v' does not exist; expected one of vhosts"},
      {"permissions: [{user: guest, configure: '', write: ''}]",
       "f:1:15: permissions[0]: has no 'read'; expected that key"},
      {"permissions: [{user: guest, configure: '(', write: '', read: ''}]",
       "f:1:40: permissions[0].configure: not a regular expression: missing closing parenthesis at "
       "offset 1; expected PCRE syntax"},
      {"permissions: [{user: guest, configure: '', write: 'a**', read: ''}]",
       "f:1:51: permissions[0].write: not a regular expression: quantifier does not follow a "
       "repeatable item at offset 2; expected PCRE syntax"},
      {"permissions:\n  - {user: guest, configure: '', write: '', read: ''}\n  - {user: guest, "
       "configure: '', write: '', read: ''}",
       "f:3:5: permissions[1]: the permission of user 'guest' in vhost '/' is there twice; "
       "expected it once"},
      {"vhosts: []\npermissions: [{user: guest, configure: '', write: '', read: ''}]",
       "f:2:15: permissions[0]: vhost '/' does not exist; expected one of vhosts"},
      {"topic_permissions: [{user: guest, write: '', read: ''}]",
       "f:1:21: topic_permissions[0]: has no 'exchange'; expected that key"},
      {"topic_permissions: [{user: guest, exchange: x, write: '[', read: ''}]",
       "f:1:55: topic_permissions[0].write: not a regular expression: missing terminating ] for "
       "character class at offset 1; expected PCRE syntax"},
      {"topic_permissions: [{user: x, exchange: x, write: '', read: ''}]",
       "f:1:28: topic_permissions[0].user: user 'x' does not exist; expected one of users"},
      {"topic_permissions:\n- {user: guest, exchange: x, write: '', read: ''}\n- {user: guest, "
       "exchange: x, write: '', read: ''}",
       "f:3:3: topic_permissions[1]: the topic permission of user 'guest' for exchange 'x' in "
       "vhost '/' is there twice; expected it once"},
  });
}

TEST(YamlErrors, PoliciesAreChecked) {
  expect_errors({
      {"policies: [{name: p, pattern: '('}]",
       "f:1:31: policies[0].pattern: not a regular expression: missing closing parenthesis at "
       "offset 1; expected PCRE syntax"},
      {"policies: [{name: p, pattern: 'a'}]",
       "f:1:12: policies[0]: has no 'definition'; expected that key"},
      {"policies: [{name: p, pattern: a, definition: {}}]",
       "f:1:46: policies[0].definition: no policy provided; expected keys and values"},
      {"policies: [{name: p, pattern: a, definition: {foo: 1}}]",
       "f:1:52: policies[0].definition.foo: [{<<\"foo\">>,1}] are not recognised policy settings; "
       "expected another key or value"},
      {"policies:\n- name: p\n  pattern: a\n  definition:\n    max-length: 1\n    message-ttl: "
       "-1\n",
       "f:6:18: policies[0].definition.message-ttl: -1 is not a valid message TTL; expected "
       "another key or value"},
      {"policies: [{name: p, pattern: a, definition: {max-length: '5'}}]",
       "f:1:59: policies[0].definition.max-length: <<\"5\">> is not a valid maximum length; "
       "expected another key or value"},
      {"policies: [{name: p, pattern: a, definition: [a]}]",
       "f:1:46: policies[0].definition: got a list; expected a mapping"},
      {"policies: [{name: p, pattern: a, apply-to: foo, definition: {expires: 1}}]",
       "f:1:44: policies[0].apply-to: got 'foo'; expected all, queues, exchanges, classic_queues, "
       "quorum_queues or streams"},
      {"policies: [{name: p, pattern: a, priority: high, definition: {expires: 1}}]",
       "f:1:44: policies[0].priority: got 'high'; expected an integer from -2147483648 to "
       "2147483647"},
      {"policies: [{name: p, vhost: v, pattern: a, definition: {expires: 1}}]",
       "f:1:29: policies[0].vhost: vhost 'v' does not exist; expected one of vhosts"},
      {"policies:\n- {name: p, pattern: a, definition: {expires: 1}}\n- {name: p, pattern: b, "
       "definition: {expires: 1}}",
       "f:3:3: policies[1]: policy 'p' in vhost '/' is there twice; expected it once"},
      {"operator_policies: [{name: p, pattern: a, definition: {alternate-exchange: a}}]",
       "f:1:76: operator_policies[0].definition.alternate-exchange: "
       "[{<<\"alternate-exchange\">>,<<\"a\">>}] are not recognised policy settings; expected "
       "another key or value"},
      {"policies: [{pattern: a, definition: {expires: 1}}]",
       "f:1:12: policies[0]: has no 'name'; expected that key"},
  });
}

TEST(YamlErrors, ExchangesAreChecked) {
  expect_errors({
      {"exchanges: [{type: topic}]", "f:1:13: exchanges[0]: has no 'name'; expected that key"},
      {"exchanges: [{name: amq.mine}]",
       "f:1:20: exchanges[0].name: exchange name 'amq.mine' contains reserved prefix 'amq.*'; "
       "expected another name"},
      {"exchanges: [{name: ''}]", "f:1:20: exchanges[0].name: is empty; expected a name"},
      {"exchanges: [{name: x, type: x-random}]",
       "f:1:29: exchanges[0].type: got 'x-random'; expected direct, fanout, topic or headers"},
      {"exchanges: [{name: x, durable: yes}]",
       "f:1:32: exchanges[0].durable: got 'yes'; expected true or false"},
      {"exchanges: [{name: x, internal: 'true'}]",
       "f:1:33: exchanges[0].internal: got quoted 'true'; expected true or false"},
      {"exchanges: [{name: x, vhost: v}]",
       "f:1:30: exchanges[0].vhost: vhost 'v' does not exist; expected one of vhosts"},
      {"exchanges: [{name: x, arguments: [a]}]",
       "f:1:34: exchanges[0].arguments: got a list; expected a mapping"},
      {"exchanges: [{name: x, arguments: {a: 1, alternate-exchange: 5}}]",
       "f:1:61: exchanges[0].arguments.alternate-exchange: invalid type 'signedint' for arg "
       "'alternate-exchange' in exchange 'x' in vhost '/'; expected a valid argument"},
      {"exchanges: [{name: x}, {name: x}]",
       "f:1:24: exchanges[1]: exchange 'x' in vhost '/' is there twice; expected it once"},
      {"exchanges: [{name: x, exclusive: true}]",
       "f:1:23: exchanges[0]: unknown key 'exclusive'; expected name, vhost, type, durable, "
       "auto_delete, internal, arguments"},
      {"exchanges: [{name: x, arguments: {n: 99999999999999999999}}]",
       "f:1:38: exchanges[0].arguments.n: got '99999999999999999999'; expected an integer of at "
       "most 64 bits, or quotes"},
      {"exchanges: [{name: x, arguments: {n: 1e999}}]",
       "f:1:38: exchanges[0].arguments.n: got '1e999'; expected a number that fits a double, or "
       "quotes"},
      {"exchanges: [{name: x, arguments: {" + std::string(256, 'k') + ": 1}}]",
       "f:1:35: exchanges[0].arguments: key of 256 bytes; expected at most 255"},
  });
}

TEST(YamlErrors, QueuesAreChecked) {
  expect_errors({
      {"queues: [{durable: true}]", "f:1:10: queues[0]: has no 'name'; expected that key"},
      {"queues: [{name: amq.mine}]",
       "f:1:17: queues[0].name: queue name 'amq.mine' contains reserved prefix 'amq.*'; expected "
       "another name"},
      {"queues: [{name: " + repeat("\303\251", 128) + "}]",
       "f:1:17: queues[0].name: has 256 bytes; expected at most 255"},
      {"queues:\n- name: q\n  arguments:\n    x-max-length: 5\n    x-message-ttl: -1\n",
       "f:5:20: queues[0].arguments.x-message-ttl: invalid arg 'x-message-ttl' for queue 'q' in "
       "vhost '/': {value_negative,-1}; expected a valid argument"},
      {"queues: [{name: q, arguments: {x-overflow: foo}}]",
       "f:1:44: queues[0].arguments.x-overflow: invalid arg 'x-overflow' for queue 'q' in vhost "
       "'/': invalid_overflow; expected a valid argument"},
      {"queues: [{name: q, arguments: {x-queue-type: stream}}]",
       "f:1:46: queues[0].arguments.x-queue-type: invalid arg 'x-queue-type' for queue 'q' in "
       "vhost '/': \"queue type 'stream' is not supported by this broker\"; expected a valid "
       "argument"},
      {"queues: [{name: q, arguments: {x-delivery-limit: 1}}]",
       "f:1:50: queues[0].arguments.x-delivery-limit: invalid arg 'x-delivery-limit' for queue 'q' "
       "in vhost '/' of queue type rabbit_classic_queue; expected a valid argument"},
      {"queues: [{name: q, durable: false, arguments: {x-queue-type: quorum}}]",
       "f:1:10: queues[0]: invalid property 'non-durable' for queue 'q' in vhost '/'; expected a "
       "durable queue without auto_delete"},
      {"queues: [{name: q, arguments: {x-dead-letter-exchange: 1}}]",
       "f:1:56: queues[0].arguments.x-dead-letter-exchange: invalid type 'signedint' for arg "
       "'x-dead-letter-exchange' in queue 'q' in vhost '/'; expected a valid argument"},
      {"queues: [{name: q, exclusive: true}]",
       "f:1:20: queues[0]: unknown key 'exclusive'; expected name, vhost, durable, auto_delete, "
       "arguments"},
      {"queues:\n  - {name: q}\n  - {name: q}",
       "f:3:5: queues[1]: queue 'q' in vhost '/' is there twice; expected it once"},
  });
}

TEST(YamlErrors, BindingsAreChecked) {
  expect_errors({
      {"bindings: [{destination: q}]", "f:1:12: bindings[0]: has no 'source'; expected that key"},
      {"bindings: [{source: amq.topic}]",
       "f:1:12: bindings[0]: has no 'destination'; expected that key"},
      {"bindings: [{source: nope, destination: q}]",
       "f:1:21: bindings[0].source: no exchange 'nope' in vhost '/'; expected one of exchanges, or "
       "amq.*"},
      {"bindings: [{source: amq.nope, destination: q}]",
       "f:1:21: bindings[0].source: no exchange 'amq.nope' in vhost '/'; expected one of "
       "exchanges, or amq.*"},
      {"bindings: [{source: '', destination: q}]",
       "f:1:21: bindings[0].source: is empty; expected a name"},
      {"bindings: [{source: amq.topic, destination: q}]",
       "f:1:45: bindings[0].destination: no queue 'q' in vhost '/'; expected one of queues"},
      {"bindings: [{source: amq.topic, destination: x, destination_type: exchange}]",
       "f:1:45: bindings[0].destination: no exchange 'x' in vhost '/'; expected one of exchanges, "
       "or amq.*"},
      {"queues: [{name: q}]\nbindings: [{source: amq.topic, destination: q, destination_type: "
       "topic}]",
       "f:2:66: bindings[0].destination_type: got 'topic'; expected queue or exchange"},
      {"vhosts: [{name: a}, {name: b}]\nqueues: [{name: q, vhost: a}]\nbindings: [{source: "
       "amq.topic, vhost: b, destination: q}]",
       "f:3:55: bindings[0].destination: no queue 'q' in vhost 'b'; expected one of queues"},
      {"queues: [{name: q}]\nbindings: [{source: amq.topic, destination: q, routing_key: " +
           std::string(256, 'k') + "}]",
       "f:2:61: bindings[0].routing_key: has 256 bytes; expected at most 255"},
      {"queues: [{name: q}]\nbindings:\n- {source: amq.topic, destination: q, routing_key: k}\n- "
       "{source: amq.topic, destination: q, routing_key: k, arguments: {}}",
       "f:4:3: bindings[1]: the binding of 'q' to 'amq.topic' with key 'k' is there twice; "
       "expected it once"},
      {"queues: [{name: q}]\nbindings: [{source: amq.topic, destination: q, routing_key: [k]}]",
       "f:2:61: bindings[0].routing_key: got a list; expected text"},
      {"queues: [{name: q}]\nbindings: [{source: amq.topic, destination: q, key: k}]",
       "f:2:48: bindings[0]: unknown key 'key'; expected source, vhost, destination, "
       "destination_type, routing_key, arguments"},
  });
}

TEST(YamlErrors, DeepNestingEndsAt64Levels) {
  const auto nested = [](int depth) {
    return "exchanges: [{name: x, arguments: {a: " + repeat("[", depth) + repeat("]", depth) +
           "}}]";
  };
  EXPECT_EQ(error_of(nested(60)), "loaded");
  EXPECT_EQ(error_of(nested(61)), "f:1:98: nested too deeply; expected at most 64 levels");
  EXPECT_EQ(error_of(nested(100000)), "f:1:98: nested too deeply; expected at most 64 levels");
  EXPECT_EQ(error_of(repeat("{a: ", 65) + repeat("}", 65)),
            "f:1:257: nested too deeply; expected at most 64 levels");
  EXPECT_EQ(error_of(repeat("- ", 100000)),
            "f:1:129: nested too deeply; expected at most 64 levels");
}

TEST(YamlErrors, AliasesCannotMakeASmallFileLarge) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'n'; ++c) {
    const std::string alias = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + repeat(alias + ", ", 8) + alias + "]\n";
  }
  EXPECT_EQ(error_of(bomb), "f:1:4: anchors are not supported; expected a value without '&'");
}

TEST(YamlErrors, LargeFilesAreRefusedBeforeTheyAreParsed) {
  const std::string comment = "# " + std::string(kYamlBytesMax - 3, 'x') + "\n";
  EXPECT_EQ(error_of(comment), "loaded");
  EXPECT_EQ(error_of(comment + "\n"), "f:1:1: file is too large; expected at most 16 MiB");
}

TEST(YamlErrors, OnlyTheFirstIsTold) {
  EXPECT_EQ(error_of("loops: x\nlimits: {channel_max: 0}\nqueues: 5"),
            "f:1:8: loops: got 'x'; expected an integer from 0 to 1024");
}

TEST(YamlErrors, PasswordsAreNeverShown) {
  for (const char* text : {"users: [{name: u, password: [hunter2]}]",
                           "users: [{name: u, password: hunter2, password_hash: x}]",
                           "users: [{name: u, password: hunter2}, {name: u, password: hunter2}]"}) {
    EXPECT_EQ(error_of(text).find("hunter2"), std::string::npos) << text;
  }
}

TEST(YamlErrors, FilesThatCannotBeReadAreNamed) {
  const auto file_error = [](const std::string& path) -> std::string {
    try {
      load_yaml_file(path);
      return "loaded";
    } catch (const ConfigError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(file_error("/nonexistent/leveret.yaml"),
            "/nonexistent/leveret.yaml: cannot be opened: No such file or directory; expected a "
            "readable YAML file");
  EXPECT_EQ(file_error("/"), "/: cannot be read: Is a directory; expected a readable YAML file");
  EXPECT_EQ(file_error("/dev/zero"), "/dev/zero:1:1: file is too large; expected at most 16 MiB");
}

}  // namespace
}  // namespace leveret::config
