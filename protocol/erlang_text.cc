#include "protocol/erlang_text.h"

#include <algorithm>

#include "protocol/limits.h"

namespace leveret::protocol {

namespace {

constexpr std::size_t kSnippetBytes = 16;

// Whatever does not fit a reply text need not be rendered: each byte takes at least one.
std::string_view worth_printing(std::string_view bytes) {
  return bytes.substr(0, kShortStringMax + 1);
}

// The letter behind the backslash; 0 for bytes that need none.
char escape_letter(char c) {
  switch (c) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\v':
      return 'v';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\x1B':
      return 'e';
    case '"':
      return '"';
    case '\\':
      return '\\';
    default:
      return 0;
  }
}

bool printable(char c) {
  return (c >= ' ' && c <= '~') || escape_letter(c) != 0;
}

}  // namespace

std::string erlang_bytes(std::string_view bytes) {
  std::string out = "<<";
  for (const char c : worth_printing(bytes)) {
    if (out.size() > 2) out += ',';
    out += std::to_string(static_cast<std::uint8_t>(c));
  }
  return out += ">>";
}

std::string erlang_binary(std::string_view bytes) {
  if (bytes.empty() || !std::all_of(bytes.begin(), bytes.end(), printable)) {
    return erlang_bytes(bytes);
  }
  std::string out = "<<\"";
  for (const char c : worth_printing(bytes)) {
    const char letter = escape_letter(c);
    if (letter != 0) out += '\\';
    out += letter != 0 ? letter : c;
  }
  return out += "\">>";
}

std::string frame_snippet(std::uint8_t type, std::string_view payload) {
  std::string out = "type " + std::to_string(type);
  out += payload.size() > kSnippetBytes ? ", first 16 octets = " : ", all octets = ";
  return out += erlang_binary(payload.substr(0, kSnippetBytes));
}

AmqpError decode_error(std::uint16_t class_id, std::uint16_t method_id, std::string_view args,
                       WireError error) {
  constexpr std::uint16_t kConnectionClass = 10;
  switch (error) {
    case WireError::kBadUtf8: {
      // RabbitMQ decodes channel methods where it does not keep their ids.
      const bool named = class_id == kConnectionClass;
      return make_error(ReplyCode::kFrameError, "Malformed UTF-8 in shortstr",
                        named ? class_id : std::uint16_t{0}, named ? method_id : std::uint16_t{0});
    }
    case WireError::kTableTooDeep:
      return make_error(ReplyCode::kFrameError,
                        "tables nested deeper than " + std::to_string(kTableDepthMax), class_id,
                        method_id);
    default:
      return make_error(ReplyCode::kFrameError, "cannot decode " + erlang_bytes(args), class_id,
                        method_id);
  }
}

}  // namespace leveret::protocol
