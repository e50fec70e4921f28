#include "protocol/wire_reader.h"

namespace leveret::protocol {

FieldTable WireReader::table() {
  const std::string_view entries = bytes(long_uint());
  if (entries.empty()) return {};
  switch (validate_table(entries)) {
    case TableError::kNone:
      return FieldTable(entries);
    case TableError::kTooDeep:
      fail(WireError::kTableTooDeep);
      break;
    case TableError::kTruncated:
    case TableError::kUnknownType:
      fail(WireError::kBadTable);
      break;
  }
  return {};
}

}  // namespace leveret::protocol
