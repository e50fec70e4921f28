#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <string_view>
#include <vector>

#include "queue/message_queue.h"

// The queue core alone: no sockets, no clock, one message shared by all publishes, so that what is
// measured is the bookkeeping for each message.
namespace leveret::queue {
namespace {

MessageRef make_message(std::uint8_t priority = 0) {
  Message::Parts parts;
  parts.exchange = "exchange";
  parts.routing_key = "key";
  parts.properties = std::string_view("\0\0", 2);
  parts.priority = priority;
  return Message::create(parts, "sixteen bytes ..");
}

void count_items(benchmark::State& state, std::int64_t each) {
  state.SetItemsProcessed(state.iterations() * each);
}

void BM_PublishToNoAckConsumer(benchmark::State& state) {
  MessageQueue queue({}, 0);
  Effects effects;
  queue.add_consumer({.no_ack = true}, 0);
  const MessageRef message = make_message();
  for (auto _ : state) {
    queue.publish(message, 0, &effects);
    benchmark::DoNotOptimize(effects.data());
    effects.clear();
  }
  count_items(state, 1);
}
BENCHMARK(BM_PublishToNoAckConsumer);

// Range: unacked messages that the consumers hold all the time.
void BM_PublishDeliverAck(benchmark::State& state) {
  MessageQueue queue({}, 0);
  Effects effects;
  for (int i = 0; i < 4; ++i) queue.add_consumer({}, 0);
  const MessageRef message = make_message();
  const auto held = static_cast<std::uint64_t>(state.range(0));
  std::uint64_t seq = 0;
  for (; seq < held; ++seq) queue.publish(message, 0, &effects);
  effects.clear();
  for (auto _ : state) {
    queue.publish(message, 0, &effects);
    ++seq;
    queue.ack(MessageSeq(seq - held), &effects);
    benchmark::DoNotOptimize(effects.data());
    effects.clear();
  }
  count_items(state, 1);
}
BENCHMARK(BM_PublishDeliverAck)->Arg(0)->Arg(50)->Arg(100)->Arg(400)->Arg(10'000);

void fill_and_drain(benchmark::State& state, const QueueOptions& options,
                    const std::vector<MessageRef>& messages, std::size_t count) {
  MessageQueue queue(options, 0);
  Effects effects;
  const ConsumerId consumer = queue.add_consumer({.no_ack = true}, 0);
  for (auto _ : state) {
    queue.pause_consumer(consumer);
    for (std::size_t i = 0; i < count; ++i) {
      queue.publish(messages[i % messages.size()], 0, &effects);
    }
    queue.resume_consumer(consumer);
    while (queue.pump(0, 256, &effects)) effects.clear();
    effects.clear();
  }
  count_items(state, static_cast<std::int64_t>(count));
}

void BM_BacklogFillAndDrain(benchmark::State& state) {
  fill_and_drain(state, {}, {make_message()}, static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(BM_BacklogFillAndDrain)->Arg(1000)->Arg(100'000)->Arg(1'000'000);

void BM_PriorityFillAndDrain(benchmark::State& state) {
  QueueOptions options;
  options.settings.max_priority = static_cast<std::uint8_t>(state.range(0));
  std::vector<MessageRef> messages;
  for (int i = 0; i <= state.range(0); ++i) {
    messages.push_back(make_message(static_cast<std::uint8_t>(i)));
  }
  fill_and_drain(state, options, messages, 10'000);
}
BENCHMARK(BM_PriorityFillAndDrain)->Arg(5)->Arg(255);

void BM_TimeToLiveFillAndDrain(benchmark::State& state) {
  QueueOptions options;
  options.settings.message_ttl_ms = 60'000;
  fill_and_drain(state, options, {make_message()}, static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(BM_TimeToLiveFillAndDrain)->Arg(1000)->Arg(100'000);

void BM_TimeToLiveExpire(benchmark::State& state) {
  QueueOptions options;
  options.settings.message_ttl_ms = 10;
  MessageQueue queue(options, 0);
  Effects effects;
  const MessageRef message = make_message();
  MonotonicMs now = 0;
  for (auto _ : state) {
    for (int i = 0; i < 10'000; ++i) queue.publish(message, now + i / 1000, &effects);
    now += 100;
    queue.on_timer(now, &effects);
    effects.clear();
  }
  count_items(state, 10'000);
}
BENCHMARK(BM_TimeToLiveExpire);

// Range: messages that go back at a time; newest first, the worst order for a sorted list.
void BM_Requeue(benchmark::State& state) {
  MessageQueue queue({}, 0);
  Effects effects;
  queue.add_consumer({}, 0);
  const MessageRef message = make_message();
  std::vector<MessageSeq> seqs;
  for (int i = 0; i < state.range(0); ++i) {
    queue.publish(message, 0, &effects);
    seqs.push_back(MessageSeq(static_cast<std::uint64_t>(i) + 1));
  }
  std::reverse(seqs.begin(), seqs.end());
  effects.clear();
  for (auto _ : state) {
    queue.requeue(seqs, true, 0, &effects);
    while (queue.pump(0, 256, &effects)) effects.clear();
    effects.clear();
  }
  count_items(state, state.range(0));
}
BENCHMARK(BM_Requeue)->Arg(1)->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace leveret::queue
