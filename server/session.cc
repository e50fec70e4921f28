#include "server/session.h"

#include <algorithm>
#include <spdlog/spdlog.h>
#include <utility>

#include <boost/asio/error.hpp>

#include "protocol/frame_encoder.h"
#include "server/broker.h"
#include "server/control.h"

namespace leveret::server {
namespace {

// Reads of one session before others get their turn. Output is written between turns: with more, a
// consumer of the same messages gets them late.
constexpr int kReadsPerTurn = 1;
// A partial frame up to this size is moved in front of the next read; a larger one grows where it
// is.
constexpr std::size_t kMoveMax = 64 * 1024;
// Output that idle connections may keep allocated.
constexpr std::size_t kIdleBuffer = 16 * 1024;
// Replies that wait for a client which does not read: beyond this many times the output bound its
// own requests wait, too.
constexpr std::size_t kRepliesFactor = 4;
// Under way to queues of other loops for one publisher.
constexpr std::uint64_t kInFlightBytes = 1024 * 1024;
// A peer that was sent connection.close has this long to answer.
constexpr MonotonicMs kLingerMs = 3000;

}  // namespace

Session::Session(Loop& loop, ConnectionId id, Transport transport)
    : loop_(&loop),
      id_(id),
      transport_(std::move(transport)),
      settings_(loop.shared_settings()),
      fsm_(settings_->offer),
      started_at_(loop.now()),
      last_read_(loop.now()),
      last_write_(loop.now()) {}

Session::~Session() = default;

void Session::start() {
  spdlog::info("connection {}: accepted", name());
  wait_readable();
}

bool Session::may_read() const {
  if (ended_ || awaiting_ || reading_) return false;
  if (published_ && !loop_->alarm().empty() && opened_ && !lingering_) return false;
  if (in_flight_bytes_ > kInFlightBytes) return false;
  return output_.size() <= kRepliesFactor * settings_->limits.output_buffer_bytes;
}

void Session::wait_readable() {
  if (!may_read()) return;
  reading_ = true;
  transport_.wait_readable([self = shared_from_this()](const boost::system::error_code& error) {
    if (error == boost::asio::error::operation_aborted) return;
    self->reading_ = false;
    if (self->ended_) return;
    self->on_readable();
  });
}

void Session::on_readable() {
  loop_->refresh_now();
  for (int i = 0; i < kReadsPerTurn && may_read(); ++i) {
    if (!read_once()) break;
  }
  wait_readable();
  if (moving_) touch_output();
}

bool Session::read_once() {
  boost::system::error_code error;
  std::size_t n = 0;
  std::size_t room = 0;
  if (pending_input_.size() <= kMoveMax) {
    char* shared = loop_->read_buffer();
    const std::size_t kept = pending_input_.size();
    room = Loop::kReadBufferBytes - kept;
    n = transport_.read(shared + kept, room, &error);
    if (n > 0) {
      last_read_ = loop_->now();
      if (kept > 0) {
        std::memcpy(shared, pending_input_.data(), kept);
        pending_input_.clear();
      }
      const std::string_view left = handle_input({shared, kept + n});
      if (ended_) return false;
      pending_input_.append(left);
      if (pending_input_.empty() && pending_input_.capacity() > kIdleBuffer) {
        pending_input_.release();
      }
    }
  } else {
    room = Loop::kReadBufferBytes;
    n = transport_.read(pending_input_.prepare(room), room, &error);
    if (n > 0) {
      last_read_ = loop_->now();
      pending_input_.commit(n);
      handle_pending();
      if (ended_) return false;
    }
  }
  if (n == 0) {
    if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
      return false;
    }
    end(error == boost::asio::error::eof ? "closed by the client" : "connection lost");
    return false;
  }
  return n == room;
}

std::string_view Session::handle_input(std::string_view input) {
  while (!awaiting_ && !ended_) {
    const std::string_view before = input;
    fsm_.resume(&input, output_.buffer(), &step_);
    if (!handle_step(step_)) break;
    // The state machine keeps nothing of a method without content: it can be read again.
    if (std::exchange(repeat_method_, false)) input = before;
  }
  touch_output();
  return input;
}

