#include "exchange/persistent/hash.h"

#include <random>

namespace leveret::exchange {
namespace {

HashSecret draw_secret() {
  std::random_device device;
  const auto draw = [&device] { return static_cast<std::uint64_t>(device()) << 32 | device(); };
  return {draw(), draw()};
}

}  // namespace

const HashSecret kHashSecret = draw_secret();

}  // namespace leveret::exchange
