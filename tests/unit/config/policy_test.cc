#include "config/policy.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include "protocol/field_table.h"

namespace leveret::config {
namespace {

using protocol::FieldTable;
using protocol::FieldTableBuilder;

PolicyDefinition policy(const std::string& name, const std::string& pattern, ApplyTo to,
                        int priority, const std::string& definition) {
  PolicyDefinition result;
  result.vhost = "/";
  result.name = name;
  result.pattern = pattern;
  result.apply_to = to;
  result.priority = priority;
  result.definition = definition;
  return result;
}

std::string max_length(int n) {
  return FieldTableBuilder().int32("max-length", n).take();
}

std::string name_of(const PolicyDefinition* found) {
  return found ? found->name : "none";
}

TEST(PolicyMatch, HighestPriorityWins) {
  const PolicySet set({policy("low", "q", ApplyTo::kAll, -1, max_length(1)),
                       policy("high", "q", ApplyTo::kAll, 7, max_length(2)),
                       policy("other", "z", ApplyTo::kAll, 9, max_length(3))},
                      {});
  EXPECT_EQ(name_of(set.match("/", PolicyTarget::kClassicQueue, "q1")), "high");
  EXPECT_EQ(name_of(set.match("/", PolicyTarget::kExchange, "q1")), "high");
  EXPECT_EQ(name_of(set.match("/", PolicyTarget::kClassicQueue, "x")), "none");
}

TEST(PolicyMatch, OfEqualPrioritiesTheNameThatSortsFirstWins) {
  const PolicyDefinition a = policy("a", "", ApplyTo::kAll, 1, max_length(1));
  const PolicyDefinition b = policy("b", "", ApplyTo::kAll, 1, max_length(2));
  EXPECT_EQ(name_of(PolicySet({a, b}, {}).match("/", PolicyTarget::kClassicQueue, "q")), "a");
  EXPECT_EQ(name_of(PolicySet({b, a}, {}).match("/", PolicyTarget::kClassicQueue, "q")), "a");
}

TEST(PolicyMatch, EmptyPatternMatchesEveryName) {
  const PolicySet set({policy("p", "", ApplyTo::kAll, 0, max_length(1))}, {});
  EXPECT_EQ(name_of(set.match("/", PolicyTarget::kClassicQueue, "q")), "p");
}

TEST(PolicyMatch, StaysInItsVhost) {
  const PolicySet set({policy("p", ".*", ApplyTo::kAll, 0, max_length(1))}, {});
  EXPECT_EQ(name_of(set.match("other", PolicyTarget::kClassicQueue, "q")), "none");
}

TEST(PolicyMatch, ApplyToChoosesTheKindOfObject) {
  using Row = std::pair<ApplyTo, std::string>;  // exchange, classic queue, quorum queue
  for (const auto& [to, expected] : std::initializer_list<Row>{{ApplyTo::kAll, "ecq"},
                                                               {ApplyTo::kQueues, "-cq"},
                                                               {ApplyTo::kExchanges, "e--"},
                                                               {ApplyTo::kClassicQueues, "-c-"},
                                                               {ApplyTo::kQuorumQueues, "--q"},
                                                               {ApplyTo::kStreams, "---"}}) {
    const PolicySet set({policy("p", ".*", to, 0, max_length(1))}, {});
    std::string got;
    got += set.match("/", PolicyTarget::kExchange, "n") ? 'e' : '-';
    got += set.match("/", PolicyTarget::kClassicQueue, "n") ? 'c' : '-';
    got += set.match("/", PolicyTarget::kQuorumQueue, "n") ? 'q' : '-';
    EXPECT_EQ(got, expected) << static_cast<int>(to);
  }
}

TEST(PolicyMatch, PolicyThatTheTypeCannotFollowLeavesThePlaceToAWeakerOne) {
  const std::string limit = FieldTableBuilder().int32("delivery-limit", 3).take();
  const std::string mode = FieldTableBuilder().string("queue-mode", "lazy").take();
  const PolicySet set({policy("quorum-only", ".*", ApplyTo::kQueues, 9, limit),
                       policy("classic-only", ".*", ApplyTo::kQueues, 8, mode),
                       policy("both", ".*", ApplyTo::kQueues, 0, max_length(1))},
                      {});
  EXPECT_EQ(name_of(set.match("/", PolicyTarget::kClassicQueue, "q")), "classic-only");
  EXPECT_EQ(name_of(set.match("/", PolicyTarget::kQuorumQueue, "q")), "quorum-only");
  const PolicySet mixed({policy("mixed", ".*", ApplyTo::kQueues, 9, limit + max_length(4))}, {});
  EXPECT_EQ(name_of(mixed.match("/", PolicyTarget::kClassicQueue, "q")), "mixed");
}

TEST(PolicyMatch, OperatorPoliciesAreASetOfTheirOwn) {
  const PolicySet set({policy("user", ".*", ApplyTo::kAll, 9, max_length(1))},
                      {policy("operator", ".*", ApplyTo::kAll, 0, max_length(2))});
  EXPECT_EQ(name_of(set.match("/", PolicyTarget::kClassicQueue, "q")), "user");
  EXPECT_EQ(name_of(set.match_operator("/", PolicyTarget::kClassicQueue, "q")), "operator");
  EXPECT_EQ(PolicySet().match("/", PolicyTarget::kExchange, "q"), nullptr);
}

// The same choice, spelled out for policies whose patterns are "^" and a prefix.
std::string naive_match(const std::vector<PolicyDefinition>& policies, PolicyTarget target,
                        const std::string& name) {
  const PolicyDefinition* best = nullptr;
  for (const PolicyDefinition& p : policies) {
    const bool is_queue = target != PolicyTarget::kExchange;
    const bool fits =
        p.apply_to == ApplyTo::kAll || (p.apply_to == ApplyTo::kQueues && is_queue) ||
        (p.apply_to == ApplyTo::kExchanges && !is_queue) ||
        (p.apply_to == ApplyTo::kClassicQueues && target == PolicyTarget::kClassicQueue) ||
        (p.apply_to == ApplyTo::kQuorumQueues && target == PolicyTarget::kQuorumQueue);
    if (!fits || !name.starts_with(p.pattern.substr(1))) continue;
    if (best == nullptr || p.priority > best->priority ||
        (p.priority == best->priority && p.name < best->name)) {
      best = &p;
    }
  }
  return name_of(best);
}

TEST(PolicyMatch, AgreesWithANaiveMatcher) {
  EXPECT_TRUE(rc::check([] {
    const auto text = [](int max) {
      return *rc::gen::resize(max, rc::gen::container<std::string>(rc::gen::element('a', 'b')));
    };
    std::vector<PolicyDefinition> policies;
    const int count = *rc::gen::inRange(0, 12);
    for (int i = 0; i < count; ++i) {
      policies.push_back(policy(std::to_string(*rc::gen::inRange(0, 100)) + "-" + std::to_string(i),
                                "^" + text(3), static_cast<ApplyTo>(*rc::gen::inRange(0, 6)),
                                *rc::gen::inRange(-2, 3), max_length(i)));
    }
    const PolicySet set(policies, policies);
    for (int i = 0; i < 10; ++i) {
      const auto target = static_cast<PolicyTarget>(*rc::gen::inRange(0, 3));
      const std::string name = text(5);
      const std::string expected = naive_match(policies, target, name);
      RC_ASSERT(name_of(set.match("/", target, name)) == expected);
      RC_ASSERT(name_of(set.match_operator("/", target, name)) == expected);
    }
  }));
}

TEST(EffectiveSettings, SmallestNumberOfArgumentPolicyAndOperatorCounts) {
  const auto with_length = [](std::optional<int> argument, std::optional<int> user,
                              std::optional<int> limit) {
    QueueSettings arguments;
    if (argument) arguments.max_length = *argument;
    const PolicyDefinition p = policy("p", "", ApplyTo::kAll, 0, max_length(user.value_or(0)));
    const PolicyDefinition o = policy("o", "", ApplyTo::kAll, 0, max_length(limit.value_or(0)));
    return effective_queue_settings(arguments, user ? &p : nullptr, limit ? &o : nullptr)
        .max_length;
  };
  EXPECT_EQ(with_length({}, {}, {}), std::nullopt);
  EXPECT_EQ(with_length(5, {}, {}), 5);
  EXPECT_EQ(with_length({}, 5, {}), 5);
  EXPECT_EQ(with_length({}, {}, 5), 5);
  EXPECT_EQ(with_length(1, 2, 3), 1);
  EXPECT_EQ(with_length(3, 1, 2), 1);
  EXPECT_EQ(with_length(3, 2, 1), 1);
  EXPECT_EQ(with_length({}, 3, 2), 2);
}

TEST(EffectiveSettings, EveryNumberIsMerged) {
  const PolicyDefinition p = policy("p", "", ApplyTo::kAll, 0,
                                    FieldTableBuilder()
                                        .int32("message-ttl", 1)
                                        .int64("expires", 2)
                                        .int32("max-length", 3)
                                        .int32("max-length-bytes", 4)
                                        .int32("delivery-limit", 5)
                                        .int32("consumer-timeout", 6)
                                        .take());
  QueueSettings arguments;
  arguments.type = QueueType::kQuorum;
  const QueueSettings merged = effective_queue_settings(arguments, &p, nullptr);
  EXPECT_EQ(merged.message_ttl_ms, 1);
  EXPECT_EQ(merged.expires_ms, 2);
  EXPECT_EQ(merged.max_length, 3);
  EXPECT_EQ(merged.max_length_bytes, 4);
  EXPECT_EQ(merged.delivery_limit, 5);
  EXPECT_EQ(merged.consumer_timeout_ms, 6);
}

TEST(EffectiveSettings, DeliveryLimitIsForQuorumQueuesAndNegativeIsNone) {
  const auto limit_of = [](QueueType type, std::optional<int> argument, int user) {
    QueueSettings arguments;
    arguments.type = type;
    if (argument) arguments.delivery_limit = *argument;
    const PolicyDefinition p =
        policy("p", "", ApplyTo::kAll, 0, FieldTableBuilder().int32("delivery-limit", user).take());
    return effective_queue_settings(arguments, &p, nullptr).delivery_limit;
  };
  EXPECT_EQ(limit_of(QueueType::kClassic, {}, 3), std::nullopt);
  EXPECT_EQ(limit_of(QueueType::kQuorum, {}, 3), 3);
  EXPECT_EQ(limit_of(QueueType::kQuorum, {}, -1), std::nullopt);
  EXPECT_EQ(limit_of(QueueType::kQuorum, 4, -1), 4);
}

TEST(EffectiveSettings, ArgumentWinsForDeadLetterKeys) {
  const PolicyDefinition p = policy("p", "", ApplyTo::kAll, 0,
                                    FieldTableBuilder()
                                        .string("dead-letter-exchange", "policy-x")
                                        .string("dead-letter-routing-key", "policy-k")
                                        .take());
  QueueSettings arguments;
  EXPECT_EQ(effective_queue_settings(arguments, &p, nullptr).dead_letter_exchange, "policy-x");
  arguments.dead_letter_exchange = "";
  const QueueSettings merged = effective_queue_settings(arguments, &p, nullptr);
  EXPECT_EQ(merged.dead_letter_exchange, "");
  EXPECT_EQ(merged.dead_letter_routing_key, "policy-k");
}

TEST(EffectiveSettings, OverflowPrecedenceDependsOnTheQueueType) {
  const auto overflow = [](const char* value) {
    return policy("p", "", ApplyTo::kAll, 0, FieldTableBuilder().string("overflow", value).take());
  };
  const PolicyDefinition reject = overflow("reject-publish");
  const PolicyDefinition dlx = overflow("reject-publish-dlx");
  QueueSettings unset;
  QueueSettings declared;
  declared.overflow = Overflow::kDropHead;
  declared.overflow_declared = true;
  const auto merged = [](QueueSettings arguments, QueueType type, const PolicyDefinition* user,
                         const PolicyDefinition* limit) {
    arguments.type = type;
    return effective_queue_settings(arguments, user, limit).overflow;
  };
  EXPECT_EQ(merged(unset, QueueType::kClassic, nullptr, nullptr), Overflow::kDropHead);
  EXPECT_EQ(merged(unset, QueueType::kClassic, &reject, nullptr), Overflow::kRejectPublish);
  EXPECT_EQ(merged(declared, QueueType::kClassic, &reject, nullptr), Overflow::kDropHead);
  EXPECT_EQ(merged(declared, QueueType::kQuorum, &reject, nullptr), Overflow::kRejectPublish);
  EXPECT_EQ(merged(unset, QueueType::kClassic, &reject, &dlx), Overflow::kRejectPublishDlx);
}

TEST(EffectiveSettings, WithoutPoliciesTheArgumentsStand) {
  QueueSettings arguments;
  arguments.max_priority = 5;
  arguments.single_active_consumer = true;
  arguments.expires_ms = 9;
  EXPECT_EQ(effective_queue_settings(arguments, nullptr, nullptr), arguments);
}

TEST(EffectiveAlternateExchange, ArgumentWinsOverPolicy) {
  const PolicyDefinition p =
      policy("p", "", ApplyTo::kAll, 0,
             FieldTableBuilder().string("alternate-exchange", "from-policy").take());
  const PolicyDefinition without = policy("p", "", ApplyTo::kAll, 0, max_length(1));
  EXPECT_EQ(effective_alternate_exchange("own", &p), "own");
  EXPECT_EQ(effective_alternate_exchange(std::nullopt, &p), "from-policy");
  EXPECT_EQ(effective_alternate_exchange(std::nullopt, &without), std::nullopt);
  EXPECT_EQ(effective_alternate_exchange(std::nullopt, nullptr), std::nullopt);
}

std::string validate(const FieldTableBuilder& definition, bool operator_policy = false) {
  return validate_policy_definition(FieldTable(definition.bytes()), operator_policy).value_or("ok");
}

// RabbitMQ's texts.
TEST(PolicyValidation, WrongValuesAreToldAsRabbitMqDoes) {
  for (const auto& [key, what] : std::initializer_list<std::pair<const char*, std::string>>{
           {"alternate-exchange", "alternate exchange name"},
           {"dead-letter-exchange", "dead letter exchange name"},
           {"dead-letter-routing-key", "dead letter routing key"},
           {"dead-letter-strategy", "dead letter strategy"},
           {"message-ttl", "message TTL"},
           {"expires", "queue expiry"},
           {"max-length", "maximum length"},
           {"max-length-bytes", "maximum length in bytes"},
           {"max-in-memory-length", "maximum memory in bytes"},
           {"max-in-memory-bytes", "maximum memory in bytes"},
           {"queue-mode", "queue-mode value"},
           {"queue-version", "queue-version value"},
           {"overflow", "overflow value"},
       }) {
    EXPECT_EQ(validate(FieldTableBuilder().int32(key, -1)), "-1 is not a valid " + what);
  }
  EXPECT_EQ(validate(FieldTableBuilder().string("delivery-limit", "foo")),
            "<<\"foo\">> is not a valid delivery limit");
  EXPECT_EQ(validate(FieldTableBuilder().int32("expires", 0)), "0 is not a valid queue expiry");
  EXPECT_EQ(validate(FieldTableBuilder().string("overflow", "foo")),
            "<<\"foo\">> is not a valid overflow value");
}

TEST(PolicyValidation, ValuesArePrintedAsErlangTerms) {
  std::string array;
  protocol::append_array_string(array, "a");
  const std::string map = FieldTableBuilder().int32("a", 1).take();
  const std::string end = " is not a valid message TTL";
  EXPECT_EQ(validate(FieldTableBuilder().real("message-ttl", 1.5)), "1.5" + end);
  EXPECT_EQ(validate(FieldTableBuilder().boolean("message-ttl", true)), "true" + end);
  EXPECT_EQ(validate(FieldTableBuilder().nothing("message-ttl")), "null" + end);
  EXPECT_EQ(validate(FieldTableBuilder().array("message-ttl", array)), "[<<\"a\">>]" + end);
  EXPECT_EQ(validate(FieldTableBuilder().table("message-ttl", map)), "#{<<\"a\">> => 1}" + end);
  EXPECT_EQ(validate(FieldTableBuilder().string("message-ttl", "a\"\\")),
            "<<\"a\\\"\\\\\">>" + end);
}

TEST(PolicyValidation, UnknownKeysAreListed) {
  EXPECT_EQ(validate(FieldTableBuilder().int32("foo", 1)),
            "[{<<\"foo\">>,1}] are not recognised policy settings");
  EXPECT_EQ(validate(FieldTableBuilder().string("foo", "a").boolean("bar", true)),
            "[{<<\"bar\">>,true},{<<\"foo\">>,<<\"a\">>}] are not recognised policy settings");
  EXPECT_EQ(validate(FieldTableBuilder().int32("max-priority", 1)),
            "[{<<\"max-priority\">>,1}] are not recognised policy settings");
}

TEST(PolicyValidation, FirstBadKeyInAlphabeticalOrderIsToldAndBeforeUnknownOnes) {
  EXPECT_EQ(validate(FieldTableBuilder()
                         .int32("aaa", 1)
                         .int32("max-length", 1)
                         .int32("message-ttl", -1)
                         .int32("expires", 0)),
            "0 is not a valid queue expiry");
}

TEST(PolicyValidation, EmptyDefinitionIsNoPolicy) {
  EXPECT_EQ(validate(FieldTableBuilder()), "no policy provided");
}

TEST(PolicyValidation, OperatorsMaySetLimitsOnly) {
  for (const char* key : {"expires", "message-ttl", "max-length", "max-length-bytes",
                          "max-in-memory-bytes", "delivery-limit"}) {
    EXPECT_EQ(validate(FieldTableBuilder().int32(key, 1), true), "ok") << key;
  }
  EXPECT_EQ(validate(FieldTableBuilder().string("overflow", "reject-publish"), true), "ok");
  EXPECT_EQ(validate(FieldTableBuilder().string("alternate-exchange", "a"), true),
            "[{<<\"alternate-exchange\">>,<<\"a\">>}] are not recognised policy settings");
  EXPECT_EQ(validate(FieldTableBuilder().int32("max-length", -1), true),
            "-1 is not a valid maximum length");
}

TEST(PolicyValidation, KeysOfMirrorsStreamsAndFederationAreTaken) {
  EXPECT_EQ(validate(FieldTableBuilder()
                         .string("ha-mode", "all")
                         .string("ha-sync-mode", "automatic")
                         .string("federation-upstream-set", "all")
                         .string("max-age", "1D")
                         .string("queue-master-locator", "min-masters")),
            "ok");
}

}  // namespace
}  // namespace leveret::config
