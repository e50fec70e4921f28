#include "server/transport.h"

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>

namespace leveret::server {
namespace {

using boost::asio::ip::tcp;

std::string host_text(const boost::asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
        .to_string();
  }
  return address.to_string();
}

bool is_loopback(const boost::asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
        .is_loopback();
  }
  return address.is_loopback();
}

}  // namespace

Transport::Transport(tcp::socket socket) : socket_(std::move(socket)) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  // Replies are gathered per turn, so waiting for more would only add delay.
  socket_.set_option(tcp::no_delay(true), ignored);
  const tcp::endpoint peer = socket_.remote_endpoint(ignored);
  const tcp::endpoint own = socket_.local_endpoint(ignored);
  is_v6_ = own.address().is_v6();
  peer_host_ = host_text(peer.address());
  peer_is_loopback_ = is_loopback(peer.address());
  name_ = peer_host_ + ":" + std::to_string(peer.port()) + " -> " + host_text(own.address()) + ":" +
          std::to_string(own.port());
}

std::size_t Transport::read(char* into, std::size_t room, boost::system::error_code* error) {
  return socket_.read_some(boost::asio::buffer(into, room), *error);
}

std::size_t Transport::write(OutputQueue& output, boost::system::error_code* error) {
  std::array<iovec, OutputQueue::kGatherMax> vectors;
  std::size_t total = 0;
  while (!output.empty()) {
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = output.gather(&vectors);
    const ssize_t n = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EINTR) continue;
      *error = boost::system::error_code(errno, boost::system::system_category());
      return total;
    }
    output.consume(static_cast<std::size_t>(n));
    total += static_cast<std::size_t>(n);
  }
  return total;
}

void Transport::shutdown_send() {
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Transport::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void Transport::adopt(boost::asio::io_context& io, int descriptor) {
  socket_ = tcp::socket(io);
  boost::system::error_code ignored;
  socket_.assign(is_v6_ ? tcp::v6() : tcp::v4(), descriptor, ignored);
  socket_.non_blocking(true, ignored);
}

int Transport::release() {
  boost::system::error_code error;
  const int descriptor = socket_.release(error);
  return error ? -1 : descriptor;
}

}  // namespace leveret::server
