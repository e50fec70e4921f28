#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/binding.h"
#include "exchange/router.h"

namespace leveret::exchange::naive {

bool headers_match(std::string_view arguments, std::string_view headers);

// What RouteBuilder and Router together promise, by scanning lists.
class NaiveRouter {
 public:
  struct Route {
    std::set<QueueId> queues;
    bool found_exchange = true;
    bool cacheable = true;

    friend bool operator==(const Route&, const Route&) = default;
  };

  void put_exchange(const ExchangeSpec& spec) { exchanges[spec.name] = spec; }
  std::vector<Binding> remove_exchange(const std::string& name);
  void put_queue(const std::string& name, QueueId id) { queues[name] = id; }
  std::vector<Binding> remove_queue(const std::string& name);
  bool bind(const Binding& binding);
  bool unbind(const Binding& binding);
  Route route(const RouteRequest& request) const;

  std::map<std::string, ExchangeSpec> exchanges;
  std::map<std::string, QueueId> queues;
  std::vector<Binding> bindings;

 private:
  bool matches(const ExchangeSpec& source, const Binding& binding,
               const RouteRequest& request) const;
};

}  // namespace leveret::exchange::naive
