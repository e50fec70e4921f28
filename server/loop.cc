#include "server/loop.h"

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "server/broker.h"
#include "server/dead_letter.h"
#include "server/queue_host.h"
#include "server/session.h"

namespace leveret::server {
namespace {

// Deliveries that one queue makes before others get their turn: more than the messages of 16 bytes
// that a turn reads, so that a backlog shrinks while its consumers keep up.
constexpr std::size_t kPumpBudget = 32768;
// Sockets served before their output is written. Without a bound a publisher whose socket is always
// readable would keep the turn from ending.
constexpr int kHandlersPerTurn = 4;
// How often sessions look at their heartbeats and time-outs: a quarter of the shortest heartbeat
// would be exact enough; half a second costs nothing.
constexpr std::chrono::milliseconds kTick{500};

}  // namespace

Loop::Loop(Broker& broker, std::uint16_t index, std::uint16_t loop_count, const Clock& clock)
    : broker_(broker),
      index_(index),
      clock_(clock),
      io_(1),
      outboxes_(static_cast<std::size_t>(loop_count) + 1),
      timer_(io_),
      tick_(io_),
      settings_(std::make_shared<RuntimeSettings>()),
      read_buffer_(new char[kReadBufferBytes]),
      dead_letters_(std::make_unique<DeadLetters>(*this)) {}

Loop::~Loop() {
  join();
}

void Loop::tick_sessions() {
  tick_.expires_after(kTick);
  tick_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    refresh_now();
    for (const std::shared_ptr<Session>& session : sessions()) session->on_tick();
    tick_sessions();
  });
}

void Loop::start(const std::string& thread_name) {
  thread_ = std::thread([this, thread_name] {
    pthread_setname_np(pthread_self(), thread_name.c_str());
    run();
  });
}

void Loop::stop() {
  stop_.store(true, std::memory_order_release);
  boost::asio::post(io_, [] {});
}

void Loop::join() {
  if (thread_.joinable()) thread_.join();
}

void Loop::run() {
  affinity_.bind_here();
  now_ = clock_.now_ms();
  auto work = boost::asio::make_work_guard(io_);
  if (index_ != broker_.loop_count()) tick_sessions();
  while (!stop_.load(std::memory_order_acquire)) {
    refresh_now();
    for (int i = 0; i < kHandlersPerTurn && io_.poll_one() > 0; ++i) {
    }
    if (finish_turn()) continue;
    io_.run_one();
  }
  flush_outboxes();
}

bool Loop::finish_turn() {
  refresh_now();
  bool busy = mailbox_.drain([this](Mail& mail) { handle(mail); });
  run_due_timers();

  pumping_.swap(dirty_queues_);
  for (const QueueId& id : pumping_) {
    QueueHost* host = find_queue(id);
    if (host == nullptr) continue;
    host->clear_dirty();
    if (host->pump(kPumpBudget)) mark_dirty(*host);
  }
  busy |= !pumping_.empty();
  pumping_.clear();

  flushing_.swap(dirty_sessions_);
  for (const std::shared_ptr<Session>& session : flushing_) session->flush();
  busy |= !flushing_.empty();
  flushing_.clear();

  if (index_ == broker_.loop_count()) busy |= broker_.finish_control_turn();
  busy |= flush_outboxes();
  arm_timer();
  return busy;
}

bool Loop::flush_outboxes() {
  if (filled_outboxes_.empty()) return false;
  for (std::uint16_t to : filled_outboxes_) {
    broker_.loop(to).deliver(std::exchange(outboxes_[to], {}));
  }
  filled_outboxes_.clear();
  return true;
}

void Loop::send(std::uint16_t to, Mail mail) {
  std::vector<Mail>& outbox = outboxes_[to];
  if (outbox.empty()) filled_outboxes_.push_back(to);
  outbox.push_back(std::move(mail));
}

void Loop::deliver(std::vector<Mail>&& mails) {
  mailbox_.push(std::move(mails));
  if (!wake_posted_.exchange(true, std::memory_order_acq_rel)) {
    boost::asio::post(io_, [this] { wake_posted_.store(false, std::memory_order_release); });
  }
}

