#include "exchange/headers.h"

#include "exchange/match_context.h"
#include "protocol/base/assert.h"
#include "protocol/erlang_text.h"

namespace leveret::exchange {
namespace {

constexpr std::string_view kMatch = "x-match";

bool is_match_kind(std::string_view text) {
  return text == "all" || text == "any" || text == "all-with-x" || text == "any-with-x";
}

}  // namespace

std::optional<protocol::AmqpError> validate_headers_binding(const protocol::FieldTable& arguments) {
  const std::optional<protocol::FieldValue> value = arguments.find(kMatch);
  if (!value) return std::nullopt;
  const std::optional<std::string_view> text = value->string();
  if (!text) {
    return protocol::make_error(protocol::ReplyCode::kPreconditionFailed,
                                "Invalid x-match field type " + std::string(value->type_name()) +
                                    " (value " + value->to_text() + "); expected longstr");
  }
  if (is_match_kind(*text)) return std::nullopt;
  return protocol::make_error(protocol::ReplyCode::kPreconditionFailed,
                              "Invalid x-match field value " + protocol::erlang_binary(*text) +
                                  "; expected all, any, all-with-x, or any-with-x");
}

HeaderCondition HeadersMatcher::SiteTraits::lookup(const SharedString& key) {
  std::string_view bytes = key.view();
  return HeaderCondition::take_from(&bytes);
}

bool HeadersMatcher::SiteTraits::equal(const SharedString& key, const HeaderCondition& condition) {
  return lookup(key) == condition;
}

std::uint64_t HeadersMatcher::SiteTraits::hash(const HeaderCondition& condition, unsigned round) {
  return condition.hash(round);
}

std::unique_ptr<Matcher> HeadersMatcher::clone() const {
  return std::make_unique<HeadersMatcher>(*this);
}

HeadersMatcher::Rule HeadersMatcher::parse(std::string_view arguments) {
  const protocol::FieldTable table(arguments);
  std::string_view match = "all";
  if (const std::optional<protocol::FieldValue> value = table.find(kMatch)) {
    match = value->string().value_or(match);
  }
  const bool with_x = match.ends_with("-with-x");
  Rule rule{match.starts_with("any"), {}};
  for (const protocol::FieldTable::Entry& entry : table) {
    if (entry.name == kMatch || (!with_x && entry.name.starts_with("x-"))) continue;
    rule.conditions.push_back(
        {entry.name, 0, entry.value.is_void() ? PlainValue::any() : PlainValue(entry.value)});
  }
  sort_conditions(&rule.conditions);
  return rule;
}

std::string HeadersMatcher::encode(const Rule& rule) {
  std::string bytes;
  for (const HeaderCondition& condition : rule.conditions) condition.append_to(&bytes);
  return bytes;
}

HeadersMatcher::Site& HeadersMatcher::make_site(const HeaderCondition& condition) {
  const auto [site, fresh] = sites_.insert(condition, [&] {
    std::string bytes;
    condition.append_to(&bytes);
    return SharedString(bytes);
  });
  if (fresh && condition.value.is_any()) ++presence_sites_;
  return *site;
}

void HeadersMatcher::tidy_site(const HeaderCondition& condition) {
  if (!sites_.find(condition)->empty()) return;
  sites_.erase(condition);
  if (condition.value.is_any()) --presence_sites_;
}

std::optional<HeaderCondition> HeadersMatcher::find_site(const Rule& rule,
                                                         std::string_view encoded) const {
  for (const HeaderCondition& condition : rule.conditions) {
    const Site* site = sites_.find(condition);
    if (site != nullptr && site->rules.find(encoded) != nullptr) return condition;
  }
  return std::nullopt;
}

// Where the fewest rules stand; among equals, one that asks for a value, as fewer messages have it.
HeaderCondition HeadersMatcher::choose_site(const Rule& rule) const {
  const HeaderCondition* best = nullptr;
  std::size_t best_cost = 0;
  for (const HeaderCondition& condition : rule.conditions) {
    const Site* site = sites_.find(condition);
    const std::size_t rules = site != nullptr ? site->rule_count : 0;
    const std::size_t cost = rules * 2 + (condition.value.is_any() ? 1 : 0);
    if (best != nullptr && best_cost <= cost) continue;
    best = &condition;
    best_cost = cost;
  }
  return *best;
}

void HeadersMatcher::add(const BoundKey& binding) {
  const Rule rule = parse(binding.arguments.view());
  if (rule.any || rule.conditions.size() == 1) {
    for (const HeaderCondition& condition : rule.conditions) {
      make_site(condition).decided.add(binding.destination);
    }
    return;
  }
  if (rule.conditions.empty()) {
    unconditional_.add(binding.destination);
    return;
  }
  const std::string encoded = encode(rule);
  const std::optional<HeaderCondition> known = find_site(rule, encoded);
  Site& site = make_site(known ? *known : choose_site(rule));
  site.rules.insert(encoded, [&] { return SharedString(encoded); }).value->add(binding.destination);
  if (!known) ++site.rule_count;
}

void HeadersMatcher::remove(const BoundKey& binding) {
  const Rule rule = parse(binding.arguments.view());
  if (rule.any || rule.conditions.size() == 1) {
    for (const HeaderCondition& condition : rule.conditions) {
      sites_.edit(condition)->decided.remove(binding.destination);
      tidy_site(condition);
    }
    return;
  }
  if (rule.conditions.empty()) {
    unconditional_.remove(binding.destination);
    return;
  }
  const std::string encoded = encode(rule);
  const std::optional<HeaderCondition> where = find_site(rule, encoded);
  LEVERET_ASSERT(where.has_value());
  Site& site = *sites_.edit(*where);
  DestinationSet& set = *site.rules.edit(encoded);
  set.remove(binding.destination);
  if (!set.empty()) return;
  site.rules.erase(encoded);
  --site.rule_count;
  tidy_site(*where);
}

void HeadersMatcher::match_site(const HeaderCondition& condition, MatchContext& context) const {
  const Site* site = sites_.find(condition);
  if (site == nullptr) return;
  context.found.add(site->decided);
  site->rules.for_each([&](const SharedString& conditions, const DestinationSet& set) {
    if (context.headers.satisfy_all(conditions.view())) context.found.add(set);
  });
}

void HeadersMatcher::match(const RouteRequest& request, MatchContext& context) const {
  context.found.add(unconditional_);
  if (sites_.empty()) return;
  for (const HeaderCondition& header : context.headers.load(request.headers)) {
    match_site(header, context);
    if (presence_sites_ == 0) continue;
    match_site({header.name, header.occurrence, PlainValue::any()}, context);
  }
}

}  // namespace leveret::exchange
