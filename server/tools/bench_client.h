#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/buffer.h"
#include "protocol/base/ids.h"
#include "protocol/connection_fsm.h"
#include "protocol/frame_parser.h"
#include "protocol/methods.h"

namespace leveret::tools {

// A blocking AMQP client for the load generator: large reads and writes, no allocation a message.
// Errors end the program with a message: a benchmark that goes on after one measures nothing.
class BenchClient {
 public:
  // Connects to 127.0.0.1:port as guest and opens channel 1.
  explicit BenchClient(std::uint16_t port);
  ~BenchClient();
  BenchClient(const BenchClient&) = delete;
  BenchClient& operator=(const BenchClient&) = delete;

  static constexpr ChannelId kChannel{1};

  template <typename Method>
  void send(ChannelId channel, const Method& method) {
    protocol::write_method(output_, channel, method);
    write_all();
  }
  void write(std::string_view bytes);
  // Reads until a method frame of this kind came; other frames are dropped.
  template <typename Method>
  void await() {
    await(Method::class_id, Method::method_id);
  }
  // Reads what there is, blocking, and returns how many deliveries were complete in it; 0 at the
  // end of the connection.
  std::uint64_t count_deliveries();
  void shut_down();

 private:
  void await(std::uint16_t class_id, std::uint16_t method_id);
  bool fill();
  void write_all();

  int socket_ = -1;
  Buffer output_;
  Buffer input_;
  protocol::FrameParser parser_;
};

}  // namespace leveret::tools
