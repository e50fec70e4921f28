#include "exchange/binding.h"

#include <algorithm>
#include <vector>

#include "protocol/field_table.h"

namespace leveret::exchange {

std::string sort_arguments(std::string_view arguments) {
  const protocol::FieldTable table(arguments);
  std::vector<protocol::FieldTable::Entry> entries;
  for (const protocol::FieldTable::Entry& entry : table) entries.push_back(entry);
  std::ranges::stable_sort(entries, {}, &protocol::FieldTable::Entry::name);
  protocol::FieldTableBuilder sorted;
  for (const protocol::FieldTable::Entry& entry : entries) sorted.value(entry.name, entry.value);
  return sorted.take();
}

}  // namespace leveret::exchange
