#include "exchange/route_builder.h"

#include <memory>
#include <utility>

#include "exchange/binding_index.h"
#include "exchange/headers.h"
#include "exchange/route_tables.h"
#include "protocol/base/assert.h"

namespace leveret::exchange {
namespace {

template <typename List>
std::vector<Binding> to_bindings(const List& records) {
  std::vector<Binding> bindings;
  for (const BindingRecord& record : records) bindings.push_back(record.to_binding());
  return bindings;
}

BoundKey bound_key(const BindingRecord& record) {
  return {record.routing_key, record.arguments, record.destination->destination};
}

}  // namespace

// The maps of records are never copied, so that they change in place; they are the persistent ones
// because those grow without the pauses of a rehash. State owns the records.
struct RouteBuilder::State {
  ~State();

  StringMap<ExchangeRecord*> exchanges;
  StringMap<QueueRecord*> queues;
  BindingIndex bindings;

  // As the next snapshot shows it.
  RouteTables tables;
  RouteSnapshotRef last;
  bool changed = true;

  // Slots of exchanges that are gone, and the first one never used.
  std::vector<ExchangeSlot> free_slots;
  std::uint32_t next_slot = 0;

  ExchangeRecord* find_exchange(std::string_view name) const;
  Endpoint* find_endpoint(std::string_view name, bool is_exchange) const;
  ExchangeSlot take_slot();
  // The exchange, to be changed: a copy if a snapshot shares it.
  Exchange& edit(const ExchangeRecord& record);
  BindingRecord* find_binding(const Binding& binding) const;
  void remove_binding(BindingRecord& record);
  // Removes every binding to it and adds those bindings to *removed.
  void remove_incoming(Endpoint& endpoint, std::vector<Binding>* removed);
};

RouteBuilder::State::~State() {
  bindings.clear();
  exchanges.for_each([](const SharedString&, ExchangeRecord* record) { delete record; });
  queues.for_each([](const SharedString&, QueueRecord* record) { delete record; });
}

ExchangeRecord* RouteBuilder::State::find_exchange(std::string_view name) const {
  ExchangeRecord* const* record = exchanges.find(name);
  return record == nullptr ? nullptr : *record;
}

Endpoint* RouteBuilder::State::find_endpoint(std::string_view name, bool is_exchange) const {
  if (is_exchange) return find_exchange(name);
  QueueRecord* const* record = queues.find(name);
  return record == nullptr ? nullptr : *record;
}

ExchangeSlot RouteBuilder::State::take_slot() {
  if (free_slots.empty()) return {next_slot++};
  const ExchangeSlot slot = free_slots.back();
  free_slots.pop_back();
  return slot;
}

Exchange& RouteBuilder::State::edit(const ExchangeRecord& record) {
  changed = true;
  Ref<Exchange>& exchange = *tables.exchanges.edit(record.slot());
  if (!exchange->has_one_owner()) exchange = new Exchange(*exchange);
  return *exchange;
}

BindingRecord* RouteBuilder::State::find_binding(const Binding& binding) const {
  const ExchangeRecord* source = find_exchange(binding.source);
  const Endpoint* destination = find_endpoint(binding.destination, binding.to_exchange);
  if (source == nullptr || destination == nullptr) return nullptr;
  return bindings.find({source, destination, binding.routing_key, binding.arguments});
}

void RouteBuilder::State::remove_binding(BindingRecord& record) {
  edit(*record.source).matcher->remove(bound_key(record));
  bindings.remove(record);
}

void RouteBuilder::State::remove_incoming(Endpoint& endpoint, std::vector<Binding>* removed) {
  while (!endpoint.incoming.empty()) {
    BindingRecord& record = endpoint.incoming.front();
    removed->push_back(record.to_binding());
    remove_binding(record);
  }
}

RouteBuilder::RouteBuilder() : state_(std::make_unique<State>()) {}
RouteBuilder::~RouteBuilder() = default;

void RouteBuilder::put_exchange(const ExchangeSpec& spec) {
  if (const ExchangeRecord* record = state_->find_exchange(spec.name)) {
    const Exchange& now = **state_->tables.exchanges.find(record->slot());
    LEVERET_ASSERT(now.info.type == spec.type);
    if (now.info.internal == spec.internal &&
        now.alternate.view() == spec.alternate_exchange.value_or(std::string())) {
      return;
    }
    Exchange& exchange = state_->edit(*record);
    exchange.info.internal = spec.internal;
    exchange.set_alternate(spec.alternate_exchange);
    return;
  }
  const ExchangeSlot slot = state_->take_slot();
  auto* record = new ExchangeRecord(spec.name, slot);
  const auto name = [&] { return record->name; };
  *state_->tables.exchange_slots.insert(spec.name, name).value = slot;
  *state_->tables.exchanges.insert(slot, [slot] { return slot; }).value = new Exchange(spec);
  *state_->exchanges.insert(spec.name, name).value = record;
  state_->changed = true;
}

std::vector<Binding> RouteBuilder::remove_exchange(std::string_view name) {
  std::vector<Binding> removed;
  ExchangeRecord* record = state_->find_exchange(name);
  if (record == nullptr) return removed;
  // Its own bindings go with its matcher: no need to take them out one by one.
  while (!record->outgoing.empty()) {
    BindingRecord& binding = record->outgoing.front();
    removed.push_back(binding.to_binding());
    state_->bindings.remove(binding);
  }
  state_->remove_incoming(*record, &removed);
  state_->tables.exchange_slots.erase(name);
  state_->tables.exchanges.erase(record->slot());
  state_->free_slots.push_back(record->slot());
  state_->exchanges.erase(name);
  delete record;
  state_->changed = true;
  return removed;
}

void RouteBuilder::put_queue(std::string_view name, QueueId id) {
  Endpoint* known = state_->find_endpoint(name, false);
  if (known != nullptr && known->destination == Destination::queue(id)) return;
  state_->changed = true;
  if (known == nullptr) {
    auto* record = new QueueRecord(name, id);
    const auto shared_name = [&] { return record->name; };
    *state_->queues.insert(name, shared_name).value = record;
    *state_->tables.queues.insert(name, shared_name).value = id;
    return;
  }
  *state_->tables.queues.edit(name) = id;
  BoundKey moved{{}, {}, Destination::queue(id)};
  for (const BindingRecord& binding : known->incoming) {
    moved.routing_key = binding.routing_key;
    moved.arguments = binding.arguments;
    Matcher& matcher = *state_->edit(*binding.source).matcher;
    matcher.remove(bound_key(binding));
    matcher.add(moved);
  }
  known->destination = moved.destination;
}

std::vector<Binding> RouteBuilder::remove_queue(std::string_view name) {
  std::vector<Binding> removed;
  QueueRecord* const* found = state_->queues.find(name);
  if (found == nullptr) return removed;
  QueueRecord* record = *found;
  state_->remove_incoming(*record, &removed);
  state_->tables.queues.erase(name);
  state_->queues.erase(name);
  delete record;
  state_->changed = true;
  return removed;
}

std::optional<protocol::AmqpError> RouteBuilder::validate(ExchangeType source_type,
                                                          const Binding& binding) {
  if (source_type != ExchangeType::kHeaders) return std::nullopt;
  return validate_headers_binding(protocol::FieldTable(binding.arguments));
}

bool RouteBuilder::bind(const Binding& binding) {
  ExchangeRecord* source = state_->find_exchange(binding.source);
  Endpoint* destination = state_->find_endpoint(binding.destination, binding.to_exchange);
  LEVERET_ASSERT(source != nullptr && destination != nullptr);
  if (state_->bindings.find({source, destination, binding.routing_key, binding.arguments})) {
    return false;
  }
  const BindingRecord& record = state_->bindings.add(*source, *destination, binding);
  state_->edit(*source).matcher->add(bound_key(record));
  return true;
}

bool RouteBuilder::contains(const Binding& binding) const {
  return state_->find_binding(binding) != nullptr;
}

bool RouteBuilder::unbind(const Binding& binding) {
  BindingRecord* record = state_->find_binding(binding);
  if (record == nullptr) return false;
  state_->remove_binding(*record);
  return true;
}

std::size_t RouteBuilder::source_count(std::string_view exchange) const {
  const ExchangeRecord* record = state_->find_exchange(exchange);
  return record == nullptr ? 0 : record->outgoing.size();
}

std::vector<Binding> RouteBuilder::bindings_from(std::string_view exchange) const {
  const ExchangeRecord* record = state_->find_exchange(exchange);
  return record == nullptr ? std::vector<Binding>() : to_bindings(record->outgoing);
}

std::vector<Binding> RouteBuilder::bindings_to(std::string_view destination,
                                               bool to_exchange) const {
  const Endpoint* record = state_->find_endpoint(destination, to_exchange);
  return record == nullptr ? std::vector<Binding>() : to_bindings(record->incoming);
}

std::size_t RouteBuilder::binding_count() const {
  return state_->bindings.size();
}

RouteSnapshotRef RouteBuilder::snapshot() {
  if (!state_->changed) return state_->last;
  const std::uint64_t version = state_->last ? state_->last->version() + 1 : 1;
  state_->last = std::make_shared<const RouteSnapshot>(version, state_->tables);
  state_->changed = false;
  return state_->last;
}

}  // namespace leveret::exchange
