#include "server/dead_letter.h"

#include <optional>
#include <utility>

#include "protocol/properties.h"
#include "server/death_history.h"
#include "server/loop.h"
#include "server/queue_host.h"

namespace leveret::server {

void DeadLetters::add(const QueueHost& source, const queue::MessageRef& message,
                      queue::DeadLetterReason reason) {
  const config::QueueSettings& settings = source.settings();
  Letter letter;
  letter.message = message;
  letter.vhost = source.identity().vhost;
  letter.queue = source.identity().name;
  letter.exchange = settings.dead_letter_exchange.value_or("");
  letter.has_routing_key = settings.dead_letter_routing_key.has_value();
  letter.routing_key = settings.dead_letter_routing_key.value_or("");
  letter.reason = reason;
  letters_.push_back(std::move(letter));
}

void DeadLetters::run() {
  if (running_ || letters_.empty()) return;
  running_ = true;
  while (!letters_.empty()) {
    const Letter letter = std::move(letters_.front());
    letters_.pop_front();
    publish(letter);
  }
  running_ = false;
}

void DeadLetters::publish(const Letter& letter) {
  VhostView* vhost = loop_.find_vhost(letter.vhost);
  if (vhost == nullptr || !vhost->routes->find_exchange(letter.exchange)) return;
  const queue::Message& dead = *letter.message;
  protocol::BasicProperties properties;
  protocol::parse_properties(dead.properties(), &properties);
  const DeathHistory history =
      DeathHistory::after(properties, {.queue = letter.queue,
                                       .reason = letter.reason,
                                       .exchange = dead.exchange(),
                                       .routing_key = dead.routing_key(),
                                       .seconds = loop_.wall_ms() / 1000,
                                       .keep_cc = !letter.has_routing_key});
  properties.headers = protocol::FieldTable(history.headers());
  properties.expiration.reset();
  const std::string encoded = protocol::encode_properties(properties);

  queue::Message::Parts parts;
  parts.exchange = letter.exchange;
  parts.routing_key =
      letter.has_routing_key ? std::string_view(letter.routing_key) : dead.routing_key();
  parts.properties = encoded;
  parts.body_size = dead.body_size();
  parts.persistent = dead.persistent();
  parts.priority = dead.priority();
  const queue::MessageRef message = queue::Message::copy_with(dead, parts);

  const std::vector<std::string_view> extra = history.cc_keys();
  loop_.router().route(*vhost->routes,
                       {parts.exchange, parts.routing_key, extra, *properties.headers}, &targets_);
  const std::vector<QueueId> targets = targets_;
  for (const QueueId& id : targets) {
    QueueHost* local = id.loop == loop_.index() ? loop_.find_queue(id) : nullptr;
    if (local != nullptr && history.is_cycle(local->identity().name)) continue;
    if (local != nullptr) {
      local->publish(message);
    } else if (id.loop != loop_.index()) {
      loop_.send(id.loop, Task([id, message, history](Loop& home) {
                   QueueHost* host = home.find_queue(id);
                   if (host != nullptr && !history.is_cycle(host->identity().name)) {
                     host->publish(message);
                   }
                 }));
    }
  }
}

}  // namespace leveret::server
