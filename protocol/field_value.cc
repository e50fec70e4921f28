#include <bit>
#include <charconv>
#include <cmath>

#include "protocol/erlang_text.h"
#include "protocol/field_table.h"

namespace leveret::protocol {

namespace {

// A value's text stops growing here: a reply text holds 255 bytes.
constexpr std::size_t kTextBytesMax = 512;

bool is_integer(char type) {
  switch (type) {
    case 'b':
    case 'B':
    case 's':
    case 'u':
    case 'I':
    case 'i':
    case 'l':
    case 'L':
      return true;
    default:
      return false;
  }
}

// The shortest digits that read back as v, plain or with an exponent, whichever is shorter:
// 1.5, 12345.0, 1.0e10.
std::string real_text(double v) {
  if (!std::isfinite(v)) return std::isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
  char plain[512];
  auto plain_end = std::to_chars(plain, plain + sizeof plain, v, std::chars_format::fixed).ptr;
  std::string fixed(plain, plain_end);
  if (fixed.find('.') == std::string::npos) fixed += ".0";
  char scientific[64];
  auto end =
      std::to_chars(scientific, scientific + sizeof scientific, v, std::chars_format::scientific)
          .ptr;
  std::string_view digits(scientific, static_cast<std::size_t>(end - scientific));
  const std::size_t e = digits.find('e');
  std::string mantissa(digits.substr(0, e));
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  int exponent = 0;
  const char* from = scientific + e + 1;
  if (*from == '+') ++from;
  std::from_chars(from, end, exponent);
  std::string exponential = mantissa + 'e' + std::to_string(exponent);
  return fixed.size() <= exponential.size() ? fixed : exponential;
}

void append_term(std::string& out, const FieldValue& value);

void append_entries(std::string& out, const FieldTable& table) {
  out += '[';
  const char* separator = "";
  for (const FieldTable::Entry& entry : table) {
    if (out.size() > kTextBytesMax) break;
    out += separator;
    out += '{';
    out += erlang_binary(entry.name);
    out += ',';
    out += entry.value.type_name();
    out += ',';
    append_term(out, entry.value);
    out += '}';
    separator = ",";
  }
  out += ']';
}

void append_elements(std::string& out, const FieldArray& array) {
  out += '[';
  const char* separator = "";
  for (const FieldValue& value : array) {
    if (out.size() > kTextBytesMax) break;
    out += separator;
    out += '{';
    out += value.type_name();
    out += ',';
    append_term(out, value);
    out += '}';
    separator = ",";
  }
  out += ']';
}

// The value inside a list or tuple. Recursion is bounded by kTableDepthMax, which validation
// enforced.
void append_term(std::string& out, const FieldValue& value) {
  switch (value.type) {
    case 'S':
    case 'x':
      out += erlang_binary(value.payload.substr(0, kTextBytesMax));
      break;
    case 'F':
      append_entries(out, FieldTable(value.payload));
      break;
    case 'A':
      append_elements(out, FieldArray(value.payload));
      break;
    default:
      out += value.to_text();
  }
}

}  // namespace

std::optional<std::int64_t> FieldValue::integer() const {
  const char* at = payload.data();
  switch (type) {
    case 'b':
      return static_cast<std::int8_t>(*at);
    case 'B':
      return static_cast<std::uint8_t>(*at);
    case 's':
      return static_cast<std::int16_t>(load_u16(at));
    case 'u':
      return load_u16(at);
    case 'I':
      return static_cast<std::int32_t>(load_u32(at));
    case 'i':
      return load_u32(at);
    case 'l':
    case 'L':
    case 'T':
      return static_cast<std::int64_t>(load_u64(at));
    default:
      return std::nullopt;
  }
}

std::optional<double> FieldValue::number() const {
  if (type == 'f') return std::bit_cast<float>(load_u32(payload.data()));
  if (type == 'd') return std::bit_cast<double>(load_u64(payload.data()));
  if (const auto v = integer()) return static_cast<double>(*v);
  return std::nullopt;
}

std::optional<bool> FieldValue::boolean() const {
  if (type != 't') return std::nullopt;
  return payload[0] != 0;
}

std::optional<std::string_view> FieldValue::string() const {
  if (type != 'S') return std::nullopt;
  return payload;
}

std::optional<FieldTable> FieldValue::table() const {
  if (type != 'F') return std::nullopt;
  return FieldTable(payload);
}

std::optional<FieldArray> FieldValue::array() const {
  if (type != 'A') return std::nullopt;
  return FieldArray(payload);
}

std::string_view FieldValue::type_name() const {
  switch (type) {
    case 't':
      return "bool";
    case 'b':
      return "byte";
    case 'B':
      return "unsignedbyte";
    case 's':
      return "short";
    case 'u':
      return "unsignedshort";
    case 'I':
      return "signedint";
    case 'i':
      return "unsignedint";
    case 'l':
    case 'L':
      return "long";
    case 'f':
      return "float";
    case 'd':
      return "double";
    case 'D':
      return "decimal";
    case 'S':
      return "longstr";
    case 'x':
      return "binary";
    case 'T':
      return "timestamp";
    case 'A':
      return "array";
    case 'F':
      return "table";
    default:
      return "void";
  }
}

std::string FieldValue::to_text() const {
  switch (type) {
    case 'S':
    case 'x':
      return std::string(payload);
    case 't':
      return payload[0] != 0 ? "true" : "false";
    case 'f':
    case 'd':
      return real_text(*number());
    case 'D':
      return '{' + std::to_string(static_cast<std::uint8_t>(payload[0])) + ',' +
             std::to_string(load_u32(payload.data() + 1)) + '}';
    case 'T':
      return std::to_string(load_u64(payload.data()));
    case 'F':
    case 'A': {
      std::string out;
      append_term(out, *this);
      return out;
    }
    default:
      break;
  }
  const auto v = integer();
  return v ? std::to_string(*v) : "undefined";
}

bool equivalent(const FieldValue& a, const FieldValue& b) {
  if (is_integer(a.type) && is_integer(b.type)) return a.integer() == b.integer();
  const auto is_real = [](char type) { return type == 'f' || type == 'd'; };
  if (is_real(a.type) && is_real(b.type)) return a.number() == b.number();
  return a.type == b.type && a.payload == b.payload;
}

}  // namespace leveret::protocol
