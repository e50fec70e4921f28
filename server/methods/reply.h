#pragma once

#include <string_view>

#include "protocol/erlang_text.h"
#include "protocol/methods.h"
#include "server/channel.h"
#include "server/session.h"

// Channel's templates that need the whole session.
namespace leveret::server {

template <typename Method>
void Channel::reply(const Method& method) {
  session_.write(id_, method);
}

template <typename Method>
bool Channel::decode(std::string_view args, Method* method) {
  const protocol::WireError error = protocol::decode(args, method);
  if (error == protocol::WireError::kNone) [[likely]] {
    return true;
  }
  fail_decode(protocol::decode_error(Method::class_id, Method::method_id, args, error));
  return false;
}

}  // namespace leveret::server
