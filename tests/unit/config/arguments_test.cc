#include "config/arguments.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/field_table.h"

// Expected texts are those of RabbitMQ 3.10.8, unless a test says otherwise.
namespace leveret::config {
namespace {

using protocol::AmqpError;
using protocol::ErrorScope;
using protocol::FieldTable;
using protocol::FieldTableBuilder;
using protocol::FieldValue;
using protocol::ReplyCode;

struct Nothing {};
using Value = std::variant<Nothing, int, std::int64_t, bool, double, const char*, FieldValue>;

// An argument table as one writes it down.
class Args {
 public:
  Args() = default;
  Args(std::initializer_list<std::pair<const char*, Value>> entries) {
    for (const auto& [name, value] : entries) {
      std::visit([&, key = name](const auto& v) { put(key, v); }, value);
    }
  }
  FieldTable table() const { return FieldTable(builder_.bytes()); }

 private:
  void put(const char* name, Nothing) { builder_.nothing(name); }
  void put(const char* name, int v) { builder_.int32(name, v); }
  void put(const char* name, std::int64_t v) { builder_.int64(name, v); }
  void put(const char* name, bool v) { builder_.boolean(name, v); }
  void put(const char* name, double v) { builder_.real(name, v); }
  void put(const char* name, const char* v) { builder_.string(name, v); }
  void put(const char* name, const FieldValue& v) { builder_.value(name, v); }

