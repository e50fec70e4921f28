#include "exchange/route_tables.h"

namespace leveret::exchange {

Exchange::Exchange(const ExchangeSpec& spec)
    : info{spec.type, spec.internal}, matcher(make_matcher(spec)) {
  set_alternate(spec.alternate_exchange);
}

Exchange::Exchange(const Exchange& other)
    : RefCounted(other),
      info(other.info),
      alternate(other.alternate),
      matcher(other.matcher->clone()) {}

void Exchange::set_alternate(const std::optional<std::string>& name) {
  alternate = SharedString(name.value_or(std::string()));
}

const Exchange* RouteTables::find_exchange(std::string_view name) const {
  const ExchangeSlot* slot = exchange_slots.find(name);
  return slot == nullptr ? nullptr : exchanges.find(*slot)->get();
}

}  // namespace leveret::exchange
