// Interop checks with librabbitmq (rabbitmq-c), the C client.

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// A check that fails jumps out of its function; the connection is dropped by the caller.
static jmp_buf failed;
static char why[512];

static void fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  longjmp(failed, 1);
}

#define EXPECT(condition) \
  do {                    \
    if (!(condition)) fail("line %d: %s", __LINE__, #condition); \
  } while (0)

static amqp_connection_state_t connection;

static amqp_bytes_t text(const char* value) { return amqp_cstring_bytes(value); }

static bool equals(amqp_bytes_t bytes, const char* value) {
  return bytes.len == strlen(value) && memcmp(bytes.bytes, value, bytes.len) == 0;
}

// Fails unless the last call got the reply it waited for.
static void replied(const char* what) {
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection);
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return;
  if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION &&
      reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
    amqp_channel_close_t* close = reply.reply.decoded;
    fail("%s: %.*s", what, (int)close->reply_text.len, (char*)close->reply_text.bytes);
  }
  fail("%s: %s", what,
       reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION ? amqp_error_string2(reply.library_error)
                                                           : "connection closed");
}

static void open_connection(int heartbeat) {
  const char* host = getenv("AMQP_HOST");
  const char* port = getenv("AMQP_PORT");
  connection = amqp_new_connection();
  amqp_socket_t* socket = amqp_tcp_socket_new(connection);
  int status = amqp_socket_open(socket, host ? host : "127.0.0.1", port ? atoi(port) : 5672);
  if (status != AMQP_STATUS_OK) fail("connect: %s", amqp_error_string2(status));
  // Without this capability the broker keeps quiet about consumers it cancels.
  amqp_table_entry_t capability = {text("consumer_cancel_notify"),
                                   {AMQP_FIELD_KIND_BOOLEAN, {.boolean = 1}}};
  amqp_table_entry_t property = {text("capabilities"),
                                 {AMQP_FIELD_KIND_TABLE, {.table = {1, &capability}}}};
  amqp_table_t properties = {1, &property};
  amqp_rpc_reply_t reply =
      amqp_login_with_properties(connection, "/", 0, 131072, heartbeat, &properties,
                                 AMQP_SASL_METHOD_PLAIN, "guest", "guest");
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("login refused");
  struct timeval limit = {5, 0};
  amqp_set_rpc_timeout(connection, &limit);
  amqp_channel_open(connection, 1);
  replied("channel.open");
}

// Names live as long as the program: a handful of small strings per check.
static const char* unique(const char* kind) {
  static int counter = 0;
  char* name = malloc(64);
  snprintf(name, 64, "interop-c-%s-%d-%d", kind, (int)getpid(), ++counter);
  return name;
}

static const char* new_queue_with(amqp_channel_t channel, amqp_table_t arguments) {
  const char* name = unique("queue");
  amqp_queue_declare(connection, channel, text(name), 0, 0, 1, 0, arguments);
  replied("queue.declare");
  return name;
}

static const char* new_queue(amqp_channel_t channel) {
  return new_queue_with(channel, amqp_empty_table);
}

static const char* new_exchange(const char* type) {
  const char* name = unique(type);
  amqp_exchange_declare(connection, 1, text(name), text(type), 0, 0, 1, 0, amqp_empty_table);
  replied("exchange.declare");
  return name;
}

static void bind(const char* queue, const char* exchange, const char* key) {
  amqp_queue_bind(connection, 1, text(queue), text(exchange), text(key), amqp_empty_table);
  replied("queue.bind");
}

static unsigned count(amqp_channel_t channel, const char* queue) {
  amqp_queue_declare_ok_t* ok =
      amqp_queue_declare(connection, channel, text(queue), 1, 0, 0, 0, amqp_empty_table);
  replied("passive queue.declare");
  return ok->message_count;
}

static void publish_bytes(amqp_channel_t channel, const char* exchange, const char* key,
                          bool mandatory, const amqp_basic_properties_t* properties,
                          amqp_bytes_t body) {
  int status = amqp_basic_publish(connection, channel, text(exchange), text(key), mandatory, 0,
                                  properties, body);
  if (status != AMQP_STATUS_OK) fail("publish: %s", amqp_error_string2(status));
}

