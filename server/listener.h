#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "config/settings.h"

namespace leveret::server {

class Broker;
class Loop;

// Accepts connections on one address and spreads them over the loops.
//
// Home loop: control.
class Listener {
 public:
  // Binds and listens; throws std::runtime_error that names the address.
  Listener(Broker& broker, Loop& loop, const config::Listener& settings);

  void start();
  void stop();
  // With the port the kernel chose, if it did.
  const std::string& address() const { return address_; }

 private:
  void accept();
  void hand_over(boost::asio::ip::tcp::socket socket, std::uint16_t target);

  Broker& broker_;
  Loop& loop_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  std::string address_;
  std::uint16_t next_loop_ = 0;
};

}  // namespace leveret::server
