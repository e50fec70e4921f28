#include "protocol/field_table.h"

#include <bit>

#include "protocol/limits.h"
#include "protocol/utf8.h"

namespace leveret::protocol {

namespace {

void append_u32(std::string& out, std::uint32_t v) {
  char bytes[sizeof v];
  store_u32(bytes, v);
  out.append(bytes, sizeof v);
}

void append_u64(std::string& out, std::uint64_t v) {
  char bytes[sizeof v];
  store_u64(bytes, v);
  out.append(bytes, sizeof v);
}

void append_sized(std::string& out, std::string_view v) {
  append_u32(out, static_cast<std::uint32_t>(v.size()));
  out.append(v);
}

bool has_size(char type) {
  return detail::kPayloadBytes[static_cast<std::uint8_t>(type)] == detail::kSizedPayload;
}

// Why read_value() refused these bytes.
TableError refusal(std::string_view rest) {
  const bool unknown = !rest.empty() && detail::kPayloadBytes[static_cast<std::uint8_t>(rest[0])] ==
                                            detail::kUnknownType;
  return unknown ? TableError::kUnknownType : TableError::kTruncated;
}

}  // namespace

std::optional<FieldValue> FieldTable::find(std::string_view name) const {
  for (const Entry& entry : *this) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

TableError validate_table(std::string_view bytes) {
  // Where the enclosing tables and arrays end. Left uninitialised: most tables nest nothing.
  struct Level {
    const char* end;
    bool is_array;
  };
  std::array<Level, kTableDepthMax> outer;
  std::size_t depth = 0;
  Level level{bytes.data() + bytes.size(), false};
  const char* at = bytes.data();
  for (;;) {
    if (at == level.end) {
      if (depth == 0) return TableError::kNone;
      level = outer[--depth];
      continue;
    }
    std::string_view rest(at, static_cast<std::size_t>(level.end - at));
    std::string_view name;
    if (!level.is_array && !detail::read_name(&rest, &name)) return TableError::kTruncated;
    FieldValue value;
    if (!read_value(&rest, &value)) return refusal(rest);
    at = rest.data();
    if (value.type != 'F' && value.type != 'A') continue;
    // The outermost table is the first level.
    if (depth + 1 >= outer.size()) return TableError::kTooDeep;
    outer[depth++] = level;
    at = value.payload.data();
    level = {at + value.payload.size(), value.type == 'A'};
  }
}

void FieldTableBuilder::key(std::string_view name, char type) {
  if (name.size() > kShortStringMax) name = name.substr(0, utf8_cut(name, kShortStringMax));
  bytes_ += static_cast<char>(name.size());
  bytes_.append(name);
  bytes_ += type;
}

FieldTableBuilder& FieldTableBuilder::boolean(std::string_view name, bool v) {
  key(name, 't');
  bytes_ += v ? '\1' : '\0';
  return *this;
}

FieldTableBuilder& FieldTableBuilder::int32(std::string_view name, std::int32_t v) {
  key(name, 'I');
  append_u32(bytes_, static_cast<std::uint32_t>(v));
  return *this;
}

FieldTableBuilder& FieldTableBuilder::int64(std::string_view name, std::int64_t v) {
  key(name, 'l');
  append_u64(bytes_, static_cast<std::uint64_t>(v));
  return *this;
}

FieldTableBuilder& FieldTableBuilder::real(std::string_view name, double v) {
  key(name, 'd');
  append_u64(bytes_, std::bit_cast<std::uint64_t>(v));
  return *this;
}

FieldTableBuilder& FieldTableBuilder::string(std::string_view name, std::string_view v) {
  key(name, 'S');
  append_sized(bytes_, v);
  return *this;
}

FieldTableBuilder& FieldTableBuilder::timestamp(std::string_view name, std::uint64_t seconds) {
  key(name, 'T');
  append_u64(bytes_, seconds);
  return *this;
}

FieldTableBuilder& FieldTableBuilder::nothing(std::string_view name) {
  key(name, 'V');
  return *this;
}

FieldTableBuilder& FieldTableBuilder::table(std::string_view name, std::string_view v) {
  key(name, 'F');
  append_sized(bytes_, v);
  return *this;
}

FieldTableBuilder& FieldTableBuilder::array(std::string_view name, std::string_view v) {
  key(name, 'A');
  append_sized(bytes_, v);
  return *this;
}

FieldTableBuilder& FieldTableBuilder::value(std::string_view name, const FieldValue& v) {
  key(name, v.type);
  if (has_size(v.type)) append_u32(bytes_, static_cast<std::uint32_t>(v.payload.size()));
  bytes_.append(v.payload);
  return *this;
}

void append_array_value(std::string& array, const FieldValue& v) {
  array += v.type;
  if (has_size(v.type)) append_u32(array, static_cast<std::uint32_t>(v.payload.size()));
  array.append(v.payload);
}

void append_array_string(std::string& array, std::string_view v) {
  append_array_value(array, FieldValue{'S', v});
}

void append_array_table(std::string& array, std::string_view entries) {
  append_array_value(array, FieldValue{'F', entries});
}

}  // namespace leveret::protocol
