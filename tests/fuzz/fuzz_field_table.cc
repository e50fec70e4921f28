#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/assert.h"
#include "protocol/field_table.h"

// A table's entries. A valid table comes back byte for byte when it is rebuilt value by value; an
// invalid one can be iterated without harm.
namespace {

using namespace leveret::protocol;

std::string rebuilt(FieldTable table);

std::string rebuilt(FieldArray array) {
  std::string out;
  for (const FieldValue& value : array) {
    const auto table = value.table();
    const auto nested = value.array();
    const std::string payload = table    ? rebuilt(*table)
                                : nested ? rebuilt(*nested)
                                         : std::string(value.payload);
    append_array_value(out, {value.type, payload});
  }
  return out;
}

std::string rebuilt(FieldTable table) {
  FieldTableBuilder builder;
  for (const auto& [name, value] : table) {
    const auto nested = value.table();
    const auto array = value.array();
    const std::string payload = nested  ? rebuilt(*nested)
                                : array ? rebuilt(*array)
                                        : std::string(value.payload);
    builder.value(name, {value.type, payload});
    LEVERET_ASSERT(value.to_text().size() < value.payload.size() + (1 << 20));
  }
  return builder.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const FieldTable table(bytes);
  if (validate_table(bytes) == TableError::kNone) {
    LEVERET_ASSERT(rebuilt(table) == bytes);
    return 0;
  }
  for (const auto& entry : table) LEVERET_ASSERT(entry.name.size() <= 255);
  return 0;
}