static void publish(const char* exchange, const char* key, const char* body) {
  publish_bytes(1, exchange, key, false, NULL, text(body));
}

typedef struct {
  bool found;
  uint64_t tag;
  bool redelivered;
  uint32_t left;
  amqp_message_t message;
} Got;

static Got get(amqp_channel_t channel, const char* queue, bool no_ack) {
  Got got = {0};
  amqp_rpc_reply_t reply = amqp_basic_get(connection, channel, text(queue), no_ack);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) replied("basic.get");
  if (reply.reply.id == AMQP_BASIC_GET_EMPTY_METHOD) return got;
  amqp_basic_get_ok_t* ok = reply.reply.decoded;
  got.found = true;
  got.tag = ok->delivery_tag;
  got.redelivered = ok->redelivered;
  got.left = ok->message_count;
  reply = amqp_read_message(connection, channel, &got.message, 0);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("basic.get: no message read");
  return got;
}

static Got await(amqp_channel_t channel, const char* queue) {
  for (int i = 0; i < 250; ++i) {
    Got got = get(channel, queue, true);
    if (got.found) return got;
    usleep(20000);
  }
  fail("no message in %s", queue);
  return (Got){0};
}

// The bodies in the queue, joined with commas, must be the wanted ones.
static void expect_bodies(const char* queue, const char* wanted) {
  char all[256] = "";
  for (;;) {
    Got got = get(1, queue, true);
    if (!got.found) break;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", *all ? "," : "",
             (int)got.message.body.len, (char*)got.message.body.bytes);
    amqp_destroy_message(&got.message);
  }
  if (strcmp(all, wanted) != 0) fail("%s holds '%s', not '%s'", queue, all, wanted);
}

// Waits for a delivery. Returns false when none came within the time.
static bool delivery(amqp_envelope_t* envelope, int milliseconds) {
  struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
  amqp_maybe_release_buffers(connection);
  amqp_rpc_reply_t reply = amqp_consume_message(connection, envelope, &limit, 0);
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return true;
  if (reply.library_error != AMQP_STATUS_TIMEOUT) {
    fail("consume: %s", amqp_error_string2(reply.library_error));
  }
  return false;
}

static void consume(amqp_channel_t channel, const char* queue, bool no_ack) {
  amqp_basic_consume(connection, channel, text(queue), text("tag"), 0, no_ack, 0,
                     amqp_empty_table);
  replied("basic.consume");
}

// The next method frame on channel 1 must be the wanted one; content is left to be read.
static amqp_method_t next_method(amqp_method_number_t wanted) {
  struct timeval limit = {5, 0};
  amqp_frame_t frame;
  int status = amqp_simple_wait_frame_noblock(connection, &frame, &limit);
  if (status != AMQP_STATUS_OK) fail("wait: %s", amqp_error_string2(status));
  if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != wanted) {
    fail("frame type %d, method %x, wanted %x", frame.frame_type, frame.payload.method.id, wanted);
  }
  return frame.payload.method;
}

static void check_get(void) {
  const char* queue = new_queue(1);
  const char* exchange = new_exchange("direct");
  bind(queue, exchange, "key");
  publish(exchange, "key", "one");
  publish(exchange, "key", "two");
  Got got = get(1, queue, false);
  EXPECT(got.found && got.left == 1 && equals(got.message.body, "one"));
  amqp_basic_ack(connection, 1, got.tag, 0);
  expect_bodies(queue, "two");
}

static void check_consume_ack(void) {
  const char* queue = new_queue(1);
  char body[16];
  for (int i = 0; i < 10; ++i) {
    snprintf(body, sizeof body, "%d", i);
    publish("", queue, body);
  }
  consume(1, queue, false);
  for (int i = 0; i < 10; ++i) {
    amqp_envelope_t envelope;
    EXPECT(delivery(&envelope, 5000));
    snprintf(body, sizeof body, "%d", i);
    EXPECT(equals(envelope.message.body, body));
    EXPECT(envelope.delivery_tag == (uint64_t)i + 1);
    amqp_basic_ack(connection, 1, envelope.delivery_tag, 0);
    amqp_destroy_envelope(&envelope);
  }
  amqp_basic_cancel(connection, 1, text("tag"));
  replied("basic.cancel");
  EXPECT(count(1, queue) == 0);
}

