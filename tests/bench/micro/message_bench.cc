#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/limits.h"
#include "server/message_frames.h"

// A message from its parts into memory, and from memory into the bytes of a delivery.
namespace leveret::server {
namespace {

constexpr std::string_view kProperties("\x10\x00\x02", 3);  // delivery-mode 2

queue::MessageRef make_message(std::string_view body) {
  queue::Message::Parts parts;
  parts.exchange = "exchange";
  parts.routing_key = "routing.key";
  parts.properties = kProperties;
  return queue::Message::create(parts, body);
}

void BM_CreateMessage(benchmark::State& state) {
  const std::string body(static_cast<std::size_t>(state.range(0)), 'b');
  for (auto _ : state) {
    queue::MessageRef message = make_message(body);
    benchmark::DoNotOptimize(message.get());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CreateMessage)->Arg(16)->Arg(1024)->Arg(65536);

void BM_WriteMessageFrames(benchmark::State& state) {
  const auto message = make_message(std::string(static_cast<std::size_t>(state.range(0)), 'b'));
  OutputQueue output;
  std::uint64_t tag = 0;
  for (auto _ : state) {
    write_message_frames(output, protocol::kFrameMaxDefault, ChannelId(1), message,
                         {"ctag1.0123456789", ++tag, false});
    // As a session does it: 256 KiB are written to the socket at a time.
    if (output.size() > 262144) output.consume(output.size());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_WriteMessageFrames)->Arg(16)->Arg(1024)->Arg(8192)->Arg(65536)->Arg(1'000'000);

}  // namespace
}  // namespace leveret::server
