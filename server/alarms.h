#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/steady_timer.hpp>

#include "config/settings.h"

namespace leveret::server {

class Broker;
class Loop;

// Watches memory; at the watermark publishers are blocked until it has fallen.
//
// Home loop: control.
class Alarms {
 public:
  Alarms(Broker& broker, Loop& loop, const config::Limits& limits);

  void start();
  void set_limits(const config::Limits& limits);

 private:
  void check();
  void wait();

  Broker& broker_;
  Loop& loop_;
  boost::asio::steady_timer timer_;
  std::uint64_t memory_limit_ = 0;
  std::string reason_;  // of the alarm that is on; empty: none
};

}  // namespace leveret::server
