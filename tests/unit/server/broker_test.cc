#include "server/broker.h"

#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "protocol/frame_encoder.h"
#include "protocol/frame_parser.h"
#include "protocol/methods.h"
#include "protocol/properties.h"
#include "server/system_clock.h"

namespace leveret::server {
namespace {

// A broker in this process, on a port of the kernel's choice.
class RunningBroker {
 public:
  explicit RunningBroker(std::uint16_t loops) {
    config::Configuration configuration = config::load_yaml("", "test");
    configuration.settings.loops = loops;
    configuration.settings.listeners = {{"127.0.0.1", 0}};
    broker_ = std::make_unique<Broker>(std::move(configuration), ConfigurationSource{}, clock_);
    broker_->start();
    thread_ = std::thread([this] { broker_->run(); });
  }
  ~RunningBroker() {
    boost::asio::post(broker_->loop(broker_->loop_count()).io(),
                      [this] { broker_->request_stop(); });
    thread_.join();
  }

  std::uint16_t loops() const { return broker_->loop_count(); }
  std::uint16_t port() const {
    const std::string address = broker_->addresses().at(0);
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }

 private:
  SystemClock clock_;
  std::unique_ptr<Broker> broker_;
  std::thread thread_;
};

// One connection with one channel, over a blocking socket.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    send(std::string_view("AMQP\0\0\x09\x01", 8));
    expect<protocol::ConnectionStart>();
    protocol::ConnectionStartOk start;
    start.mechanism = "PLAIN";
    start.response = std::string_view("\0guest\0guest", 12);
    start.locale = "en_US";
    call(0, start);
    const auto tune = expect<protocol::ConnectionTune>();
    protocol::ConnectionTuneOk tuned;
    tuned.channel_max = tune.channel_max;
    tuned.frame_max = tune.frame_max;
    call(0, tuned);
    protocol::ConnectionOpen open;
    open.virtual_host = "/";
    call(0, open);
    expect<protocol::ConnectionOpenOk>();
    call(1, protocol::ChannelOpen{});
    expect<protocol::ChannelOpenOk>();
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void declare(std::string_view queue) {
    protocol::QueueDeclare declare;
    declare.queue = queue;
    call(1, declare);
    expect<protocol::QueueDeclareOk>();
  }
  void consume(std::string_view queue) {
    protocol::BasicConsume consume;
    consume.queue = queue;
    consume.no_ack = true;
    call(1, consume);
    expect<protocol::BasicConsumeOk>();
  }
  void confirm() {
    call(1, protocol::ConfirmSelect{});
    expect<protocol::ConfirmSelectOk>();
  }
  void publish(std::string_view queue, std::string_view body) {
    protocol::BasicPublish publish;
    publish.routing_key = queue;
    Buffer out;
    protocol::write_method(out, ChannelId(1), publish);
    protocol::write_content_header(out, ChannelId(1), body.size(), std::string_view("\0\0", 2));
    protocol::write_body(out, ChannelId(1), body, 131072);
    send(out.view());
  }
  // Reads acks until this tag is covered by a multiple one.
  void expect_confirmed_up_to(std::uint64_t tag) {
    std::uint64_t confirmed = 0;
    while (confirmed < tag && !HasFailure()) confirmed = expect<protocol::BasicAck>().delivery_tag;
  }
  void expect_forced_close() {
    EXPECT_EQ(expect<protocol::ConnectionClose>().reply_code, 320);
    call(0, protocol::ConnectionCloseOk{});
  }
  std::string next_body() {
    expect<protocol::BasicDeliver>();
    const auto header = protocol::parse_content_header(read_frame().payload);
    std::string body;
    while (header && body.size() < header->body_size && !HasFailure()) {
      body += read_frame().payload;
    }
    return body;
  }

 private:
  static bool HasFailure() { return testing::Test::HasFailure(); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ASSERT_GT(n, 0);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  template <class M>
  void call(std::uint16_t channel, const M& method) {
    Buffer out;
    protocol::write_method(out, ChannelId(channel), method);
    send(out.view());
  }
  // The next frame, valid until another is read.
  protocol::Frame read_frame() {
    in_.consume(std::exchange(parsed_, 0));
    const protocol::FrameParser parser;
    protocol::Frame frame;
    protocol::AmqpError error;
    for (;;) {
      const auto result = parser.next(in_.view(), &frame, &error);
      EXPECT_NE(result.status, protocol::FrameParser::Status::kError);
      parsed_ = result.consumed;
      if (result.status != protocol::FrameParser::Status::kNeedMore) return frame;
      const auto n = ::recv(socket_, in_.prepare(65536), 65536, 0);
      EXPECT_GT(n, 0) << "no frame from the broker";
      if (n <= 0) return {};
      in_.commit(static_cast<std::size_t>(n));
    }
  }
  // The next frame must be this method.
  template <class M>
  M expect() {
    const protocol::Frame frame = read_frame();
    M method;
    if (frame.type != 1 || frame.payload.size() < 4) {
      ADD_FAILURE() << "no method in place of " << M::name;
      return method;
    }
    const std::uint16_t class_id = protocol::load_u16(frame.payload.data());
    const std::uint16_t method_id = protocol::load_u16(frame.payload.data() + 2);
    EXPECT_EQ(protocol::method_name(class_id, method_id), M::name);
    if (class_id == M::class_id && method_id == M::method_id) {
      EXPECT_EQ(protocol::decode(frame.payload.substr(4), &method), protocol::WireError::kNone);
    }
    return method;
  }

  const int socket_;
  Buffer in_;
  std::size_t parsed_ = 0;
};

class BrokerLoops : public testing::TestWithParam<std::uint16_t> {};

TEST_P(BrokerLoops, MessagesReachAConsumerOfAnotherConnectionInOrder) {
  const RunningBroker broker(GetParam());
  ASSERT_EQ(broker.loops(), GetParam());
  // Connections are spread over the loops: of three, two share one and one is elsewhere.
  Client owner(broker.port());
  Client consumer(broker.port());
  Client publisher(broker.port());
  owner.declare("letters");
  consumer.consume("letters");
  publisher.confirm();
  owner.confirm();
  constexpr int kMessages = 500;
  for (int i = 0; i < kMessages; ++i) publisher.publish("letters", "p" + std::to_string(i));
  publisher.expect_confirmed_up_to(kMessages);
  for (int i = 0; i < kMessages; ++i) EXPECT_EQ(consumer.next_body(), "p" + std::to_string(i));
  owner.publish("letters", std::string(300'000, 'x'));
  owner.expect_confirmed_up_to(1);
  EXPECT_EQ(consumer.next_body(), std::string(300'000, 'x'));
}

TEST_P(BrokerLoops, StoppingClosesEveryConnectionWithAReason) {
  auto broker = std::make_unique<RunningBroker>(GetParam());
  Client first(broker->port());
  Client second(broker->port());
  first.declare("q");
  second.consume("q");
  std::thread stop([&broker] { broker.reset(); });
  first.expect_forced_close();
  second.expect_forced_close();
  stop.join();
}

INSTANTIATE_TEST_SUITE_P(OneAndTwo, BrokerLoops, testing::Values(1, 2));

}  // namespace
}  // namespace leveret::server
