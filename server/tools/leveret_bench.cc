// A load generator for any AMQP 0-9-1 broker on this host: publishers and consumers of transient
// messages at full speed, and the broker's CPU time per message when its process id is given.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "protocol/frame_encoder.h"
#include "server/tools/bench_client.h"

namespace {

using leveret::Buffer;
using leveret::tools::BenchClient;

struct Settings {
  std::uint16_t port = 5672;
  int pairs = 1;  // publishers, consumers and queues
  std::size_t size = 16;
  int seconds = 5;
  int pid = 0;
};

// Messages in one write: enough to fill a large read of the broker.
constexpr std::size_t kWriteBytes = 64 * 1024;

std::string queue_name(int number) {
  return "leveret-bench-" + std::to_string(number);
}

// User and system time of a process, in seconds.
double cpu_seconds(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  // The name in parentheses may hold anything; 11 fields lie between its end and utime.
  const char* at = text.c_str() + text.rfind(')') + 1;
  double ticks = 0;
  for (int field = 0; field < 13 && *at != '\0'; ++field) {
    char* end = nullptr;
    while (*at == ' ') ++at;
    if (field >= 11) ticks += std::strtod(at, &end);
    while (*at != ' ' && *at != '\0') ++at;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string make_batch(const std::string& queue, std::size_t size) {
  Buffer one;
  leveret::protocol::write_method(
      one, BenchClient::kChannel,
      leveret::protocol::BasicPublish{.exchange = "", .routing_key = queue});
  leveret::protocol::write_content_header(one, BenchClient::kChannel, size,
                                          std::string_view("\0\0", 2));
  leveret::protocol::write_body(one, BenchClient::kChannel, std::string(size, 'x'), 131072);
  std::string batch(one.view());
  while (batch.size() + one.size() <= kWriteBytes) batch += one.view();
  return batch;
}

void run(const Settings& settings) {
  using namespace leveret::protocol;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> received{0};
  std::vector<std::unique_ptr<BenchClient>> consumers;
  std::vector<std::unique_ptr<BenchClient>> publishers;
  std::vector<std::thread> threads;
  // Publishers connect first and consumers declare, so that neither chose the other's loop.
  for (int i = 0; i < settings.pairs; ++i) {
    publishers.push_back(std::make_unique<BenchClient>(settings.port));
    consumers.push_back(std::make_unique<BenchClient>(settings.port));
    BenchClient& consumer = *consumers.back();
    const std::string queue = queue_name(i);
    QueueDeclare declare;
    declare.queue = queue;
    declare.auto_delete = true;
    consumer.send(BenchClient::kChannel, declare);
    consumer.await<QueueDeclareOk>();
    BasicConsume consume;
    consume.queue = queue;
    consume.no_ack = true;
    consumer.send(BenchClient::kChannel, consume);
    consumer.await<BasicConsumeOk>();
  }
  for (int i = 0; i < settings.pairs; ++i) {
    threads.emplace_back([&, i] {
      while (const std::uint64_t n = consumers[i]->count_deliveries()) received += n;
    });
    threads.emplace_back([&, i] {
      const std::string batch = make_batch(queue_name(i), settings.size);
      while (!stop) publishers[i]->write(batch);
    });
  }
  // The first second warms up.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const std::uint64_t before = received;
  const double cpu_before = settings.pid != 0 ? cpu_seconds(settings.pid) : 0;
  std::this_thread::sleep_for(std::chrono::seconds(settings.seconds));
  const std::uint64_t messages = received - before;
  const double cpu = settings.pid != 0 ? cpu_seconds(settings.pid) - cpu_before : 0;
  stop = true;
  for (int i = 0; i < settings.pairs; ++i) threads[2 * i + 1].join();
  for (const auto& consumer : consumers) consumer->shut_down();
  for (int i = 0; i < settings.pairs; ++i) threads[2 * i].join();
  std::printf("%d pairs, %zu B: %.2f million messages/s", settings.pairs, settings.size,
              static_cast<double>(messages) / settings.seconds / 1e6);
  if (settings.pid != 0) {
    std::printf(", broker CPU %.3f s per million", cpu / (static_cast<double>(messages) / 1e6));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const long value = std::strtol(argv[i + 1], nullptr, 10);
    if (name == "--port")
      settings.port = static_cast<std::uint16_t>(value);
    else if (name == "--pairs")
      settings.pairs = static_cast<int>(value);
    else if (name == "--size")
      settings.size = static_cast<std::size_t>(value);
    else if (name == "--seconds")
      settings.seconds = static_cast<int>(value);
    else if (name == "--pid")
      settings.pid = static_cast<int>(value);
    else {
      std::fprintf(stderr,
                   "usage: leveret-bench [--port N] [--pairs N] [--size BYTES] [--seconds N] "
                   "[--pid BROKER]\n");
      return 2;
    }
  }
  run(settings);
  return 0;
}
