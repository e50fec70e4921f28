#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "config/arguments.h"
#include "protocol/amqp_error.h"
#include "protocol/base/ids.h"
#include "queue/message_queue.h"
#include "server/mail.h"

namespace leveret::server {

struct Consumer;
class Loop;

// Why a consumer gets nothing at the moment; a set of bits.
enum PauseReason : std::uint8_t {
  kPausedByOutput = 1,    // bytes wait for its socket
  kPausedByPrefetch = 2,  // its channel is at its global prefetch
  kPausedByWindow = 4,    // too many bytes are under way to its loop
};

// A consumer as its queue's home loop knows it.
struct ConsumerLink {
  ConsumerId id;
  ChannelAddress to;
  ConsumerKey key = 0;
  Consumer* local = nullptr;  // null: its channel lives on another loop
  std::string tag;
  bool no_ack = false;
  bool exclusive = false;
  std::uint16_t prefetch = 0;
  std::int32_t priority = 0;
  std::uint8_t paused = 0;            // PauseReason bits
  std::uint64_t bytes_under_way = 0;  // to another loop, not yet in its socket's buffer
  bool wants_cancel_notice = false;
};

struct ConsumeRequest {
  ChannelAddress from;
  ConsumerKey key = 0;
  Consumer* local = nullptr;
  std::string tag;
  bool no_ack = false;
  bool exclusive = false;
  std::uint16_t prefetch = 0;
  std::int32_t priority = 0;
  bool wants_cancel_notice = false;
};

struct QueueIdentity {
  QueueId id;
  std::string name;
  std::string vhost;
  bool durable = false;
  bool auto_delete = false;
  // The connection that may use it; 0: any.
  ConnectionId exclusive_owner;
};

// A queue on its home loop: the core, its consumers' addresses, and the carrying out of effects.
//
// Home loop: the one in id().loop. Lifetime: owned by that loop's slot table.
class QueueHost {
 public:
  QueueHost(Loop& loop, QueueIdentity identity, const config::QueueSettings& settings);
  ~QueueHost();

  const QueueId& id() const { return identity_.id; }
  const QueueIdentity& identity() const { return identity_; }
  queue::QueueCounts counts() const { return core_.counts(); }
  const config::QueueSettings& settings() const { return core_.settings(); }

  // False: the queue refused it (overflow).
  bool publish(const queue::MessageRef& message);

  // 405 for a connection that is not the exclusive owner; empty if it may use the queue.
  std::optional<protocol::AmqpError> check_owner(ConnectionId connection) const;

  struct ConsumeResult {
    std::optional<protocol::AmqpError> error;
    ConsumerId id;
  };
  // Deliveries begin with the next pump, so that consume-ok comes first.
  ConsumeResult consume(const ConsumeRequest& request);
  void cancel(ConsumerId id);
  std::optional<queue::MessageQueue::Got> get(bool no_ack);
  void settle(SettleMail::Kind kind, std::span<const MessageSeq> seqs);
  std::uint64_t purge();
  // Declares and gets keep a queue with x-expires alive.
  void touch();

  void pause(ConsumerId id, PauseReason reason);
  void resume(ConsumerId id, PauseReason reason);
  // Bytes that were under way to another loop have arrived.
  void return_window(ConsumerId id, std::uint64_t bytes);

  struct DeleteResult {
    std::optional<protocol::AmqpError> error;
    std::uint64_t ready = 0;
  };
  // Tells consumers and empties the queue; the caller then takes it off the loop. With an error
  // nothing has changed.
  DeleteResult prepare_delete(bool if_unused, bool if_empty);

  void apply_settings(const config::QueueSettings& settings);
  void on_timer(MonotonicMs at);

  // True if it stopped for the budget.
  bool pump(std::size_t budget);
  // True if it was not marked already.
  bool set_dirty() { return !std::exchange(dirty_, true); }
  void clear_dirty() { dirty_ = false; }

 private:
  using Effects = queue::Effects;

  void execute(Effects& effects);
  void deliver(queue::Effect& effect);
  void cancel_notice(ConsumerLink& link);
  void reschedule();
  ConsumerLink* find_link(ConsumerId id);
  protocol::AmqpError in_use_error(const char* what) const;

  Loop& loop_;
  const QueueIdentity identity_;
  queue::MessageQueue core_;
  boost::unordered_flat_map<ConsumerId, std::unique_ptr<ConsumerLink>, std::hash<ConsumerId>>
      links_;
  MonotonicMs timer_at_ = 0;  // 0: not scheduled
  bool dirty_ = false;
};

}  // namespace leveret::server