static void check_nack_requeue(void) {
  const char* queue = new_queue(1);
  publish("", queue, "again");
  Got got = get(1, queue, false);
  EXPECT(got.found && !got.redelivered);
  amqp_basic_nack(connection, 1, got.tag, 0, 1);
  got = await(1, queue);
  EXPECT(got.redelivered && equals(got.message.body, "again"));
}

static void check_reject(void) {
  const char* queue = new_queue(1);
  publish("", queue, "unwanted");
  amqp_basic_reject(connection, 1, get(1, queue, false).tag, 0);
  expect_bodies(queue, "");
}

static void check_prefetch(void) {
  const char* queue = new_queue(1);
  for (int i = 0; i < 5; ++i) publish("", queue, "x");
  amqp_basic_qos(connection, 1, 0, 2, 0);
  replied("basic.qos");
  consume(1, queue, false);
  amqp_envelope_t envelope;
  EXPECT(delivery(&envelope, 5000));
  EXPECT(delivery(&envelope, 5000));
  EXPECT(!delivery(&envelope, 300));
  amqp_basic_ack(connection, 1, 1, 0);
  EXPECT(delivery(&envelope, 5000));
  EXPECT(envelope.delivery_tag == 3);
  EXPECT(!delivery(&envelope, 300));
}

static void check_confirms(void) {
  const char* queue = unique("durable");
  amqp_queue_declare(connection, 1, text(queue), 0, 1, 0, 0, amqp_empty_table);
  replied("queue.declare");
  amqp_confirm_select(connection, 1);
  replied("confirm.select");
  amqp_basic_properties_t properties = {._flags = AMQP_BASIC_DELIVERY_MODE_FLAG,
                                        .delivery_mode = AMQP_DELIVERY_PERSISTENT};
  for (int i = 0; i < 20; ++i) publish_bytes(1, "", queue, false, &properties, text("x"));
  bool confirmed[21] = {false};
  for (int missing = 20; missing > 0;) {
    amqp_basic_ack_t* ack = next_method(AMQP_BASIC_ACK_METHOD).decoded;
    EXPECT(ack->delivery_tag >= 1 && ack->delivery_tag <= 20);
    for (uint64_t tag = ack->multiple ? 1 : ack->delivery_tag; tag <= ack->delivery_tag; ++tag) {
      missing -= !confirmed[tag];
      confirmed[tag] = true;
    }
  }
  EXPECT(count(1, queue) == 20);
  amqp_queue_delete(connection, 1, text(queue), 0, 0);
  replied("queue.delete");
}

static void check_mandatory_return(void) {
  publish_bytes(1, "", unique("nowhere"), true, NULL, text("back"));
  amqp_basic_return_t* returned = next_method(AMQP_BASIC_RETURN_METHOD).decoded;
  EXPECT(returned->reply_code == 312 && equals(returned->reply_text, "NO_ROUTE"));
  amqp_message_t message;
  EXPECT(amqp_read_message(connection, 1, &message, 0).reply_type == AMQP_RESPONSE_NORMAL);
  EXPECT(equals(message.body, "back"));
}

static void check_topic(void) {
  const char* exchange = new_exchange("topic");
  const char* star = new_queue(1);
  const char* rest = new_queue(1);
  bind(star, exchange, "a.*");
  bind(rest, exchange, "#.c");
  const char* keys[] = {"a.b", "a.c", "a.b.c", "c", "b"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) publish(exchange, keys[i], keys[i]);
  expect_bodies(star, "a.b,a.c");
  expect_bodies(rest, "a.c,a.b.c,c");
}

static amqp_table_entry_t entry_text(const char* key, const char* value) {
  return (amqp_table_entry_t){text(key), {AMQP_FIELD_KIND_UTF8, {.bytes = text(value)}}};
}

