#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/intrusive/list.hpp>

#include "exchange/binding.h"
#include "exchange/destination_set.h"
#include "exchange/persistent/map.h"
#include "exchange/persistent/shared_string.h"

namespace leveret::exchange {

struct FromSourceTag;
struct ToDestinationTag;
using FromSourceHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<FromSourceTag>,
                                     boost::intrusive::link_mode<boost::intrusive::normal_link>>;
using ToDestinationHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<ToDestinationTag>,
                                     boost::intrusive::link_mode<boost::intrusive::normal_link>>;

struct ExchangeRecord;
struct Endpoint;

// One binding as the builder keeps it: 64 bytes and the key.
struct BindingRecord : FromSourceHook, ToDestinationHook {
  ExchangeRecord* source = nullptr;
  Endpoint* destination = nullptr;
  SharedString routing_key;
  SharedString arguments;

  Binding to_binding() const;
};

// What a binding can lead to.
struct Endpoint {
  using Incoming =
      boost::intrusive::list<BindingRecord, boost::intrusive::base_hook<ToDestinationHook>,
                             boost::intrusive::constant_time_size<false>>;

  Endpoint(std::string_view endpoint_name, Destination endpoint_destination)
      : name(endpoint_name), destination(endpoint_destination) {}

  const SharedString name;
  Destination destination;
  Incoming incoming;
};

struct QueueRecord : Endpoint {
  QueueRecord(std::string_view queue_name, QueueId id)
      : Endpoint(queue_name, Destination::queue(id)) {}
};

struct ExchangeRecord : Endpoint {
  using Outgoing =
      boost::intrusive::list<BindingRecord, boost::intrusive::base_hook<FromSourceHook>>;

  ExchangeRecord(std::string_view exchange_name, ExchangeSlot slot)
      : Endpoint(exchange_name, Destination::exchange(slot)) {}

  ExchangeSlot slot() const { return destination.exchange_slot(); }

  Outgoing outgoing;
};

// Every binding of a vhost, by identity, by source and by destination. Owns the records; adding and
// removing one costs O(log n) whichever way it was found.
//
// Home loop: control. Lifetime: exchanges and queues outlive their bindings here.
class BindingIndex {
 public:
  struct Identity {
    const ExchangeRecord* source;
    const Endpoint* destination;
    std::string_view routing_key;
    std::string_view arguments;

    friend bool operator==(const Identity&, const Identity&) = default;
  };

  BindingIndex() = default;
  BindingIndex(const BindingIndex&) = delete;
  BindingIndex& operator=(const BindingIndex&) = delete;
  ~BindingIndex() { clear(); }

  // Null if there is none.
  BindingRecord* find(const Identity& identity) const;
  // REQUIRES: !find() of the same.
  BindingRecord& add(ExchangeRecord& source, Endpoint& destination, const Binding& binding);
  void remove(BindingRecord& record);
  void clear();
  std::size_t size() const { return size_; }

 private:
  struct RecordTraits {
    using Key = BindingRecord*;
    using Value = Nothing;
    using Lookup = Identity;
    static Identity lookup(const BindingRecord* record);
    static bool equal(const BindingRecord* record, const Identity& identity);
    static std::uint64_t hash(const Identity& identity, unsigned round);
  };

  // Never copied, so that every change works in place; grows without the pauses of a rehash.
  PersistentMap<RecordTraits> by_identity_;
  std::size_t size_ = 0;
};

}  // namespace leveret::exchange
