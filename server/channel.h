#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "protocol/amqp_error.h"
#include "protocol/base/ids.h"
#include "protocol/properties.h"
#include "queue/effects.h"
#include "queue/message.h"
#include "server/confirms.h"
#include "server/mail.h"
#include "server/route_cache.h"
#include "server/unacked_deliveries.h"

namespace leveret::server {

class Channel;
class Session;

// A consumer as its channel knows it.
struct Consumer {
  Channel* channel = nullptr;
  ConsumerKey key = 0;
  std::string tag;
  QueueId queue;
  ConsumerId id;
  bool no_ack = false;
};

// One AMQP channel: publishes, consumers, unacknowledged deliveries, confirm or transaction mode.
// What each method does is in server/methods/.
//
// Home loop: its session's. Lifetime: owned by the session.
class Channel {
 public:
  Channel(Session& session, ChannelId id, std::uint32_t generation);
  ~Channel();

  ChannelId id() const { return id_; }
  Session& session() { return session_; }
  ChannelAddress address() const;

  void on_method(std::uint16_t class_id, std::uint16_t method_id, std::string_view args);
  void on_content_header(const protocol::ContentHeader& header, bool complete);
  void on_content_body(std::string_view body, bool complete);

  // Writes a delivery of a queue on this loop. False: the session's output is full now.
  bool deliver(Consumer& consumer, const QueueId& queue, queue::Effect& effect);
  // A delivery from another loop. False: it has to go back.
  bool on_remote_delivery(DeliverMail& mail);
  void on_consumer_cancelled(ConsumerKey key);
  void on_published(const PublishedMail& mail);
  // False: the reply is not for this channel, or no longer.
  bool on_direct_reply(const queue::MessageRef& message);
  void write_confirms();

  // Cancels consumers and gives unacked messages back. Adds the loops it sent mail to to *loops.
  void clean_up(std::set<std::uint16_t>* loops);

  // Sends channel.close or connection.close for the method that is being handled.
  void fail(protocol::AmqpError error);
  // The same for arguments that could not be read: the error carries its own ids.
  void fail_decode(protocol::AmqpError error) { session_fail(std::move(error)); }
  template <typename Method>
  void reply(const Method& method);
  template <typename Method>
  bool decode(std::string_view args, Method* method);

  // basic.publish was decoded; the content follows.
  void begin_publish(std::string_view exchange, std::string_view routing_key, bool mandatory);

  // Consumers.
  Consumer* find_consumer(std::string_view tag);
  Consumer& add_consumer(std::string tag, const QueueId& queue, bool no_ack);
  void remove_consumer(ConsumerKey key);
  // The queue has accepted the consumer under this id.
  void consumer_started(ConsumerKey key, ConsumerId id);
  std::size_t consumer_count() const { return consumers_.size(); }
  std::string new_consumer_tag();

  // Settlements by the client; false: 406 was sent.
  bool settle(SettleMail::Kind kind, std::uint64_t tag, bool multiple);
  // Nothing of this channel is known to another loop, or on its way.
  bool is_quiet() const {
    return consumers_.empty() && unacked_.empty() && confirms_.unsettled() == 0 &&
           tx_publishes_.empty() && tx_settles_.empty() && reply_tag_.empty() &&
           !incoming_.message && mode_ != Mode::kTransaction;
  }
  void recover();
  // A basic.get answer was written with the tag this returns.
  std::uint64_t next_delivery_tag() { return ++last_delivery_tag_; }
  void add_unacked(const UnackedDeliveries::Entry& entry);

  void set_prefetch(std::uint16_t count) { prefetch_ = count; }
  void set_global_prefetch(std::uint16_t count);
  std::uint16_t prefetch() const { return prefetch_; }

  // The queue a method names; "" is the last one declared here. Empty after 404 was sent.
  std::optional<std::string> resolve_queue_name(std::string_view name);
  void set_last_queue(std::string_view name) { last_queue_ = name; }