void Session::handle_pending() {
  const std::string_view left = handle_input(pending_input_.view());
  if (ended_) return;
  pending_input_.consume(pending_input_.size() - left.size());
}

void Session::answered() {
  if (ended_) return;
  if (!pending_input_.empty()) handle_pending();
  if (!ended_) wait_readable();
  touch_output();
}

void Session::release_input() {
  if (!std::exchange(awaiting_, false)) return;
  // The caller is inside a channel; input is handled from the loop.
  loop_->send(loop_->index(), Task([id = id_](Loop& loop) {
                Session* session = loop.find_session(id);
                if (session != nullptr && !session->awaiting_) session->answered();
              }));
}

bool Session::handle_step(protocol::ConnectionStep& step) {
  using Kind = protocol::ConnectionStep::Kind;
  switch (step.kind) {
    case Kind::kNeedMore:
      return false;
    case Kind::kContinue:
      return true;
    case Kind::kChannelMethod:
      static_cast<Channel*>(step.context)->on_method(step.class_id, step.method_id, step.args);
      return true;
    case Kind::kContentHeader:
      static_cast<Channel*>(step.context)->on_content_header(step.header, step.content_complete);
      return true;
    case Kind::kContentBody:
      static_cast<Channel*>(step.context)->on_content_body(step.body, step.content_complete);
      return true;
    case Kind::kAuthenticate:
      authenticate(step);
      return true;
    case Kind::kOpen:
      open_vhost(step);
      return true;
    case Kind::kUpdateSecret:
      update_secret(step);
      return true;
    case Kind::kChannelOpened:
      channel_opened(step.channel);
      return true;
    case Kind::kChannelClosing:
      channel_closing(step.channel);
      return true;
    case Kind::kChannelClosed:
      return true;
    case Kind::kConnectionClosing:
      connection_closing();
      return true;
    case Kind::kFailed:
      connection_failed(step.error);
      return true;
    case Kind::kBadHeader:
      spdlog::warn("connection {}: not an AMQP 0-9-1 client, refused", name());
      flush();
      end("bad protocol header");
      return false;
    case Kind::kClosed:
      flush();
      end("closed");
      return false;
  }
  return false;
}

void Session::channel_opened(ChannelId id) {
  auto& slot = channels_[id.value];
  slot = std::make_unique<Channel>(*this, id, ++next_generation_);
  fsm_.set_context(id, slot.get());
}

void Session::channel_closing(ChannelId id) {
  Channel* channel = find_channel(id);
  std::set<std::uint16_t> loops;
  if (channel != nullptr) {
    channel->write_confirms();
    channel->clean_up(&loops);
  }
  fence(loops, [this, id] {
    fsm_.channel_close_finished(id, output_.buffer());
    remove_channel(id);
  });
}

void Session::connection_closing() {
  write_confirms();
  clean_up();
  using Done = bool;
  ask_control<Done>(
      [id = id_](Control& control, const Reply<Done>& reply) {
        control.connection_closed(id, [reply](Loop& loop) { reply(loop, true); });
      },
      [this](Done) {
        registered_ = false;
        fsm_.connection_close_finished(output_.buffer());
        flush();
        end("closed by the client");
      });
}

void Session::connection_failed(const protocol::AmqpError& error) {
  spdlog::error("connection {} ({}): {}", name(), user_.empty() ? "not logged in" : user_,
                error.text);
  clean_up();
  abandoned_ = true;
  awaiting_ = false;
  start_linger();
}

void Session::start_linger() {
  lingering_ = true;
  linger_until_ = loop_->now() + kLingerMs;
  touch_output();
}

void Session::fail(ChannelId channel, protocol::AmqpError error) {
  if (error.scope == protocol::ErrorScope::kConnection) {
    if (fsm_.closing()) return;
    fsm_.fail_connection(error, output_.buffer());
    connection_failed(error);
    return;
  }
  if (!fsm_.channel_open(channel)) return;
  spdlog::warn("connection {} ({}), channel {}: {}", name(), user_, channel.value, error.text);
  Channel* gone = find_channel(channel);
  if (gone != nullptr) {
    gone->write_confirms();
    std::set<std::uint16_t> loops;
    gone->clean_up(&loops);
  }
  fsm_.fail_channel(channel, error, output_.buffer());
  remove_channel(channel);
  touch_output();
}

