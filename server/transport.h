#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include "server/output_queue.h"

namespace leveret::server {

// The byte stream under a session. Reads and writes never block; the wait_ functions tell when to
// try again. A session knows nothing else of sockets, so that another stream can take this place.
class Transport {
 public:
  explicit Transport(boost::asio::ip::tcp::socket socket);

  // Bytes read; 0 with *error set (would_block: nothing there now).
  std::size_t read(char* into, std::size_t room, boost::system::error_code* error);
  std::size_t write(OutputQueue& output, boost::system::error_code* error);

  template <typename Handler>
  void wait_readable(Handler&& handler) {
    socket_.async_wait(boost::asio::ip::tcp::socket::wait_read, std::forward<Handler>(handler));
  }
  template <typename Handler>
  void wait_writable(Handler&& handler) {
    socket_.async_wait(boost::asio::ip::tcp::socket::wait_write, std::forward<Handler>(handler));
  }

  // No more bytes to the peer; what it still sends can be read.
  void shutdown_send();
  void close();
  bool is_open() const { return socket_.is_open(); }

  // Gives the descriptor away, for another loop. -1 if it is closed. Pending waits end with
  // operation_aborted.
  int release();
  // Takes it up there.
  void adopt(boost::asio::io_context& io, int descriptor);

  // "127.0.0.1:40000 -> 127.0.0.1:5672", as RabbitMQ names connections.
  const std::string& name() const { return name_; }
  const std::string& peer_host() const { return peer_host_; }
  bool peer_is_loopback() const { return peer_is_loopback_; }

 private:
  boost::asio::ip::tcp::socket socket_;
  std::string name_;
  std::string peer_host_;
  bool peer_is_loopback_ = false;
  bool is_v6_ = false;
};

}  // namespace leveret::server
