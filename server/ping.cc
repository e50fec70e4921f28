#include "server/ping.h"

#include <array>
#include <chrono>
#include <cstring>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "protocol/frame.h"
#include "protocol/methods.h"

namespace leveret::server {
namespace {

using boost::asio::ip::tcp;

constexpr std::chrono::seconds kTimeout{5};
// Frame header, class and method of connection.start.
constexpr std::size_t kAnswerBytes = 11;

bool is_connection_start(const std::array<char, kAnswerBytes>& bytes) {
  const auto at = [&bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  return at(0) == static_cast<unsigned>(protocol::FrameType::kMethod) && at(7) == 0 &&
         at(8) == protocol::ConnectionStart::class_id && at(9) == 0 &&
         at(10) == protocol::ConnectionStart::method_id;
}

}  // namespace

std::string ping(const config::Listener& listener) {
  boost::system::error_code error;
  boost::asio::ip::address address = boost::asio::ip::make_address(listener.address, error);
  if (error) return listener.address + " is not an address";
  // A wildcard is not a place to connect to.
  if (address.is_unspecified()) {
    address = address.is_v6() ? boost::asio::ip::address(boost::asio::ip::address_v6::loopback())
                              : boost::asio::ip::address(boost::asio::ip::address_v4::loopback());
  }
  boost::asio::io_context io;
  tcp::socket socket(io);
  std::array<char, kAnswerBytes> answer{};
  std::string result = "no answer in time";
  static constexpr char kHeader[] = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
  socket.async_connect({address, listener.port}, [&](const boost::system::error_code& failed) {
    if (failed) {
      result = failed.message();
      return;
    }
    boost::asio::async_write(socket, boost::asio::buffer(kHeader),
                             [&](const boost::system::error_code& unsent, std::size_t) {
                               if (unsent) {
                                 result = unsent.message();
                                 return;
                               }
                               boost::asio::async_read(
                                   socket, boost::asio::buffer(answer),
                                   [&](const boost::system::error_code& unread, std::size_t) {
                                     result = unread ? unread.message()
                                              : is_connection_start(answer)
                                                  ? ""
                                                  : "the answer is not AMQP 0-9-1";
                                   });
                             });
  });
  io.run_for(kTimeout);
  return result;
}

}  // namespace leveret::server
