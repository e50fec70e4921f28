#include "exchange/binding_index.h"

#include <memory>
#include <string>

namespace leveret::exchange {

Binding BindingRecord::to_binding() const {
  return {.source = std::string(source->name.view()),
          .destination = std::string(destination->name.view()),
          .to_exchange = destination->destination.is_exchange(),
          .routing_key = std::string(routing_key.view()),
          .arguments = std::string(arguments.view())};
}

BindingIndex::Identity BindingIndex::RecordTraits::lookup(const BindingRecord* record) {
  return {record->source, record->destination, record->routing_key.view(),
          record->arguments.view()};
}

bool BindingIndex::RecordTraits::equal(const BindingRecord* record, const Identity& identity) {
  return lookup(record) == identity;
}

std::uint64_t BindingIndex::RecordTraits::hash(const Identity& identity, unsigned round) {
  const auto number = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  const std::uint64_t ends = fold_multiply(number(identity.source) ^ kHashSecret.first,
                                           number(identity.destination) ^ kHashSecret.second);
  return fold_multiply(ends ^ hash_bytes(identity.routing_key, 2 * round),
                       hash_bytes(identity.arguments, 2 * round + 1));
}

void BindingIndex::clear() {
  by_identity_.for_each([](BindingRecord* record, Nothing) {
    record->source->outgoing.erase(record->source->outgoing.iterator_to(*record));
    record->destination->incoming.erase(record->destination->incoming.iterator_to(*record));
    delete record;
  });
  by_identity_.clear();
  size_ = 0;
}

BindingRecord* BindingIndex::find(const Identity& identity) const {
  BindingRecord* const* record = by_identity_.find_key(identity);
  return record == nullptr ? nullptr : *record;
}

BindingRecord& BindingIndex::add(ExchangeRecord& source, Endpoint& destination,
                                 const Binding& binding) {
  auto owned = std::make_unique<BindingRecord>();
  owned->source = &source;
  owned->destination = &destination;
  owned->routing_key = SharedString(binding.routing_key);
  owned->arguments = SharedString(binding.arguments);
  BindingRecord* record = owned.get();
  by_identity_.insert(RecordTraits::lookup(record), [record] { return record; });
  owned.release();
  source.outgoing.push_back(*record);
  destination.incoming.push_back(*record);
  ++size_;
  return *record;
}

void BindingIndex::remove(BindingRecord& record) {
  by_identity_.erase(RecordTraits::lookup(&record));
  record.source->outgoing.erase(record.source->outgoing.iterator_to(record));
  record.destination->incoming.erase(record.destination->incoming.iterator_to(record));
  delete &record;
  --size_;
}

}  // namespace leveret::exchange
