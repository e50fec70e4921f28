#include <algorithm>
#include <spdlog/spdlog.h>
#include <utility>

#include <boost/asio/error.hpp>

#include "protocol/frame_encoder.h"
#include "server/channel.h"
#include "server/session.h"

// The part of a session that writes: confirms, output and its bounds, heartbeats, blocking.
namespace leveret::server {
namespace {

// Idle connections keep no more than this of their output buffer.
constexpr std::size_t kIdleOutput = 16 * 1024;

}  // namespace

void Session::mark_confirms(Channel& channel) {
  confirming_.push_back(channel.address());
  touch_output();
}

void Session::write_confirms() {
  for (const ChannelAddress& address : confirming_) {
    Channel* channel = find_channel(address.channel);
    if (channel != nullptr && channel->address().generation == address.generation) {
      channel->write_confirms();
    }
  }
  confirming_.clear();
}

void Session::flush() {
  dirty_ = false;
  if (ended_) return;
  write_confirms();
  if (!writing_) write_output();
  if (!ended_) return_credits();
  if (moving_) try_move();
}

void Session::write_output() {
  if (output_.empty()) {
    if (output_.buffer().capacity() > kIdleOutput) output_.release();
    return;
  }
  boost::system::error_code error;
  if (transport_.write(output_, &error) > 0) last_write_ = loop_->now();
  if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
    wait_writable();
  } else if (error) {
    end("connection lost");
    return;
  }
  output_drained();
}

void Session::wait_writable() {
  writing_ = true;
  transport_.wait_writable([self = shared_from_this()](const boost::system::error_code& error) {
    if (error == boost::asio::error::operation_aborted) return;
    self->writing_ = false;
    if (self->ended_) return;
    self->write_output();
    if (self->ended_) return;
    self->wait_readable();
    if (self->moving_) self->touch_output();
  });
}

void Session::note_output() {
  touch_output();
  if (output_.size() <= settings_->limits.output_buffer_bytes) return;
  // Written at once while the socket takes it, so that a fast consumer is never paused. An error is
  // met again, and handled, at the end of the turn: here a queue is in the middle of a command.
  if (!writing_) {
    boost::system::error_code error;
    if (transport_.write(output_, &error) > 0) last_write_ = loop_->now();
    if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
      wait_writable();
    }
  }
  output_full_ = output_.size() > settings_->limits.output_buffer_bytes / 2;
}

void Session::remember_paused(const QueueId& queue, ConsumerId consumer) {
  paused_consumers_.emplace_back(queue, consumer);
}

void Session::output_drained() {
  // Requests may have waited for their answers to leave.
  wait_readable();
  if (!output_full_ || output_.size() > settings_->limits.output_buffer_bytes / 2) return;
  output_full_ = false;
  const auto paused = std::exchange(paused_consumers_, {});
  for (const auto& [queue, consumer] : paused) {
    if (QueueHost* host = loop_->find_queue(queue)) host->resume(consumer, kPausedByOutput);
  }
  return_credits();
}

void Session::note_publish() {
  published_ = true;
  if (!loop_->alarm().empty()) on_alarm_changed();
}

void Session::on_alarm_changed() {
  if (!published_ || !opened_ || ended_ || fsm_.closing()) return;
  const std::string& reason = loop_->alarm();
  if (!reason.empty()) {
    if (blocked_sent_) return;
    blocked_sent_ = true;
    spdlog::warn("connection {} ({}): publisher blocked, {}", name(), user_, reason);
    if (client_capability("connection.blocked")) {
      write(ChannelId{0}, protocol::ConnectionBlocked{reason});
    }
    return;
  }
  if (std::exchange(blocked_sent_, false) && client_capability("connection.blocked")) {
    write(ChannelId{0}, protocol::ConnectionUnblocked{});
  }
  // Not inside the loop over all sessions: handling input may end one of them.
  loop_->send(loop_->index(), Task([id = id_](Loop& loop) {
                if (Session* session = loop.find_session(id)) session->answered();
              }));
}

void Session::on_tick() {
  const MonotonicMs now = loop_->now();
  if (lingering_) {
    if (now >= linger_until_) end("closed, the client did not answer");
    return;
  }
  if (!opened_) {
    if (now - started_at_ >= settings_->limits.handshake_timeout_ms) {
      spdlog::warn("connection {}: handshake took too long", name());
      end("handshake timeout");
    }
    return;
  }
  const MonotonicMs interval = MonotonicMs{fsm_.heartbeat_s()} * 1000;
  if (interval == 0) return;
  if (now - last_write_ >= interval / 2 && output_.empty()) {
    protocol::write_heartbeat(output_.buffer());
    touch_output();
  }
  // What the peer sent may be unread because reading is paused.
  if (!reading_) last_read_ = now;
  if (now - last_read_ >= interval * 5 / 2) {
    spdlog::warn("connection {} ({}): missed heartbeats from client, timeout: {}s", name(), user_,
                 fsm_.heartbeat_s());
    end("missed heartbeats");
  }
}

}  // namespace leveret::server
