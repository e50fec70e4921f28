#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/base/assert.h"
#include "protocol/base/buffer.h"
#include "protocol/methods.h"
#include "protocol/properties.h"

// Two octets pick a method, the rest are its arguments. What decodes must come back from its own
// encoding; with an id that no method has, the bytes are properties.
namespace {

using namespace leveret;
using namespace leveret::protocol;

std::string_view arguments(const Buffer& frame) {
  return frame.view().substr(kFrameHeaderBytes + 4, frame.size() - kFrameOverhead - 4);
}

template <class M>
void round_trip(std::string_view args) {
  M m;
  if (decode(args, &m) != WireError::kNone) return;
  Buffer once;
  write_method(once, ChannelId(1), m);
  M again;
  LEVERET_ASSERT(decode(arguments(once), &again) == WireError::kNone);
  Buffer twice;
  write_method(twice, ChannelId(1), again);
  LEVERET_ASSERT(once.view() == twice.view());
}

void round_trip_properties(std::string_view bytes) {
  BasicProperties properties;
  if (parse_properties(bytes, &properties) != WireError::kNone) return;
  BasicProperties again;
  const std::string encoded = encode_properties(properties);
  LEVERET_ASSERT(parse_properties(encoded, &again) == WireError::kNone);
  LEVERET_ASSERT(encode_properties(again) == encoded);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view args(reinterpret_cast<const char*>(data) + 2, size - 2);
  for_each_method([&](auto method) {
    using M = decltype(method);
    if (data[0] == M::class_id && data[1] == M::method_id) round_trip<M>(args);
  });
  if (method_kind(data[0], data[1]) == MethodKind::kUnknown) round_trip_properties(args);
  return 0;
}
