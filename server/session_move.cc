#include <spdlog/spdlog.h>
#include <utility>

#include "server/broker.h"
#include "server/channel.h"
#include "server/session.h"

// Moving a quiet session to the loop of the queues it uses, so that its messages need no mail.
namespace leveret::server {
namespace {

// A client that works with queues of several loops settles somewhere.
constexpr int kMovesMax = 2;

}  // namespace

bool Session::is_quiet() const {
  for (const auto& [number, channel] : channels_) {
    if (!channel->is_quiet()) return false;
  }
  return opened_ && !ended_ && !cleaned_up_ && !blocked_sent_ && !fsm_.closing();
}

bool Session::move_towards(std::uint16_t loop, bool repeat_method) {
  if (loop == loop_->index() || moves_ >= kMovesMax || moving_ || !is_quiet()) return false;
  moving_ = true;
  move_to_ = loop;
  repeat_method_ = repeat_method;
  hold_input();
  touch_output();
  return true;
}

void Session::try_move() {
  // What is still under way here has to arrive first; on_published() and the socket call again.
  if (in_flight_bytes_ > 0 || !output_.empty() || writing_ || reading_ || dirty_ || ended_) return;
  if (!is_quiet()) {
    moving_ = false;
    release_input();
    return;
  }
  ++moves_;
  const std::shared_ptr<Session> self = shared_from_this();
  loop_->remove_session(id_);
  Loop& from = *loop_;
  const std::uint16_t to = move_to_;
  const int descriptor = transport_.release();
  if (descriptor < 0) {
    from.add_session(self);
    end("connection lost");
    return;
  }
  from.send(to, Task([self, descriptor](Loop& loop) { self->arrive(loop, descriptor); }));
}

void Session::arrive(Loop& loop, int descriptor) {
  loop_ = &loop;
  transport_.adopt(loop.io(), descriptor);
  vhost_ = loop.find_vhost(vhost_->name);
  moving_ = false;
  dirty_ = false;
  loop.add_session(shared_from_this());
  spdlog::debug("connection {}: moved to loop {}", name(), loop.index());
  refresh_access();
  // What was announced to all sessions while this one was between two loops.
  if (loop.broker().stopping()) return close_by_server(loop.broker().shutdown_error());
  awaiting_ = false;
  answered();
}

}  // namespace leveret::server