void Loop::handle(Mail& mail) {
  switch (mail.index()) {
    case 0:
      std::get<Task>(mail)(*this);
      return;
    case 1:
      handle_publish(std::get<PublishMail>(mail));
      return;
    case 2: {
      const auto& published = std::get<PublishedMail>(mail);
      if (Session* session = find_session(published.to.connection)) {
        session->on_published(published);
      }
      return;
    }
    case 3: {
      auto& delivery = std::get<DeliverMail>(mail);
      Session* session = find_session(delivery.to.connection);
      if (session == nullptr || !session->on_remote_delivery(delivery)) {
        if (!delivery.no_ack) {
          send(delivery.queue.loop,
               SettleMail{SettleMail::Kind::kUndeliver, delivery.queue, {delivery.seq}});
        }
      }
      return;
    }
    case 4: {
      const auto& settle = std::get<SettleMail>(mail);
      if (QueueHost* host = find_queue(settle.queue)) host->settle(settle.kind, settle.seqs);
      return;
    }
    case 5: {
      const auto& credit = std::get<CreditMail>(mail);
      if (QueueHost* host = find_queue(credit.queue)) {
        host->return_window(credit.consumer, credit.bytes);
      }
      return;
    }
  }
}

void Loop::handle_publish(PublishMail& mail) {
  bool accepted = true;
  if (QueueHost* host = find_queue(mail.queue)) accepted = host->publish(mail.message);
  send(mail.from.loop,
       PublishedMail{mail.from, mail.publish_seq, accepted, mail.message->footprint()});
}

QueueHost* Loop::find_queue(const QueueId& id) {
  if (id.index >= queues_.size() || generations_[id.index] != id.generation) return nullptr;
  return queues_[id.index].get();
}

void Loop::add_queue(const QueueId& id, std::unique_ptr<QueueHost> host) {
  if (id.index >= queues_.size()) {
    queues_.resize(id.index + 1);
    generations_.resize(id.index + 1);
  }
  generations_[id.index] = id.generation;
  queues_[id.index] = std::move(host);
}

void Loop::remove_queue(const QueueId& id) {
  if (find_queue(id) == nullptr) return;
  queues_[id.index].reset();
}

void Loop::mark_dirty(QueueHost& host) {
  if (host.set_dirty()) dirty_queues_.push_back(host.id());
}

void Loop::schedule(const QueueId& id, MonotonicMs deadline) {
  timers_.push_back({deadline, id});
  std::push_heap(timers_.begin(), timers_.end(), std::greater<>{});
}

void Loop::run_due_timers() {
  if (timers_.empty()) return;
  now_ = clock_.now_ms();
  while (!timers_.empty() && timers_.front().at <= now_) {
    std::pop_heap(timers_.begin(), timers_.end(), std::greater<>{});
    const Timer due = timers_.back();
    timers_.pop_back();
    if (QueueHost* host = find_queue(due.queue)) host->on_timer(due.at);
  }
}

void Loop::arm_timer() {
  if (timers_.empty()) return;
  const MonotonicMs at = timers_.front().at;
  if (timer_at_ != 0 && timer_at_ <= at) return;
  timer_at_ = at;
  const MonotonicMs wait = std::max<MonotonicMs>(at - clock_.now_ms(), 0);
  timer_.expires_after(std::chrono::milliseconds(wait));
  timer_.async_wait([this](const boost::system::error_code& error) {
    // A cancelled wait was replaced by an earlier one; only a run-out one frees the slot.
    if (!error) timer_at_ = 0;
  });
}

Session* Loop::find_session(ConnectionId id) {
  const auto at = sessions_.find(id);
  return at == sessions_.end() ? nullptr : at->second.get();
}

void Loop::add_session(std::shared_ptr<Session> session) {
  const ConnectionId id = session->id();
  sessions_.emplace(id, std::move(session));
}

void Loop::remove_session(ConnectionId id) {
  sessions_.erase(id);
}

std::vector<std::shared_ptr<Session>> Loop::sessions() const {
  std::vector<std::shared_ptr<Session>> all;
  all.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_) all.push_back(session);
  return all;
}

void Loop::mark_dirty(Session& session) {
  if (session.set_dirty()) dirty_sessions_.push_back(session.shared_from_this());
}

VhostView* Loop::find_vhost(std::string_view name) {
  const auto at = vhosts_.find(std::string(name));
  return at == vhosts_.end() ? nullptr : at->second.get();
}

void Loop::install_routes(std::string_view vhost, exchange::RouteSnapshotRef routes) {
  auto& view = vhosts_[std::string(vhost)];
  if (!view) view = std::make_unique<VhostView>(VhostView{std::string(vhost), nullptr});
  view->routes = std::move(routes);
}

void Loop::remove_vhost(std::string_view name) {
  vhosts_.erase(std::string(name));
}

void Loop::install_access(std::shared_ptr<const config::AccessTable> access) {
  access_ = std::move(access);
  for (const auto& [id, session] : sessions_) session->refresh_access();
}

void Loop::install_settings(std::shared_ptr<const RuntimeSettings> settings) {
  settings_ = std::move(settings);
}

void Loop::set_alarm(const std::string& reason) {
  alarm_ = reason;
  for (const std::shared_ptr<Session>& session : sessions()) session->on_alarm_changed();
}

}  // namespace leveret::server