static amqp_table_entry_t entry_int(const char* key, int32_t value) {
  return (amqp_table_entry_t){text(key), {AMQP_FIELD_KIND_I32, {.i32 = value}}};
}

static void publish_headers(const char* exchange, const char* body, amqp_table_t headers) {
  amqp_basic_properties_t properties = {._flags = AMQP_BASIC_HEADERS_FLAG, .headers = headers};
  publish_bytes(1, exchange, "", false, &properties, text(body));
}

static void check_headers(void) {
  const char* exchange = new_exchange("headers");
  const char* modes[] = {"all", "any"};
  const char* queues[2];
  amqp_table_entry_t entries[] = {entry_text("colour", "red"), entry_int("size", 3),
                                  entry_text("x-match", "")};
  for (int i = 0; i < 2; ++i) {
    queues[i] = new_queue(1);
    entries[2] = entry_text("x-match", modes[i]);
    amqp_queue_bind(connection, 1, text(queues[i]), text(exchange), text(""),
                    (amqp_table_t){3, entries});
    replied("queue.bind");
  }
  publish_headers(exchange, "both", (amqp_table_t){2, entries});
  publish_headers(exchange, "one", (amqp_table_t){1, entries});
  publish_headers(exchange, "none", amqp_empty_table);
  expect_bodies(queues[0], "both");
  expect_bodies(queues[1], "both,one");
}

static void check_fanout(void) {
  const char* exchange = new_exchange("fanout");
  const char* queues[] = {new_queue(1), new_queue(1), new_queue(1)};
  for (int i = 0; i < 3; ++i) bind(queues[i], exchange, "");
  publish(exchange, "ignored", "all");
  for (int i = 0; i < 3; ++i) expect_bodies(queues[i], "all");
}

static void check_exchange_to_exchange(void) {
  const char* source = new_exchange("direct");
  const char* target = new_exchange("fanout");
  const char* queue = new_queue(1);
  bind(queue, target, "");
  amqp_exchange_bind(connection, 1, text(target), text(source), text("go"), amqp_empty_table);
  replied("exchange.bind");
  publish(source, "go", "yes");
  publish(source, "stop", "no");
  expect_bodies(queue, "yes");
  amqp_exchange_unbind(connection, 1, text(target), text(source), text("go"), amqp_empty_table);
  replied("exchange.unbind");
}

static void check_passive_missing(void) {
  amqp_queue_declare(connection, 1, text(unique("missing")), 1, 0, 0, 0, amqp_empty_table);
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection);
  EXPECT(reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION);
  EXPECT(reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD);
  EXPECT(((amqp_channel_close_t*)reply.reply.decoded)->reply_code == 404);
  amqp_channel_close_ok_t close_ok = {0};
  amqp_send_method(connection, 1, AMQP_CHANNEL_CLOSE_OK_METHOD, &close_ok);
  amqp_channel_open(connection, 2);
  replied("channel.open");
  new_queue(2);
}

static void check_tx(void) {
  amqp_channel_open(connection, 2);
  replied("channel.open");
  const char* queue = new_queue(1);
  amqp_tx_select(connection, 1);
  replied("tx.select");
  publish("", queue, "kept");
  EXPECT(count(2, queue) == 0);
  amqp_tx_commit(connection, 1);
  replied("tx.commit");
  EXPECT(count(2, queue) == 1);
  publish("", queue, "dropped");
  amqp_tx_rollback(connection, 1);
  replied("tx.rollback");
  expect_bodies(queue, "kept");
}

static void check_direct_reply_to(void) {
  amqp_channel_open(connection, 2);
  replied("channel.open");
  const char* queue = new_queue(2);
  consume(1, "amq.rabbitmq.reply-to", true);
  amqp_basic_properties_t properties = {._flags = AMQP_BASIC_REPLY_TO_FLAG,
                                        .reply_to = text("amq.rabbitmq.reply-to")};
  publish_bytes(1, "", queue, false, &properties, text("question"));
  Got request = await(2, queue);
  char address[256];
  amqp_bytes_t reply_to = request.message.properties.reply_to;
  snprintf(address, sizeof address, "%.*s", (int)reply_to.len, (char*)reply_to.bytes);
  publish_bytes(2, "", address, false, NULL, text("answer"));
  amqp_envelope_t envelope;
  EXPECT(delivery(&envelope, 5000));
  EXPECT(envelope.channel == 1 && equals(envelope.message.body, "answer"));
}