  FieldTableBuilder builder_;
};

constexpr ObjectName kQueue{.vhost = "/", .name = "q"};
constexpr ObjectName kExchange{.vhost = "/", .name = "x"};
constexpr const char* kInvalid = "PRECONDITION_FAILED - invalid arg '";

std::string text_of(const std::optional<AmqpError>& error) {
  if (!error) return "ok";
  EXPECT_EQ(error->code, ReplyCode::kPreconditionFailed);
  EXPECT_EQ(error->scope, ErrorScope::kChannel);
  return error->text;
}

std::string declare(const Args& args, QueueSettings* out = nullptr) {
  QueueSettings settings;
  return text_of(parse_queue_arguments(kQueue, args.table(), /*durable=*/true,
                                       /*exclusive=*/false, /*auto_delete=*/false,
                                       out != nullptr ? out : &settings));
}

QueueSettings settings_of(const Args& args) {
  QueueSettings settings;
  EXPECT_EQ(declare(args, &settings), "ok");
  return settings;
}

// What RabbitMQ says about one argument of a classic queue, without what is the same for all.
std::string complaint(const char* name, const Value& value) {
  const std::string text = declare({{name, value}});
  const std::string start = kInvalid + std::string(name) + "' for queue 'q' in vhost '/'";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

std::string quorum_complaint(const char* name, const Value& value) {
  const std::string text = declare({{"x-queue-type", "quorum"}, {name, value}});
  const std::string start = kInvalid + std::string(name) + "' for queue 'q' in vhost '/'";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

constexpr std::int64_t kTenYearsMs = 315360000000;

TEST(QueueArguments, TimesMustBeIntegersInRange) {
  EXPECT_EQ(complaint("x-message-ttl", -1), ": {value_negative,-1}");
  EXPECT_EQ(complaint("x-message-ttl", 0), "ok");
  EXPECT_EQ(complaint("x-message-ttl", kTenYearsMs), "ok");
  EXPECT_EQ(complaint("x-message-ttl", kTenYearsMs + 1), ": {value_too_large,315360000001}");
  EXPECT_EQ(complaint("x-expires", 0), ": {value_zero,0}");
  EXPECT_EQ(complaint("x-expires", -1), ": {value_negative,-1}");
  EXPECT_EQ(complaint("x-expires", kTenYearsMs + 1), ": {value_too_large,315360000001}");
  EXPECT_EQ(complaint("x-consumer-timeout", -1), ": {value_negative,-1}");
}

TEST(QueueArguments, WrongTypesAreNamed) {
  const std::pair<Value, const char*> cases[] = {
      {"a", "longstr"},
      {true, "bool"},
      {1.5, "double"},
      {Nothing{}, "void"},
      {FieldValue{'A', {}}, "array"},
      {FieldValue{'F', {}}, "table"},
      {FieldValue{'T', std::string_view("\0\0\0\0\0\0\0\1", 8)}, "timestamp"},
      {FieldValue{'D', std::string_view("\0\0\0\0\1", 5)}, "decimal"},
      {FieldValue{'x', "abc"}, "binary"},
  };
  for (const char* name : {"x-message-ttl", "x-expires", "x-max-length", "x-max-length-bytes",
                           "x-max-priority", "x-queue-version"}) {
    for (const auto& [value, type] : cases) {
      EXPECT_EQ(complaint(name, value), ": \"expected integer, got " + std::string(type) + "\"");
    }
  }
}

TEST(QueueArguments, IntegersOfEveryWidthAreTaken) {
  for (const auto& [type, bytes] :
       std::initializer_list<std::pair<char, std::string_view>>{{'b', {"\x05", 1}},
                                                                {'B', {"\x05", 1}},
                                                                {'s', {"\0\x05", 2}},
                                                                {'u', {"\0\x05", 2}},
                                                                {'I', {"\0\0\0\x05", 4}},
                                                                {'i', {"\0\0\0\x05", 4}},
                                                                {'l', {"\0\0\0\0\0\0\0\x05", 8}},
                                                                {'L', {"\0\0\0\0\0\0\0\x05", 8}}}) {
    EXPECT_EQ(settings_of({{"x-max-length", FieldValue{type, bytes}}}).max_length, 5) << type;
  }
}

TEST(QueueArguments, LengthsMustNotBeNegative) {
  EXPECT_EQ(complaint("x-max-length", -1), ": {value_negative,-1}");
  EXPECT_EQ(complaint("x-max-length", kTenYearsMs + 1), "ok");
  EXPECT_EQ(complaint("x-max-length-bytes", -5), ": {value_negative,-5}");
  EXPECT_EQ(complaint("x-max-length-bytes", 0), "ok");
}

TEST(QueueArguments, PriorityEndsAt255) {
  EXPECT_EQ(complaint("x-max-priority", 255), "ok");
  EXPECT_EQ(complaint("x-max-priority", 256), ": {max_value_exceeded,256}");
  EXPECT_EQ(complaint("x-max-priority", -1), ": {value_negative,-1}");
}

TEST(QueueArguments, ChoicesAreChecked) {
  EXPECT_EQ(complaint("x-overflow", "foo"), ": invalid_overflow");
  EXPECT_EQ(complaint("x-overflow", 1), ": {unacceptable_type,signedint}");
  EXPECT_EQ(complaint("x-overflow", Nothing{}), ": {unacceptable_type,void}");
  EXPECT_EQ(complaint("x-single-active-consumer", "true"), ": {unacceptable_type,longstr}");
  EXPECT_EQ(complaint("x-single-active-consumer", 1), ": {unacceptable_type,signedint}");
  EXPECT_EQ(complaint("x-queue-mode", "lazy"), "ok");
  EXPECT_EQ(complaint("x-queue-mode", "foo"), ": \"unsupported queue mode 'foo'\"");
  EXPECT_EQ(complaint("x-queue-mode", "a\"b\\c"), ": \"unsupported queue mode 'a\\\"b\\\\c'\"");
  EXPECT_EQ(complaint("x-queue-mode", true), ": {unacceptable_type,bool}");
  EXPECT_EQ(complaint("x-queue-version", 2), "ok");
  EXPECT_EQ(complaint("x-queue-version", 3), ": \"unsupported queue version '3'\"");
  EXPECT_EQ(complaint("x-queue-version", -1), ": {value_negative,-1}");
  EXPECT_EQ(complaint("x-queue-type", "foo"), ": \"unsupported queue type 'foo'\"");
  EXPECT_EQ(complaint("x-queue-type", 1), ": {unacceptable_type,signedint}");
  EXPECT_EQ(complaint("x-queue-master-locator", "min-masters"), "ok");
}

TEST(QueueArguments, DeadLetterRoutingKeyNeedsAnExchange) {
  EXPECT_EQ(complaint("x-dead-letter-routing-key", "k"), ": routing_key_but_no_dlx_defined");
  EXPECT_EQ(complaint("x-dead-letter-routing-key", 1), ": {unacceptable_type,signedint}");
  EXPECT_EQ(declare({{"x-dead-letter-exchange", "d"}, {"x-dead-letter-routing-key", "k"}}), "ok");
  EXPECT_EQ(declare({{"x-dead-letter-exchange", ""}}), "ok");
}

TEST(QueueArguments, DeadLetterExchangeOfWrongTypeIsToldBeforeAllElse) {
  EXPECT_EQ(declare({{"x-dead-letter-exchange", 1}, {"x-queue-type", "foo"}}),
            "PRECONDITION_FAILED - invalid type 'signedint' for arg 'x-dead-letter-exchange' in "
            "queue 'q' in vhost '/'");
}

TEST(QueueArguments, OfSeveralErrorsTheOneThatRabbitMqSeesFirstIsTold) {
  EXPECT_EQ(declare({{"x-max-length", -1}, {"x-expires", 0}, {"x-delivery-limit", 3}}),
            "PRECONDITION_FAILED - invalid arg 'x-expires' for queue 'q' in vhost '/': "
            "{value_zero,0}");
}

TEST(QueueArguments, ClassicQueuesRefuseWhatOnlyOtherTypesHave) {
  for (const char* name :
       {"x-delivery-limit", "x-dead-letter-strategy", "x-max-age", "x-quorum-initial-group-size",
        "x-max-in-memory-length", "x-max-in-memory-bytes", "x-initial-cluster-size",
        "x-stream-max-segment-size-bytes"}) {
    EXPECT_EQ(complaint(name, "foo"), " of queue type rabbit_classic_queue");
  }
}

TEST(QueueArguments, QuorumQueuesRefuseWhatOnlyOtherTypesHave) {
  for (const char* name : {"x-max-priority", "x-queue-mode", "x-queue-version",
                           "x-queue-master-locator", "x-max-age"}) {
    EXPECT_EQ(quorum_complaint(name, -1), " of queue type rabbit_quorum_queue");
  }
}

TEST(QueueArguments, QuorumArgumentsAreChecked) {
  EXPECT_EQ(quorum_complaint("x-overflow", "foo"), ": invalid_overflow");
  EXPECT_EQ(quorum_complaint("x-dead-letter-strategy", "foo"), ": invalid_dlx_strategy");
  EXPECT_EQ(quorum_complaint("x-dead-letter-strategy", -1), ": {unacceptable_type,signedint}");
  EXPECT_EQ(quorum_complaint("x-queue-leader-locator", "foo"), ": invalid_queue_locator_arg");
  EXPECT_EQ(quorum_complaint("x-queue-leader-locator", -1), ": {unacceptable_type,signedint}");
  EXPECT_EQ(quorum_complaint("x-quorum-initial-group-size", "a"),
            ": \"expected integer, got longstr\"");
  EXPECT_EQ(quorum_complaint("x-quorum-initial-group-size", -1), ": {value_negative,-1}");
  EXPECT_EQ(quorum_complaint("x-quorum-initial-group-size", 0), ": {value_zero,0}");
  EXPECT_EQ(quorum_complaint("x-max-in-memory-length", -1), ": {value_negative,-1}");
}

// RabbitMQ 3 takes any value and ignores or trips over it later.
TEST(QueueArguments, DeliveryLimitMustBeAnIntegerAndMinusOneIsNoLimit) {
  EXPECT_EQ(quorum_complaint("x-delivery-limit", "foo"), ": \"expected integer, got longstr\"");
  EXPECT_EQ(settings_of({{"x-queue-type", "quorum"}, {"x-delivery-limit", 3}}).delivery_limit, 3);
  EXPECT_EQ(settings_of({{"x-queue-type", "quorum"}, {"x-delivery-limit", -1}}).delivery_limit,
            std::nullopt);
}

// As RabbitMQ 4 has it: clients send it with both types.
TEST(QueueArguments, LeaderLocatorIsTakenByClassicQueues) {
  EXPECT_EQ(complaint("x-queue-leader-locator", "balanced"), "ok");
}

TEST(QueueArguments, QuorumQueuesMustBeDurableSharedAndKept) {
  const Args quorum{{"x-queue-type", "quorum"}};
  const auto declare_as = [&](bool durable, bool exclusive, bool auto_delete) {
    QueueSettings out;
    return text_of(
        parse_queue_arguments(kQueue, quorum.table(), durable, exclusive, auto_delete, &out));
  };
  const std::string start = "PRECONDITION_FAILED - invalid property '";
  const std::string end = "' for queue 'q' in vhost '/'";
  EXPECT_EQ(declare_as(true, false, false), "ok");
  EXPECT_EQ(declare_as(false, false, false), start + "non-durable" + end);
  EXPECT_EQ(declare_as(true, true, false), start + "exclusive-owner" + end);
  EXPECT_EQ(declare_as(true, false, true), start + "auto-delete" + end);
  EXPECT_EQ(declare_as(false, true, true), start + "auto-delete" + end);
  EXPECT_EQ(declare_as(false, true, false), start + "exclusive-owner" + end);
}

TEST(QueueArguments, QuorumQueuesNeedAName) {
  QueueSettings out;
  const Args quorum{{"x-queue-type", "quorum"}, {"x-dead-letter-exchange", 1}};
  EXPECT_EQ(text_of(parse_queue_arguments({"/", ""}, quorum.table(), true, false, false, &out)),
            "PRECONDITION_FAILED - Cannot declare a server-named queue for type "
            "rabbit_quorum_queue");
  EXPECT_EQ(text_of(parse_queue_arguments({"/", ""}, {}, false, true, false, &out)), "ok");
}

// RabbitMQ has streams.
TEST(QueueArguments, StreamsAreRefusedByName) {
  EXPECT_EQ(complaint("x-queue-type", "stream"),
            ": \"queue type 'stream' is not supported by this broker\"");
}

TEST(QueueArguments, AllOfThemArrive) {
  const QueueSettings settings = settings_of({{"x-message-ttl", 1},
                                              {"x-expires", 2},
                                              {"x-max-length", 3},
                                              {"x-max-length-bytes", 4},
                                              {"x-overflow", "reject-publish-dlx"},
                                              {"x-dead-letter-exchange", "d"},
                                              {"x-dead-letter-routing-key", "k"},
                                              {"x-max-priority", 5},
                                              {"x-single-active-consumer", true},
                                              {"x-consumer-timeout", 6},
                                              {"x-whatever", "ignored"}});
  QueueSettings expected;
  expected.message_ttl_ms = 1;
  expected.expires_ms = 2;
  expected.max_length = 3;
  expected.max_length_bytes = 4;
  expected.overflow = Overflow::kRejectPublishDlx;
  expected.overflow_declared = true;
  expected.dead_letter_exchange = "d";
  expected.dead_letter_routing_key = "k";
  expected.max_priority = 5;
  expected.single_active_consumer = true;
  expected.consumer_timeout_ms = 6;
  EXPECT_EQ(settings, expected);
}

TEST(QueueArguments, ErrorsLeaveTheOutputAlone) {
  QueueSettings out;
  out.max_length = 7;
  EXPECT_NE(declare({{"x-max-length", 1}, {"x-expires", 0}}, &out), "ok");
  EXPECT_EQ(out.max_length, 7);
}

std::string redeclare(const Args& current, const Args& received) {
  const std::string text =
      text_of(compare_queue_arguments(kQueue, current.table(), received.table()));
  const std::string start = "PRECONDITION_FAILED - inequivalent arg '";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

TEST(RedeclaredQueue, DifferencesAreToldWithBothValues) {
  EXPECT_EQ(redeclare({{"x-message-ttl", 1000}}, {{"x-message-ttl", 1001}}),
            "x-message-ttl' for queue 'q' in vhost '/': received '1001' but current is '1000'");
  EXPECT_EQ(redeclare({{"x-message-ttl", 1000}}, {{"x-message-ttl", "a"}}),
            "x-message-ttl' for queue 'q' in vhost '/': received 'a' but current is '1000'");
  EXPECT_EQ(redeclare({{"x-single-active-consumer", true}}, {{"x-single-active-consumer", false}}),
            "x-single-active-consumer' for queue 'q' in vhost '/': received 'false' but current "
            "is 'true'");
  EXPECT_EQ(redeclare({{"x-dead-letter-exchange", "a"}}, {{"x-dead-letter-exchange", Nothing{}}}),
            "x-dead-letter-exchange' for queue 'q' in vhost '/': received none but current is 'a'");
}

TEST(RedeclaredQueue, MissingArgumentsAreToldWithTheirType) {
  EXPECT_EQ(redeclare({{"x-message-ttl", 1000}}, {}),
            "x-message-ttl' for queue 'q' in vhost '/': received none but current is the value "
            "'1000' of type 'signedint'");
  EXPECT_EQ(redeclare({}, {{"x-message-ttl", 1000}}),
            "x-message-ttl' for queue 'q' in vhost '/': received the value '1000' of type "
            "'signedint' but current is none");
  EXPECT_EQ(redeclare({}, {{"x-single-active-consumer", false}}),
            "x-single-active-consumer' for queue 'q' in vhost '/': received the value 'false' of "
            "type 'bool' but current is none");
  EXPECT_EQ(redeclare({{"x-message-ttl", 1000}, {"x-expires", 9999}}, {}),
            "x-expires' for queue 'q' in vhost '/': received none but current is the value '9999' "
            "of type 'signedint'");
  EXPECT_EQ(redeclare({}, {{"x-overflow", "drop-head"}}),
            "x-overflow' for queue 'q' in vhost '/': received the value 'drop-head' of type "
            "'longstr' but current is none");
}

TEST(RedeclaredQueue, TablesAndListsArePrintedAsErlangTerms) {
  std::string array;
  protocol::append_array_string(array, "b");
  EXPECT_EQ(redeclare({}, {{"x-message-ttl", FieldValue{'A', array}}}),
            "x-message-ttl' for queue 'q' in vhost '/': received the value '[{longstr,<<\"b\">>}]' "
            "of type 'array' but current is none");
  const Args inner{{"a", 1}};
  EXPECT_EQ(redeclare({}, {{"x-message-ttl", FieldValue{'F', inner.table().bytes()}}}),
            "x-message-ttl' for queue 'q' in vhost '/': received the value "
            "'[{<<\"a\">>,signedint,1}]' of type 'table' but current is none");
}

TEST(RedeclaredQueue, IntegersOfAnyWidthAndOrderAreEqual) {
  EXPECT_EQ(redeclare({{"x-message-ttl", 1000}, {"x-expires", 5}},
                      {{"x-expires", std::int64_t{5}}, {"x-message-ttl", std::int64_t{1000}}}),
            "ok");
}

TEST(RedeclaredQueue, ClassicTypeMayBeLeftOut) {
  EXPECT_EQ(redeclare({}, {{"x-queue-type", "classic"}}), "ok");
  EXPECT_EQ(redeclare({{"x-queue-type", "classic"}}, {}), "ok");
  EXPECT_EQ(redeclare({}, {{"x-queue-type", "quorum"}}),
            "x-queue-type' for queue 'q' in vhost '/': received the value 'quorum' of type "
            "'longstr' but current is none");
  EXPECT_EQ(redeclare({{"x-queue-type", "quorum"}}, {}),
            "x-queue-type' for queue 'q' in vhost '/': received none but current is the value "
            "'quorum' of type 'longstr'");
  EXPECT_EQ(redeclare({{"x-queue-type", "quorum"}}, {{"x-queue-type", "classic"}}),
            "x-queue-type' for queue 'q' in vhost '/': received 'classic' but current is 'quorum'");
}

TEST(RedeclaredQueue, ArgumentsThatTheTypeDoesNotHaveAreNotCompared) {
  EXPECT_EQ(redeclare({{"x-foo", "a"}}, {{"x-foo", "b"}}), "ok");
  EXPECT_EQ(redeclare({}, {{"x-delivery-limit", 1}}), "ok");
}

std::string alternate(const Args& args, std::optional<std::string>* out) {
  return text_of(parse_exchange_arguments(kExchange, args.table(), out));
}

TEST(ExchangeArguments, AlternateExchangeMustBeText) {
  std::optional<std::string> name;
  EXPECT_EQ(alternate({{"alternate-exchange", "ae"}, {"other", 1}}, &name), "ok");
  EXPECT_EQ(name, "ae");
  EXPECT_EQ(alternate({}, &name), "ok");
  EXPECT_EQ(name, std::nullopt);
  EXPECT_EQ(alternate({{"alternate-exchange", 1}}, &name),
            "PRECONDITION_FAILED - invalid type 'signedint' for arg 'alternate-exchange' in "
            "exchange 'x' in vhost '/'");
  EXPECT_EQ(alternate({{"alternate-exchange", Nothing{}}}, &name),
            "PRECONDITION_FAILED - invalid type 'void' for arg 'alternate-exchange' in exchange "
            "'x' in vhost '/'");
}

TEST(ExchangeArguments, OnlyTheAlternateExchangeIsCompared) {
  const auto compare = [](const Args& current, const Args& received) {
    return text_of(compare_exchange_arguments(kExchange, current.table(), received.table()));
  };
  const Args a{{"alternate-exchange", "a"}, {"x", 1}};
  const std::string start =
      "PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange 'x' in vhost '/': ";
  EXPECT_EQ(compare(a, {{"alternate-exchange", "a"}, {"x", 2}}), "ok");
  EXPECT_EQ(compare(a, {{"alternate-exchange", "b"}}), start + "received 'b' but current is 'a'");
  EXPECT_EQ(compare(a, {{"alternate-exchange", 1}}), start + "received '1' but current is 'a'");
  EXPECT_EQ(compare(a, {}), start + "received none but current is the value 'a' of type 'longstr'");
  EXPECT_EQ(compare({}, a), start + "received the value 'a' of type 'longstr' but current is none");
}

std::string consume(const Args& args, ConsumerArguments* out,
                    QueueType type = QueueType::kClassic) {
  return text_of(parse_consumer_arguments(kQueue, args.table(), out, type));
}

TEST(ConsumerArguments, PriorityMustBeAnInteger) {
  ConsumerArguments out;
  const std::string start = "PRECONDITION_FAILED - invalid arg 'x-priority' for queue 'q' in vhost";
  EXPECT_EQ(consume({{"x-priority", -3}}, &out), "ok");
  EXPECT_EQ(out.priority, -3);
  EXPECT_EQ(consume({{"x-priority", std::int64_t{5000000000}}}, &out), "ok");
  EXPECT_EQ(out.priority, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(consume({{"x-priority", "a"}}, &out),
            start + " '/': \"expected integer, got longstr\"");
  EXPECT_EQ(consume({{"x-priority", Nothing{}}}, &out),
            start + " '/': \"expected integer, got void\"");
}

TEST(ConsumerArguments, StreamAndMirrorArgumentsDependOnTheQueueType) {
  ConsumerArguments out;
  const std::string offset =
      "PRECONDITION_FAILED - invalid arg 'x-stream-offset' for queue 'q' in vhost '/' of queue "
      "type rabbit_";
  EXPECT_EQ(consume({{"x-stream-offset", "first"}}, &out), offset + "classic_queue");
  EXPECT_EQ(consume({{"x-stream-offset", "first"}}, &out, QueueType::kQuorum),
            offset + "quorum_queue");
  const std::string failover =
      "PRECONDITION_FAILED - invalid arg 'x-cancel-on-ha-failover' for queue 'q' in vhost '/'";
  EXPECT_EQ(consume({{"x-cancel-on-ha-failover", true}}, &out), "ok");
  EXPECT_EQ(consume({{"x-cancel-on-ha-failover", 1}}, &out),
            failover + ": {unacceptable_type,signedint}");
  EXPECT_EQ(consume({{"x-cancel-on-ha-failover", true}}, &out, QueueType::kQuorum),
            failover + " of queue type rabbit_quorum_queue");
}

TEST(ConsumerArguments, UnknownOnesAreIgnored) {
  ConsumerArguments out;
  EXPECT_EQ(consume({{"foo", 1}, {"x-consumer-timeout", 1000}}, &out), "ok");
  EXPECT_EQ(out.priority, 0);
  EXPECT_EQ(out.timeout_ms, 1000);
}

}  // namespace
}  // namespace leveret::config