void Session::close_by_server(const protocol::AmqpError& error) {
  if (ended_) return;
  if (!opened_) {
    end("closed by the server");
    return;
  }
  write_confirms();
  fail(ChannelId{0}, error);
  // The close must go out, and its answer be read, even while publishers are blocked.
  awaiting_ = false;
  wait_readable();
  flush();
}

Channel* Session::find_channel(ChannelId id) {
  const auto at = channels_.find(id.value);
  return at == channels_.end() ? nullptr : at->second.get();
}

void Session::remove_channel(ChannelId id) {
  const auto at = channels_.find(id.value);
  if (at == channels_.end()) return;
  // Its methods may still be running.
  loop_->send(loop_->index(),
              Task([dead = std::shared_ptr<Channel>(std::move(at->second))](Loop&) {}));
  channels_.erase(at);
}

void Session::clean_up() {
  if (std::exchange(cleaned_up_, true)) return;
  std::set<std::uint16_t> loops;
  for (auto& [number, channel] : channels_) channel->clean_up(&loops);
}

void Session::end(const char* reason) {
  if (std::exchange(ended_, true)) return;
  clean_up();
  if (registered_) {
    send_to_control(*loop_,
                    [id = id_](Control& control) { control.connection_closed(id, nullptr); });
  }
  spdlog::info("connection {}: {}", name(), reason);
  transport_.close();
  output_.release();
  pending_input_.release();
  // The rest goes when the last pending handler lets go of this object.
  loop_->remove_session(id_);
}

void Session::fence(const std::set<std::uint16_t>& loops, std::function<void()> then) {
  if (loops.empty()) {
    then();
    return;
  }
  awaiting_ = true;
  auto left = std::make_shared<std::size_t>(loops.size());
  const std::uint16_t origin = loop_->index();
  for (std::uint16_t to : loops) {
    loop_->send(to, Task([origin, id = id_, left, then](Loop& other) {
                  other.send(origin, Task([id, left, then](Loop& back) {
                               if (--*left > 0) return;
                               Session* session = back.find_session(id);
                               if (session == nullptr) return;
                               session->awaiting_ = false;
                               then();
                               session->answered();
                             }));
                }));
  }
}

void Session::on_published(const PublishedMail& mail) {
  const bool was_full = in_flight_bytes_ > kInFlightBytes;
  in_flight_bytes_ -= std::min(mail.bytes, in_flight_bytes_);
  if (mail.publish_seq != 0) {
    Channel* channel = find_channel(mail.to.channel);
    if (channel != nullptr && channel->address().generation == mail.to.generation) {
      channel->on_published(mail);
    }
  }
  if (was_full && in_flight_bytes_ <= kInFlightBytes) wait_readable();
  if (moving_) touch_output();
}

bool Session::on_remote_delivery(DeliverMail& mail) {
  Channel* channel = find_channel(mail.to.channel);
  if (channel == nullptr || channel->address().generation != mail.to.generation) return false;
  const std::uint64_t bytes = mail.message->footprint();
  const QueueId queue = mail.queue;
  const ConsumerId consumer = mail.queue_consumer;
  if (!channel->on_remote_delivery(mail)) return false;
  if (owed_credits_.empty() || owed_credits_.back().consumer != consumer ||
      owed_credits_.back().queue != queue) {
    owed_credits_.push_back({queue, consumer, 0});
  }
  owed_credits_.back().bytes += bytes;
  touch_output();
  return true;
}

void Session::return_credits() {
  if (owed_credits_.empty() || output_full_) return;
  for (const CreditMail& credit : owed_credits_) loop_->send(credit.queue.loop, credit);
  owed_credits_.clear();
}

void Session::on_consumer_cancelled(const ChannelAddress& to, ConsumerKey key) {
  Channel* channel = find_channel(to.channel);
  if (channel != nullptr && channel->address().generation == to.generation) {
    channel->on_consumer_cancelled(key);
  }
}

}  // namespace leveret::server
