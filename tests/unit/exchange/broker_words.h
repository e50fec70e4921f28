#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/route_builder.h"
#include "exchange/router.h"

namespace leveret::exchange::testing {

// A vhost's routes in few words: exchanges, queues and bindings are made by name, and a message's
// queues come back as their names, sorted and in one string.
class Routes {
 public:
  struct Message {
    std::string_view key;
    std::vector<std::string_view> extra_keys = {};
    std::string_view headers = {};
  };

  void exchange(std::string_view name, std::string_view type,
                std::optional<std::string> alternate = std::nullopt) {
    builder.put_exchange({.name = std::string(name),
                          .type = *parse_exchange_type(type),
                          .alternate_exchange = std::move(alternate)});
  }
  void queues(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      names_.emplace_back(name);
      builder.put_queue(name, {static_cast<std::uint32_t>(names_.size() - 1), 1, 0});
    }
  }
  static Binding to_queue(std::string source, std::string queue, std::string key = "",
                          std::string arguments = "") {
    return {std::move(source), std::move(queue), false, std::move(key), std::move(arguments)};
  }
  static Binding to_exchange(std::string source, std::string destination, std::string key = "") {
    return {std::move(source), std::move(destination), true, std::move(key), ""};
  }
  bool bind(const Binding& binding) { return builder.bind(binding); }

  std::string publish(std::string_view exchange, const Message& message) {
    const RouteSnapshotRef snapshot = builder.snapshot();
    RouteRequest request{.exchange = exchange,
                         .routing_key = message.key,
                         .extra_keys = message.extra_keys,
                         .headers = protocol::FieldTable(message.headers)};
    std::vector<QueueId> ids;
    outcome = router.route(*snapshot, request, &ids);
    std::vector<std::string> names;
    for (const QueueId& id : ids) names.push_back(names_[id.index]);
    std::ranges::sort(names);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }
  std::string publish(std::string_view exchange, std::string_view key) {
    return publish(exchange, Message{.key = key});
  }

  RouteBuilder builder;
  Router router;
  RouteOutcome outcome;

 private:
  std::vector<std::string> names_;
};

}  // namespace leveret::exchange::testing
