#pragma once

#include <memory>
#include <optional>
#include <string>

#include "exchange/header_condition.h"
#include "exchange/matcher.h"
#include "exchange/persistent/string_map.h"
#include "protocol/amqp_error.h"
#include "protocol/field_table.h"

namespace leveret::exchange {

// Refuses an x-match that is none of the four, with RabbitMQ's 406 text.
std::optional<protocol::AmqpError> validate_headers_binding(const protocol::FieldTable& arguments);

// Destinations whose binding arguments match the message's headers.
//
// x-match: `all` (the default) or `any` of the arguments, without those whose names begin with
// `x-`; `all-with-x` or `any-with-x` of the arguments, without x-match itself.
//
// Conditions are indexed by header and value. A binding that one condition decides (`any`, or `all`
// with one condition) stands at each of its conditions; one that needs several stands at that of
// them where the fewest others do, and the rest is checked for messages that meet it.
class HeadersMatcher final : public Matcher {
 public:
  std::unique_ptr<Matcher> clone() const override;
  void add(const BoundKey& binding) override;
  void remove(const BoundKey& binding) override;
  void match(const RouteRequest& request, MatchContext& context) const override;
  bool looks_at_headers() const override { return true; }

 private:
  struct Site {
    // Of bindings that this condition alone decides.
    DestinationSet decided;
    // By all of its conditions, encoded: bindings that need them all.
    StringMap<DestinationSet> rules;
    std::uint32_t rule_count = 0;

    bool empty() const { return decided.empty() && rules.empty(); }
  };
  struct SiteTraits {
    using Key = SharedString;  // the condition, encoded
    using Value = Site;
    using Lookup = HeaderCondition;
    static HeaderCondition lookup(const SharedString& key);
    static bool equal(const SharedString& key, const HeaderCondition& condition);
    static std::uint64_t hash(const HeaderCondition& condition, unsigned round);
  };
  struct Rule {
    bool any = false;
    std::vector<HeaderCondition> conditions;
  };

  static Rule parse(std::string_view arguments);
  static std::string encode(const Rule& rule);
  Site& make_site(const HeaderCondition& condition);
  // Drops the site if nothing stands there any more.
  void tidy_site(const HeaderCondition& condition);
  // The condition at which the rule stands; empty if it stands nowhere.
  std::optional<HeaderCondition> find_site(const Rule& rule, std::string_view encoded) const;
  HeaderCondition choose_site(const Rule& rule) const;
  void match_site(const HeaderCondition& condition, MatchContext& context) const;

  PersistentMap<SiteTraits> sites_;
  // Of those, sites of conditions that only ask for presence.
  std::size_t presence_sites_ = 0;
  // Of bindings with `all` of no conditions.
  DestinationSet unconditional_;
};

}  // namespace leveret::exchange