static void check_big_body(void) {
  const char* queue = new_queue(1);
  amqp_bytes_t body = amqp_bytes_malloc(3 << 20);
  for (size_t i = 0; i < body.len; ++i) ((unsigned char*)body.bytes)[i] = (i * 31 + i / 997) & 255;
  publish_bytes(1, "", queue, false, NULL, body);
  Got got = await(1, queue);
  EXPECT(got.message.body.len == body.len);
  EXPECT(memcmp(got.message.body.bytes, body.bytes, body.len) == 0);
  amqp_destroy_message(&got.message);
  amqp_bytes_free(body);
}

static void check_empty_body(void) {
  const char* queue = new_queue(1);
  publish("", queue, "");
  EXPECT(await(1, queue).message.body.len == 0);
}

static void check_header_types(void) {
  amqp_field_value_t items[] = {{AMQP_FIELD_KIND_I64, {.i64 = -1}},
                                {AMQP_FIELD_KIND_UTF8, {.bytes = text("two")}}};
  amqp_table_entry_t inner[] = {entry_int("deep", 1)};
  amqp_table_entry_t sent[] = {
      {text("t"), {AMQP_FIELD_KIND_BOOLEAN, {.boolean = 1}}},
      {text("b"), {AMQP_FIELD_KIND_I8, {.i8 = -8}}},
      {text("B"), {AMQP_FIELD_KIND_U8, {.u8 = 200}}},
      {text("s"), {AMQP_FIELD_KIND_I16, {.i16 = -1600}}},
      {text("u"), {AMQP_FIELD_KIND_U16, {.u16 = 60000}}},
      {text("I"), {AMQP_FIELD_KIND_I32, {.i32 = -320000}}},
      {text("i"), {AMQP_FIELD_KIND_U32, {.u32 = 4000000000u}}},
      {text("l"), {AMQP_FIELD_KIND_I64, {.i64 = -(1ll << 40)}}},
      {text("f"), {AMQP_FIELD_KIND_F32, {.f32 = 2.5f}}},
      {text("d"), {AMQP_FIELD_KIND_F64, {.f64 = 0.1}}},
      {text("D"), {AMQP_FIELD_KIND_DECIMAL, {.decimal = {2, 314}}}},
      {text("S"), {AMQP_FIELD_KIND_UTF8, {.bytes = text("text")}}},
      {text("A"), {AMQP_FIELD_KIND_ARRAY, {.array = {2, items}}}},
      {text("T"), {AMQP_FIELD_KIND_TIMESTAMP, {.u64 = 1700000000}}},
      {text("F"), {AMQP_FIELD_KIND_TABLE, {.table = {1, inner}}}},
      {text("V"), {AMQP_FIELD_KIND_VOID, {.u64 = 0}}},
      {text("x"), {AMQP_FIELD_KIND_BYTES, {.bytes = {3, "\0\1\2"}}}},
  };
  amqp_table_t table = {sizeof sent / sizeof *sent, sent};
  const char* queue = new_queue(1);
  amqp_basic_properties_t properties = {._flags = AMQP_BASIC_HEADERS_FLAG, .headers = table};
  publish_bytes(1, "", queue, false, &properties, text("x"));
  amqp_table_t got = await(1, queue).message.properties.headers;
  EXPECT(got.num_entries == table.num_entries);
  // Encoded again, both tables must be the same bytes in the same order.
  char buffers[2][1024];
  size_t lengths[2] = {0, 0};
  EXPECT(amqp_encode_table((amqp_bytes_t){1024, buffers[0]}, &table, &lengths[0]) == 0);
  EXPECT(amqp_encode_table((amqp_bytes_t){1024, buffers[1]}, &got, &lengths[1]) == 0);
  EXPECT(lengths[0] == lengths[1] && memcmp(buffers[0], buffers[1], lengths[0]) == 0);
}