  enum class Mode : std::uint8_t { kPlain, kConfirm, kTransaction };
  Mode mode() const { return mode_; }
  void set_mode(Mode mode) { mode_ = mode; }
  void commit();
  void rollback();

  // Direct reply-to: the name that replies to this channel's consumer are addressed to.
  bool has_reply_consumer() const { return !reply_tag_.empty(); }
  void set_reply_consumer(std::string tag);
  const std::string& reply_consumer_tag() const { return reply_tag_; }
  const std::string& reply_name() const { return reply_name_; }
  void clear_reply_consumer();

 private:
  struct PendingPublish {
    queue::MessageRef message;
    std::vector<QueueId> queues;
    bool mandatory = false;
    bool to_return = false;
  };
  struct PendingSettle {
    SettleMail::Kind kind;
    std::vector<UnackedDeliveries::Entry> entries;
  };
  // A publish whose content is coming in.
  struct Incoming {
    std::string exchange;
    std::string routing_key;
    std::string properties;  // only if they had to be rewritten
    bool mandatory = false;
    queue::MessageRef message;
    // CC and BCC keys of this message, if any.
    std::vector<std::string> extra_keys;
    std::string headers;
  };

  // publish.cc
  std::optional<protocol::AmqpError> authorize_publish();
  std::optional<protocol::AmqpError> authorize_topic(std::string_view routing_key);
  std::optional<protocol::AmqpError> read_properties(std::string_view raw,
                                                     queue::Message::Parts* parts);
  std::optional<protocol::AmqpError> read_header_keys(protocol::FieldTable headers,
                                                      std::string* without_bcc, bool* rewrite);
  // Valid until the next call on this loop.
  const std::vector<QueueId>& find_route();
  void finish_publish();
  void return_unroutable(const queue::MessageRef& message);
  void follow_route(const std::vector<QueueId>& queues);
  // A reply to a requester's channel. False: nobody there.
  bool direct_reply(const queue::MessageRef& message);
  // Gives the message to its queues; returns how many outcomes are still to come.
  std::uint32_t publish_to(const queue::MessageRef& message, std::uint64_t publish_seq,
                           const std::vector<QueueId>& queues, bool* refused);

  void write_delivery(const Consumer& consumer, const queue::MessageRef& message, std::uint64_t tag,
                      bool redelivered);
  void apply_settle(SettleMail::Kind kind, std::vector<UnackedDeliveries::Entry>& entries);
  void note_settled(const std::vector<UnackedDeliveries::Entry>& entries);
  void update_global_pause();
  bool global_full() const {
    return global_prefetch_ != 0 && consumer_unacked_ >= global_prefetch_;
  }
  void finish_commit();

  void session_fail(protocol::AmqpError error);

  Session& session_;
  const ChannelId id_;
  const std::uint32_t generation_;
  std::uint16_t class_id_ = 0;  // of the method that is being handled
  std::uint16_t method_id_ = 0;

  Incoming incoming_;
  RouteCache route_cache_;
  Mode mode_ = Mode::kPlain;
  Confirms confirms_;
  bool confirms_marked_ = false;

  std::uint64_t last_delivery_tag_ = 0;
  UnackedDeliveries unacked_;
  std::size_t consumer_unacked_ = 0;  // without those of basic.get
  std::uint16_t prefetch_ = 0;
  std::uint16_t global_prefetch_ = 0;
  bool global_paused_ = false;
  ConsumerKey last_served_ = 0;

  ConsumerKey last_consumer_key_ = 0;
  boost::unordered_flat_map<ConsumerKey, std::unique_ptr<Consumer>> consumers_;

  std::string last_queue_;
  std::string reply_tag_;
  std::string reply_name_;

  std::vector<PendingPublish> tx_publishes_;
  std::vector<PendingSettle> tx_settles_;
  std::uint32_t commit_outcomes_ = 0;
  bool commit_refused_ = false;
  std::vector<UnackedDeliveries::Entry> settle_scratch_;
};

}  // namespace leveret::server
