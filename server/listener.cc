#include "server/listener.h"

#include <chrono>
#include <memory>
#include <spdlog/spdlog.h>
#include <stdexcept>
#include <utility>

#include "server/broker.h"
#include "server/loop.h"
#include "server/session.h"

namespace leveret::server {
namespace {

using boost::asio::ip::tcp;

// Connections that wait to be accepted. RabbitMQ's 128 is short when a service restarts with
// hundreds of workers.
constexpr int kBacklog = 1024;
// Out of descriptors: trying again at once would only spin.
constexpr std::chrono::milliseconds kRetry{100};

}  // namespace

Listener::Listener(Broker& broker, Loop& loop, const config::Listener& settings)
    : broker_(broker), loop_(loop), acceptor_(loop.io()), retry_(loop.io()) {
  const std::string wanted = settings.address + ":" + std::to_string(settings.port);
  try {
    const tcp::endpoint endpoint(boost::asio::ip::make_address(settings.address), settings.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(kBacklog);
    const tcp::endpoint bound = acceptor_.local_endpoint();
    const std::string host = bound.address().to_string();
    address_ =
        (bound.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(bound.port());
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen on " + wanted + ": " + error.code().message());
  }
}

void Listener::start() {
  accept();
}

void Listener::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
}

void Listener::accept() {
  const std::uint16_t target = next_loop_;
  next_loop_ = static_cast<std::uint16_t>((next_loop_ + 1) % broker_.loop_count());
  acceptor_.async_accept(
      broker_.loop(target).io(),
      [this, target](const boost::system::error_code& error, tcp::socket socket) {
        if (error == boost::asio::error::operation_aborted || !acceptor_.is_open()) return;
        if (error) {
          spdlog::error("{}: cannot accept: {}", address_, error.message());
          retry_.expires_after(kRetry);
          retry_.async_wait([this](const boost::system::error_code& cancelled) {
            if (!cancelled) accept();
          });
          return;
        }
        hand_over(std::move(socket), target);
        accept();
      });
}

void Listener::hand_over(tcp::socket socket, std::uint16_t target) {
  // Tasks are copied, sockets are not.
  auto held = std::make_shared<tcp::socket>(std::move(socket));
  loop_.send(target, Task([held, id = broker_.next_connection_id()](Loop& loop) {
               auto session = std::make_shared<Session>(loop, id, Transport(std::move(*held)));
               loop.add_session(session);
               session->start();
             }));
}

}  // namespace leveret::server
