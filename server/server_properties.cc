#include "server/server_properties.h"

#include "protocol/field_table.h"

namespace leveret::server {

std::string server_properties() {
  protocol::FieldTableBuilder capabilities;
  for (const char* capability :
       {"publisher_confirms", "exchange_exchange_bindings", "basic.nack", "consumer_cancel_notify",
        "connection.blocked", "consumer_priorities", "authentication_failure_close",
        "per_consumer_qos", "direct_reply_to"}) {
    capabilities.boolean(capability, true);
  }
  // Client libraries branch on product and version. kombu and Celery, for one, send
  // basic.qos(global=true) only to a product "RabbitMQ" of a version below 4.0, and that is the
  // behaviour this broker keeps; so it names the RabbitMQ version whose behaviour it follows, and
  // itself in the keys that are read by people.
  protocol::FieldTableBuilder properties;
  properties.table("capabilities", capabilities.bytes())
      .string("cluster_name", "leveret")
      .string("copyright", "Licensed under the Apache License 2.0")
      .string("information", "Leveret " LEVERET_VERSION ", an AMQP 0-9-1 broker")
      .string("platform", "Leveret " LEVERET_VERSION)
      .string("product", "RabbitMQ")
      .string("version", "3.10.8")
      .string("broker", "Leveret")
      .string("broker_version", LEVERET_VERSION);
  return properties.take();
}

}  // namespace leveret::server
