#include "naive_router.h"

#include <algorithm>
#include <map>

#include "naive_topic.h"

namespace leveret::exchange::naive {
namespace {

using protocol::FieldTable;
using protocol::FieldValue;

bool is_number(const FieldValue& value) {
  return value.number().has_value() || value.type == 'T';
}

bool equal_values(const FieldValue& a, const FieldValue& b) {
  const auto is_text = [](const FieldValue& v) { return v.type == 'S' || v.type == 'x'; };
  const auto is_list = [](const FieldValue& v) { return v.type == 'A' || v.type == 'F'; };
  // 64 bits of mantissa hold every int64 and every double.
  const auto wide = [](const FieldValue& v) {
    return v.integer() ? static_cast<long double>(*v.integer())
                       : static_cast<long double>(*v.number());
  };
  if (is_number(a) && is_number(b)) return wide(a) == wide(b);
  if (is_text(a) && is_text(b)) return a.payload == b.payload;
  if (is_list(a) && is_list(b) && a.payload.empty() && b.payload.empty()) return true;
  return a.type == b.type && a.payload == b.payload && a.type != 'V';
}

std::map<std::string, std::vector<FieldValue>> by_name(std::string_view table) {
  std::map<std::string, std::vector<FieldValue>> values;
  for (const FieldTable::Entry& entry : FieldTable(table)) {
    values[std::string(entry.name)].push_back(entry.value);
  }
  return values;
}

}  // namespace

bool headers_match(std::string_view arguments, std::string_view headers) {
  std::string kind = "all";
  if (const auto match = FieldTable(arguments).find("x-match")) kind = *match->string();
  const bool with_x = kind == "all-with-x" || kind == "any-with-x";
  const bool any = kind == "any" || kind == "any-with-x";
  bool all_hold = true;
  bool one_holds = false;
  auto offered = by_name(headers);
  for (const auto& [name, wanted] : by_name(arguments)) {
    if (name == "x-match" || (!with_x && name.substr(0, 2) == "x-")) continue;
    const std::vector<FieldValue>& values = offered[name];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool holds =
          i < values.size() && (wanted[i].type == 'V' || equal_values(wanted[i], values[i]));
      all_hold = all_hold && holds;
      one_holds = one_holds || holds;
    }
  }
  return any ? one_holds : all_hold;
}

std::vector<Binding> NaiveRouter::remove_exchange(const std::string& name) {
  std::vector<Binding> removed;
  std::erase_if(bindings, [&](const Binding& b) {
    const bool goes = b.source == name || (b.to_exchange && b.destination == name);
    if (goes) removed.push_back(b);
    return goes;
  });
  exchanges.erase(name);
  return removed;
}

std::vector<Binding> NaiveRouter::remove_queue(const std::string& name) {
  std::vector<Binding> removed;
  std::erase_if(bindings, [&](const Binding& b) {
    const bool goes = !b.to_exchange && b.destination == name;
    if (goes) removed.push_back(b);
    return goes;
  });
  queues.erase(name);
  return removed;
}

bool NaiveRouter::bind(const Binding& binding) {
  if (std::ranges::find(bindings, binding) != bindings.end()) return false;
  bindings.push_back(binding);
  return true;
}

bool NaiveRouter::unbind(const Binding& binding) {
  return std::erase_if(bindings, [&](const Binding& b) { return b == binding; }) > 0;
}

bool NaiveRouter::matches(const ExchangeSpec& source, const Binding& binding,
                          const RouteRequest& request) const {
  std::vector<std::string_view> keys{request.routing_key};
  keys.insert(keys.end(), request.extra_keys.begin(), request.extra_keys.end());
  return std::ranges::any_of(keys, [&](std::string_view key) {
    switch (source.type) {
      case ExchangeType::kDirect:
        return binding.routing_key == key;
      case ExchangeType::kFanout:
        return true;
      case ExchangeType::kTopic:
        return topic_matches(binding.routing_key, key);
      case ExchangeType::kHeaders:
        return headers_match(binding.arguments, request.headers.bytes());
    }
    return false;
  });
}

NaiveRouter::Route NaiveRouter::route(const RouteRequest& request) const {
  Route route;
  if (request.exchange.empty()) {
    const auto add = [&](std::string_view key) {
      const auto queue = queues.find(std::string(key));
      if (queue != queues.end()) route.queues.insert(queue->second);
    };
    add(request.routing_key);
    for (const std::string_view key : request.extra_keys) add(key);
    return route;
  }
  route.found_exchange = exchanges.contains(std::string(request.exchange));
  std::vector<std::string> left;
  std::set<std::string> visited;
  const auto visit = [&](const std::string& name) {
    if (exchanges.contains(name) && visited.insert(name).second) left.push_back(name);
  };
  visit(std::string(request.exchange));
  while (!left.empty()) {
    const ExchangeSpec& exchange = exchanges.at(left.back());
    left.pop_back();
    if (exchange.type == ExchangeType::kHeaders) route.cacheable = false;
    bool matched = false;
    for (const Binding& binding : bindings) {
      if (binding.source != exchange.name || !matches(exchange, binding, request)) continue;
      matched = true;
      if (binding.to_exchange) {
        visit(binding.destination);
      } else {
        route.queues.insert(queues.at(binding.destination));
      }
    }
    if (!matched && exchange.alternate_exchange) visit(*exchange.alternate_exchange);
  }
  return route;
}

}  // namespace leveret::exchange::naive
