#include "protocol/methods.h"

#include <array>
#include <cstddef>

namespace leveret::protocol {

namespace {

constexpr std::size_t kClassIdMax = 90;
constexpr std::size_t kMethodIdMax = 127;

// Sets of method ids, one bit each.
struct MethodSets {
  std::array<std::uint64_t, 2> known{};
  std::array<std::uint64_t, 2> client{};
};

// What a server sends and never receives, beside the answers ("-ok") to its clients' requests.
// channel.flow-ok and basic.cancel-ok answer requests that this server does not make.
constexpr bool server_only(std::string_view name) {
  constexpr std::string_view kAnswersToServer[] = {"connection.start-ok", "connection.secure-ok",
                                                   "connection.tune-ok", "connection.close-ok",
                                                   "channel.close-ok"};
  for (const std::string_view answer : kAnswersToServer) {
    if (name == answer) return false;
  }
  constexpr std::string_view kServerSends[] = {
      "connection.start",     "connection.secure", "connection.tune", "connection.blocked",
      "connection.unblocked", "basic.return",      "basic.deliver",   "basic.get-empty"};
  for (const std::string_view sent : kServerSends) {
    if (name == sent) return true;
  }
  return name.size() > 3 && name.substr(name.size() - 3) == "-ok";
}

constexpr auto kMethods = [] {
  std::array<MethodSets, kClassIdMax + 1> sets{};
  for_each_method([&](auto method) {
    MethodSets& set = sets[method.class_id];
    const std::uint64_t bit = std::uint64_t{1} << (method.method_id % 64);
    set.known[method.method_id / 64] |= bit;
    if (!server_only(method.name)) set.client[method.method_id / 64] |= bit;
  });
  return sets;
}();

// Calls f(M{}) for the method with these ids, if there is one.
template <class F>
void with_method(std::uint16_t class_id, std::uint16_t method_id, F f) {
  for_each_method([&](auto method) {
    if (method.class_id == class_id && method.method_id == method_id) f(method);
  });
}

}  // namespace

MethodKind method_kind(std::uint16_t class_id, std::uint16_t method_id) {
  if (class_id > kClassIdMax || method_id > kMethodIdMax) return MethodKind::kUnknown;
  const MethodSets& set = kMethods[class_id];
  const std::uint64_t bit = std::uint64_t{1} << (method_id % 64);
  if ((set.client[method_id / 64] & bit) != 0) return MethodKind::kClient;
  return (set.known[method_id / 64] & bit) != 0 ? MethodKind::kServerOnly : MethodKind::kUnknown;
}

std::string_view method_name(std::uint16_t class_id, std::uint16_t method_id) {
  std::string_view name;
  with_method(class_id, method_id, [&](auto method) { name = decltype(method)::name; });
  return name;
}

WireError check_arguments(std::uint16_t class_id, std::uint16_t method_id, std::string_view args) {
  WireError error = WireError::kTruncated;
  with_method(class_id, method_id, [&](auto method) { error = decode(args, &method); });
  return error;
}

}  // namespace leveret::protocol
