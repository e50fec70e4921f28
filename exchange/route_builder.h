#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "exchange/binding.h"
#include "exchange/exchange_type.h"
#include "exchange/route_snapshot.h"
#include "protocol/amqp_error.h"
#include "protocol/base/ids.h"

namespace leveret::exchange {

// The bindings of one vhost, and the snapshots made from them.
//
// Home loop: control. A change costs O(log n) copying in the number of bindings: everything that
// was not touched is shared with the snapshots before it. The default exchange ("") is implicit: a
// queue is reachable under its name as soon as it was added.
class RouteBuilder {
 public:
  RouteBuilder();
  ~RouteBuilder();

  // Also replaces the alternate exchange of an exchange that exists (a policy changed).
  // REQUIRES: the type is that of the exchange, if it exists.
  void put_exchange(const ExchangeSpec& spec);
  // Removes it and every binding from and to it; returns those bindings. Exchanges that refer to it
  // as alternate keep the name.
  std::vector<Binding> remove_exchange(std::string_view name);

  // Also gives a queue that exists another id (it moved to another loop).
  void put_queue(std::string_view name, QueueId id);
  // Removes it and every binding to it; returns those bindings, so that the caller can look after
  // auto-delete exchanges.
  std::vector<Binding> remove_queue(std::string_view name);

  // Checks the arguments of a binding to an exchange of this type: a headers exchange refuses a bad
  // x-match with RabbitMQ's 406 text.
  static std::optional<protocol::AmqpError> validate(ExchangeType source_type,
                                                     const Binding& binding);
  // False if the same binding exists. REQUIRES: source and destination exist; validate() passed.
  bool bind(const Binding& binding);
  bool contains(const Binding& binding) const;
  // False if there is no such binding.
  bool unbind(const Binding& binding);

  // Bindings with this exchange as source.
  std::size_t source_count(std::string_view exchange) const;
  std::vector<Binding> bindings_from(std::string_view exchange) const;
  std::vector<Binding> bindings_to(std::string_view destination, bool to_exchange) const;
  std::size_t binding_count() const;

  // The state as of now; the same object as before if nothing changed since.
  RouteSnapshotRef snapshot();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leveret::exchange
