#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/connection_fsm.h"

namespace leveret::protocol::test {

using Kind = ConnectionStep::Kind;

// A conversation with a ConnectionFsm, written down in order and played afterwards:
//
//   script.client(bytes).step(Kind::kOpen).server(accept).writes(open_ok);
//
// client() only hands over bytes; each step() takes the next step, writes() compares everything
// that was written since the last writes().
class Script {
 public:
  using Act = std::function<void(ConnectionFsm&, Buffer&)>;
  using Check = std::function<void(const ConnectionStep&)>;

  Script& client(std::string bytes);
  Script& step(Kind kind, Check check = {});
  Script& fails_with(AmqpError error);
  Script& server(Act act);
  Script& writes(std::string bytes);

  // Up to a running connection, with or without channel 1.
  static Script running(const ServerOffer& offer = {});
  static Script with_channel();
  static Script starting(const ServerOffer& offer = {});

  // Plays it as written; failures are reported through GoogleTest.
  void play() const;
  // Plays the first `steps` entries unchecked and returns the machine as it is then.
  struct Stage {
    std::unique_ptr<ConnectionFsm> fsm;
    Buffer out;
    // Bytes that the client sent and the machine has not used.
    std::string unread;
  };
  Stage stage(std::size_t steps) const;
  // Offers what the client still sends from entry `from` on to a machine and returns the steps it
  // answers with; the server gives no answers any more.
  std::vector<Kind> rest_after(Stage& stage, std::size_t from) const;
  std::size_t size() const { return entries_.size(); }
  bool is_client(std::size_t i) const { return entries_[i].what == What::kClient; }
  const std::string& client_bytes(std::size_t i) const { return entries_[i].bytes; }

 private:
  enum class What { kClient, kStep, kServer, kWrites };
  struct Entry {
    What what;
    std::string bytes;
    Kind kind = Kind::kNeedMore;
    Check check;
    Act act;
  };
  ServerOffer offer_;
  std::vector<Entry> entries_;
};

std::string_view kind_name(Kind kind);

// What the client of the scripts sends.
std::string start_ok(bool knows_login_failure = true);
std::string tune_ok(std::uint16_t channel_max, std::uint32_t frame_max, std::uint16_t heartbeat_s);
std::string open_vhost();
std::string open_channel(std::uint16_t channel);
std::string close_channel(std::uint16_t channel);
std::string publish(std::uint16_t channel);
std::string close_connection();
std::string close_written(const AmqpError& error);
std::string channel_close_written(std::uint16_t channel, const AmqpError& error);
AmqpError error_of(ReplyCode code, std::string text, std::uint16_t class_id = 0,
                   std::uint16_t method_id = 0);

extern const std::string kHeader091;

}  // namespace leveret::protocol::test
