#include "server/tools/bench_client.h"

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace leveret::tools {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

}  // namespace

BenchClient::BenchClient(std::uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  if (socket_ < 0) die("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    die("connect");
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  using namespace protocol;
  write(std::string_view("AMQP\0\0\x09\x01", 8));
  await<ConnectionStart>();
  send(ChannelId{0}, ConnectionStartOk{.client_properties = {},
                                       .mechanism = "PLAIN",
                                       .response = std::string_view("\0guest\0guest", 12),
                                       .locale = "en_US"});
  await<ConnectionTune>();
  send(ChannelId{0}, ConnectionTuneOk{.channel_max = 16, .frame_max = 131072, .heartbeat = 0});
  ConnectionOpen open;
  open.virtual_host = "/";
  send(ChannelId{0}, open);
  await<ConnectionOpenOk>();
  send(kChannel, ChannelOpen{});
  await<ChannelOpenOk>();
}

BenchClient::~BenchClient() {
  ::close(socket_);
}

void BenchClient::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) die("send");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void BenchClient::write_all() {
  write(output_.view());
  output_.clear();
}

bool BenchClient::fill() {
  const ssize_t n = ::recv(socket_, input_.prepare(kReadBytes), kReadBytes, 0);
  if (n <= 0) return false;
  input_.commit(static_cast<std::size_t>(n));
  return true;
}

void BenchClient::await(std::uint16_t class_id, std::uint16_t method_id) {
  protocol::Frame frame;
  protocol::AmqpError error;
  for (;;) {
    const auto cut = parser_.next(input_.view(), &frame, &error);
    if (cut.status == protocol::FrameParser::Status::kNeedMore) {
      if (!fill()) die("connection lost");
      continue;
    }
    const std::string_view p = frame.payload;
    const bool wanted = frame.type == 1 && p.size() >= 4 &&
                        static_cast<std::uint8_t>(p[1]) == class_id &&
                        static_cast<std::uint8_t>(p[3]) == method_id;
    input_.consume(cut.consumed);
    if (wanted) return;
  }
}

std::uint64_t BenchClient::count_deliveries() {
  if (!fill()) return 0;
  std::uint64_t count = 0;
  protocol::Frame frame;
  protocol::AmqpError error;
  for (;;) {
    const auto cut = parser_.next(input_.view(), &frame, &error);
    if (cut.status != protocol::FrameParser::Status::kFrame) return count;
    if (frame.type == 3) ++count;
    input_.consume(cut.consumed);
  }
}

void BenchClient::shut_down() {
  ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace leveret::tools
