#include "protocol/sasl.h"

#include <utility>

#include "protocol/field_table.h"

namespace leveret::protocol {

namespace {

// RabbitMQ takes any value that is carried as bytes.
std::optional<std::string> text_of(const std::optional<FieldValue>& value) {
  if (!value || (value->type != 'S' && value->type != 'x')) return std::nullopt;
  return std::string(value->payload);
}

}  // namespace

std::optional<Credentials> parse_plain(std::string_view response) {
  if (response.empty() || response[0] != '\0') return std::nullopt;
  response.remove_prefix(1);
  const std::size_t separator = response.find('\0');
  if (separator == std::string_view::npos) return std::nullopt;
  const std::string_view password = response.substr(separator + 1);
  if (password.find('\0') != std::string_view::npos) return std::nullopt;
  return Credentials{std::string(response.substr(0, separator)), std::string(password)};
}

std::optional<Credentials> parse_amqplain(std::string_view response) {
  if (validate_table(response) != TableError::kNone) return std::nullopt;
  const FieldTable table(response);
  auto user = text_of(table.find("LOGIN"));
  auto password = text_of(table.find("PASSWORD"));
  if (!user || !password) return std::nullopt;
  return Credentials{std::move(*user), std::move(*password)};
}

}  // namespace leveret::protocol