static void check_consumer_cancel(void) {
  amqp_channel_open(connection, 2);
  replied("channel.open");
  const char* queue = new_queue(1);
  consume(1, queue, false);
  amqp_queue_delete(connection, 2, text(queue), 0, 0);
  replied("queue.delete");
  amqp_basic_cancel_t* cancel = next_method(AMQP_BASIC_CANCEL_METHOD).decoded;
  EXPECT(equals(cancel->consumer_tag, "tag"));
  new_queue(1);
}

static void check_two_channels(void) {
  amqp_channel_open(connection, 2);
  replied("channel.open");
  const char* queue = new_queue(1);
  for (int i = 0; i < 6; ++i) publish_bytes(1 + i % 2, "", queue, false, NULL, text("x"));
  for (int i = 0; i < 250 && count(1, queue) != 6; ++i) usleep(20000);
  EXPECT(get(1, queue, false).tag == 1);
  EXPECT(get(2, queue, false).tag == 1);
  amqp_basic_ack(connection, 2, 1, 0);
  amqp_channel_close(connection, 1, AMQP_REPLY_SUCCESS);
  for (int i = 0; i < 250 && count(2, queue) != 5; ++i) usleep(20000);
  EXPECT(count(2, queue) == 5);
}

static void check_heartbeat(void) {
  amqp_destroy_connection(connection);
  open_connection(2);
  // Waiting for a frame that never comes is what lets the library send and expect heartbeats.
  amqp_envelope_t envelope;
  EXPECT(!delivery(&envelope, 5500));
  new_queue(1);
}

static void check_ttl_dead_letter(void) {
  const char* dead = new_queue(1);
  amqp_table_entry_t arguments[] = {entry_int("x-message-ttl", 100),
                                    entry_text("x-dead-letter-exchange", ""),
                                    entry_text("x-dead-letter-routing-key", dead)};
  const char* queue = new_queue_with(1, (amqp_table_t){3, arguments});
  publish("", queue, "late");
  Got got = await(1, dead);
  EXPECT(equals(got.message.body, "late"));
  amqp_table_t headers = got.message.properties.headers;
  bool found = false;
  for (int i = 0; i < headers.num_entries; ++i) found |= equals(headers.entries[i].key, "x-death");
  EXPECT(found);
}

typedef struct {
  const char* name;
  void (*check)(void);
} Check;

static const Check kChecks[] = {
    {"get", check_get},
    {"consume-ack", check_consume_ack},
    {"nack-requeue", check_nack_requeue},
    {"reject", check_reject},
    {"prefetch", check_prefetch},
    {"confirms", check_confirms},
    {"mandatory-return", check_mandatory_return},
    {"topic", check_topic},
    {"headers", check_headers},
    {"fanout", check_fanout},
    {"exchange-to-exchange", check_exchange_to_exchange},
    {"passive-missing", check_passive_missing},
    {"tx", check_tx},
    {"direct-reply-to", check_direct_reply_to},
    {"big-body", check_big_body},
    {"empty-body", check_empty_body},
    {"header-types", check_header_types},
    {"consumer-cancel", check_consumer_cancel},
    {"two-channels", check_two_channels},
    {"heartbeat", check_heartbeat},
    {"ttl-dead-letter", check_ttl_dead_letter},
};

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("version %s\n", amqp_version());
  const char* features = getenv("LEVERET_QUEUE_FEATURES");
  volatile int failures = 0;
  for (volatile size_t i = 0; i < sizeof kChecks / sizeof *kChecks; ++i) {
    const Check* check = &kChecks[i];
    if (check->check == check_ttl_dead_letter && !(features && strcmp(features, "1") == 0)) {
      continue;
    }
    if (setjmp(failed) == 0) {
      open_connection(0);
      check->check();
      amqp_connection_close(connection, AMQP_REPLY_SUCCESS);
      printf("ok %s\n", check->name);
    } else {
      ++failures;
      printf("FAILED %s: %s\n", check->name, why);
    }
    amqp_destroy_connection(connection);
  }
  return failures == 0 ? 0 : 1;
}
