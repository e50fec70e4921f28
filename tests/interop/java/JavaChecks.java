// Interop checks with RabbitMQ's Java client.

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

public class JavaChecks {
  interface Check {
    void run(Connection connection) throws Exception;
  }

  interface Attempt {
    boolean done() throws Exception;
  }

  static final int WAIT_SECONDS = 5;

  static Connection connect(int heartbeat) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost(System.getenv().getOrDefault("AMQP_HOST", "127.0.0.1"));
    factory.setPort(Integer.parseInt(System.getenv().getOrDefault("AMQP_PORT", "5672")));
    factory.setRequestedHeartbeat(heartbeat);
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection();
  }

  static void same(String what, Object got, Object wanted) {
    if (!Objects.equals(got, wanted)) {
      throw new AssertionError(what + ": got " + got + ", wanted " + wanted);
    }
  }

  static void eventually(String what, Attempt attempt) throws Exception {
    for (int i = 0; i < WAIT_SECONDS * 50; ++i) {
      if (attempt.done()) return;
      Thread.sleep(20);
    }
    throw new AssertionError(what + ": not within " + WAIT_SECONDS + " s");
  }

  static <T> T next(String what, BlockingQueue<T> queue) throws Exception {
    T found = queue.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    if (found == null) throw new AssertionError(what + ": not within " + WAIT_SECONDS + " s");
    return found;
  }

  static String unique(String kind) {
    return "interop-" + kind + "-" + UUID.randomUUID();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }

  static String newQueue(Channel channel) throws IOException {
    return channel.queueDeclare("", false, true, false, null).getQueue();
  }

  static String newExchange(Channel channel, BuiltinExchangeType type) throws IOException {
    String name = unique(type.getType());
    channel.exchangeDeclare(name, type, false, true, null);
    return name;
  }

  static void publish(Channel channel, String exchange, String key, String body)
      throws IOException {
    channel.basicPublish(exchange, key, null, bytes(body));
  }

  static AMQP.BasicProperties withHeaders(Map<String, Object> headers) {
    return new AMQP.BasicProperties.Builder().headers(headers).build();
  }

  static GetResponse fetch(Channel channel, String queue, boolean autoAck) throws Exception {
    GetResponse[] found = new GetResponse[1];
    eventually("message in " + queue, () -> (found[0] = channel.basicGet(queue, autoAck)) != null);
    return found[0];
  }

  static List<String> bodies(Channel channel, String queue) throws IOException {
    List<String> found = new ArrayList<>();
    for (GetResponse got; (got = channel.basicGet(queue, true)) != null; ) {
      found.add(text(got.getBody()));
    }
    return found;
  }

  // Hands everything a consumer hears to the thread of the check.
  static class Collector extends DefaultConsumer {
    final BlockingQueue<GetResponse> deliveries = new LinkedBlockingQueue<>();
    final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();

    Collector(Channel channel) {
      super(channel);
    }

    @Override
    public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties,
        byte[] body) {
      deliveries.add(new GetResponse(envelope, properties, body, 0));
    }

    @Override
    public void handleCancel(String tag) {
      cancelled.add(tag);
    }

    void none() throws Exception {
      same("one delivery too many", deliveries.poll(300, TimeUnit.MILLISECONDS), null);
    }
  }

  static void get(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    String exchange = newExchange(channel, BuiltinExchangeType.DIRECT);
    channel.queueBind(queue, exchange, "key");
    publish(channel, exchange, "key", "one");
    publish(channel, exchange, "key", "two");
    GetResponse got = fetch(channel, queue, false);
    same("body", text(got.getBody()), "one");
    same("exchange", got.getEnvelope().getExchange(), exchange);
    same("still ready", got.getMessageCount(), 1);
    channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
    same("rest", bodies(channel, queue), List.of("two"));
  }

  static void consumeAck(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    for (int i = 0; i < 10; ++i) publish(channel, "", queue, "" + i);
    Collector collector = new Collector(channel);
    String tag = channel.basicConsume(queue, false, collector);
    for (int i = 0; i < 10; ++i) {
      GetResponse got = next("delivery", collector.deliveries);
      same("body", text(got.getBody()), "" + i);
      channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
    }
    channel.basicCancel(tag);
    same("left", channel.messageCount(queue), 0L);
  }

  static void nackRequeue(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    publish(channel, "", queue, "again");
    GetResponse got = fetch(channel, queue, false);
    same("redelivered at first", got.getEnvelope().isRedeliver(), false);
    channel.basicNack(got.getEnvelope().getDeliveryTag(), false, true);
    got = fetch(channel, queue, true);
    same("redelivered", got.getEnvelope().isRedeliver(), true);
    same("body", text(got.getBody()), "again");
  }

  static void reject(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    publish(channel, "", queue, "unwanted");
    channel.basicReject(fetch(channel, queue, false).getEnvelope().getDeliveryTag(), false);
    same("left", bodies(channel, queue), List.of());
  }

  static void prefetch(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    for (int i = 0; i < 5; ++i) publish(channel, "", queue, "x");
    channel.basicQos(2);
    Collector collector = new Collector(channel);
    channel.basicConsume(queue, false, collector);
    long first = next("first", collector.deliveries).getEnvelope().getDeliveryTag();
    next("second", collector.deliveries);
    collector.none();
    channel.basicAck(first, false);
    next("third", collector.deliveries);
    collector.none();
  }

  static void confirms(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = unique("durable");
    channel.queueDeclare(queue, true, false, false, null);
    try {
      channel.confirmSelect();
      for (int i = 0; i < 100; ++i) {
        channel.basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, bytes("x"));
      }
      channel.waitForConfirmsOrDie(WAIT_SECONDS * 1000);
      same("stored", channel.messageCount(queue), 100L);
    } finally {
      channel.queueDelete(queue);
    }
  }

  static void mandatoryReturn(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    BlockingQueue<String> returned = new LinkedBlockingQueue<>();
    channel.addReturnListener((code, reason, exchange, key, properties, body) ->
        returned.add(code + " " + reason + " " + text(body)));
    channel.basicPublish("", unique("nowhere"), true, null, bytes("back"));
    same("return", next("return", returned), "312 NO_ROUTE back");
  }

  static void topic(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String exchange = newExchange(channel, BuiltinExchangeType.TOPIC);
    String star = newQueue(channel);
    String rest = newQueue(channel);
    channel.queueBind(star, exchange, "a.*");
    channel.queueBind(rest, exchange, "a.#");
    for (String key : List.of("a", "a.b", "a.b.c", "b")) publish(channel, exchange, key, key);
    same("a.*", bodies(channel, star), List.of("a.b"));
    same("a.#", bodies(channel, rest), List.of("a", "a.b", "a.b.c"));
  }

  static void headers(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String exchange = newExchange(channel, BuiltinExchangeType.HEADERS);
    Map<String, Object> fields = Map.of("colour", "red", "size", 3);
    List<String> queues = new ArrayList<>();
    for (String match : List.of("all", "any")) {
      Map<String, Object> arguments = new HashMap<>(fields);
      arguments.put("x-match", match);
      String queue = newQueue(channel);
      channel.queueBind(queue, exchange, "", arguments);
      queues.add(queue);
    }
    channel.basicPublish(exchange, "", withHeaders(fields), bytes("both"));
    channel.basicPublish(exchange, "", withHeaders(Map.of("size", 3)), bytes("one"));
    channel.basicPublish(exchange, "", withHeaders(Map.of("size", 4)), bytes("none"));
    same("all", bodies(channel, queues.get(0)), List.of("both"));
    same("any", bodies(channel, queues.get(1)), List.of("both", "one"));
  }

  static void fanout(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String exchange = newExchange(channel, BuiltinExchangeType.FANOUT);
    List<String> queues = List.of(newQueue(channel), newQueue(channel), newQueue(channel));
    for (String queue : queues) channel.queueBind(queue, exchange, "");
    publish(channel, exchange, "ignored", "all");
    for (String queue : queues) same(queue, bodies(channel, queue), List.of("all"));
  }

  static void exchangeToExchange(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String source = newExchange(channel, BuiltinExchangeType.DIRECT);
    String target = newExchange(channel, BuiltinExchangeType.FANOUT);
    String queue = newQueue(channel);
    channel.queueBind(queue, target, "");
    channel.exchangeBind(target, source, "go");
    publish(channel, source, "go", "yes");
    publish(channel, source, "stop", "no");
    same("through both", bodies(channel, queue), List.of("yes"));
    channel.exchangeUnbind(target, source, "go");
  }

  static void passiveMissing(Connection connection) throws Exception {
    try {
      connection.createChannel().queueDeclarePassive(unique("missing"));
      throw new AssertionError("no error");
    } catch (IOException error) {
      ShutdownSignalException signal = (ShutdownSignalException) error.getCause();
      same("code", ((AMQP.Channel.Close) signal.getReason()).getReplyCode(), 404);
    }
    newQueue(connection.createChannel());
  }

  static void tx(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    Channel other = connection.createChannel();
    String queue = newQueue(channel);
    channel.txSelect();
    publish(channel, "", queue, "kept");
    same("before commit", other.messageCount(queue), 0L);
    channel.txCommit();
    same("after commit", other.messageCount(queue), 1L);
    publish(channel, "", queue, "dropped");
    channel.txRollback();
    same("after rollback", bodies(other, queue), List.of("kept"));
  }

  static void directReplyTo(Connection connection) throws Exception {
    Channel client = connection.createChannel();
    Channel server = connection.createChannel();
    String queue = newQueue(server);
    Collector replies = new Collector(client);
    client.basicConsume("amq.rabbitmq.reply-to", true, replies);
    client.basicPublish("", queue, new AMQP.BasicProperties.Builder()
        .replyTo("amq.rabbitmq.reply-to").correlationId("7").build(), bytes("question"));
    GetResponse request = fetch(server, queue, true);
    server.basicPublish("", request.getProps().getReplyTo(), new AMQP.BasicProperties.Builder()
        .correlationId(request.getProps().getCorrelationId()).build(), bytes("answer"));
    GetResponse reply = next("reply", replies.deliveries);
    same("reply", text(reply.getBody()) + reply.getProps().getCorrelationId(), "answer7");
  }

  static void bigBody(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    byte[] body = new byte[3 << 20];
    new Random(1).nextBytes(body);
    channel.basicPublish("", queue, null, body);
    same("same body", Arrays.equals(fetch(channel, queue, true).getBody(), body), true);
  }

  static void emptyBody(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    channel.basicPublish("", queue, MessageProperties.TEXT_PLAIN, new byte[0]);
    GetResponse got = fetch(channel, queue, true);
    same("length", got.getBody().length, 0);
    same("content type", got.getProps().getContentType(), "text/plain");
  }

  // The client reads strings as LongString; everything else comes back as it went in.
  static Object readable(Object value) {
    if (value instanceof LongString) return value.toString();
    if (value instanceof List) {
      List<Object> items = new ArrayList<>();
      for (Object item : (List<?>) value) items.add(readable(item));
      return items;
    }
    if (value instanceof Map) {
      Map<Object, Object> table = new HashMap<>();
      ((Map<?, ?>) value).forEach((key, item) -> table.put(key, readable(item)));
      return table;
    }
    return value;
  }

  static void headerTypes(Connection connection) throws Exception {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("t", true);
    fields.put("b", (byte) -8);
    fields.put("s", (short) -1600);
    fields.put("I", -320000);
    fields.put("l", -(1L << 40));
    fields.put("f", 2.5f);
    fields.put("d", 0.1);
    fields.put("D", new BigDecimal("3.14"));
    fields.put("S", "grüße");
    fields.put("T", new Date(1700000000000L));
    fields.put("V", null);
    fields.put("A", List.of(1, "two"));
    fields.put("F", Map.of("deep", Map.of("er", 1)));
    AMQP.BasicProperties sent = new AMQP.BasicProperties.Builder().headers(fields)
        .contentType("application/json").contentEncoding("utf-8").deliveryMode(1).priority(4)
        .correlationId("c").replyTo("r").expiration("60000").messageId("m")
        .timestamp(new Date(1700000000000L)).type("t").userId("guest").appId("a")
        .clusterId("cluster").build();
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    channel.basicPublish("", queue, sent, bytes("x"));
    AMQP.BasicProperties got = fetch(channel, queue, true).getProps();
    same("headers", readable(got.getHeaders()), fields);
    same("properties", got.builder().headers(null).build().toString(),
        sent.builder().headers(null).build().toString());
  }

  static void consumerCancel(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String queue = newQueue(channel);
    Collector collector = new Collector(channel);
    String tag = channel.basicConsume(queue, false, collector);
    connection.createChannel().queueDelete(queue);
    same("tag", next("cancel", collector.cancelled), tag);
    newQueue(channel);
  }

  static void twoChannels(Connection connection) throws Exception {
    Channel first = connection.createChannel();
    Channel second = connection.createChannel();
    String queue = newQueue(first);
    List<Thread> threads = new ArrayList<>();
    for (Channel channel : List.of(first, second)) {
      Thread thread = new Thread(() -> {
        try {
          for (int i = 0; i < 50; ++i) publish(channel, "", queue, "x");
        } catch (IOException error) {
          throw new RuntimeException(error);
        }
      });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) thread.join();
    eventually("all messages", () -> first.messageCount(queue) == 100);
    same("first tag", first.basicGet(queue, false).getEnvelope().getDeliveryTag(), 1L);
    same("second tag", second.basicGet(queue, false).getEnvelope().getDeliveryTag(), 1L);
    second.basicAck(1, false);
    first.close();
    eventually("requeued on close", () -> second.messageCount(queue) == 99);
  }

  static void heartbeat(Connection ignored) throws Exception {
    try (Connection connection = connect(2)) {
      Thread.sleep(5500);
      newQueue(connection.createChannel());
    }
  }

  static void ttlDeadLetter(Connection connection) throws Exception {
    Channel channel = connection.createChannel();
    String dead = newQueue(channel);
    String queue = channel.queueDeclare("", false, true, false, Map.of("x-message-ttl", 100,
        "x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead)).getQueue();
    publish(channel, "", queue, "late");
    Object deaths = readable(fetch(channel, dead, true).getProps().getHeaders().get("x-death"));
    Map<?, ?> death = (Map<?, ?>) ((List<?>) deaths).get(0);
    same("reason", death.get("reason"), "expired");
    same("count", death.get("count"), 1L);
  }

  public static void main(String[] arguments) {
    Map<String, Check> checks = new LinkedHashMap<>();
    checks.put("get", JavaChecks::get);
    checks.put("consume-ack", JavaChecks::consumeAck);
    checks.put("nack-requeue", JavaChecks::nackRequeue);
    checks.put("reject", JavaChecks::reject);
    checks.put("prefetch", JavaChecks::prefetch);
    checks.put("confirms", JavaChecks::confirms);
    checks.put("mandatory-return", JavaChecks::mandatoryReturn);
    checks.put("topic", JavaChecks::topic);
    checks.put("headers", JavaChecks::headers);
    checks.put("fanout", JavaChecks::fanout);
    checks.put("exchange-to-exchange", JavaChecks::exchangeToExchange);
    checks.put("passive-missing", JavaChecks::passiveMissing);
    checks.put("tx", JavaChecks::tx);
    checks.put("direct-reply-to", JavaChecks::directReplyTo);
    checks.put("big-body", JavaChecks::bigBody);
    checks.put("empty-body", JavaChecks::emptyBody);
    checks.put("header-types", JavaChecks::headerTypes);
    checks.put("consumer-cancel", JavaChecks::consumerCancel);
    checks.put("two-channels", JavaChecks::twoChannels);
    checks.put("heartbeat", JavaChecks::heartbeat);
    if ("1".equals(System.getenv("LEVERET_QUEUE_FEATURES"))) {
      checks.put("ttl-dead-letter", JavaChecks::ttlDeadLetter);
    }
    System.out.println("version "
        + ConnectionFactory.class.getPackage().getImplementationVersion());
    boolean failed = false;
    for (Map.Entry<String, Check> one : checks.entrySet()) {
      try (Connection connection = connect(10)) {
        one.getValue().run(connection);
        System.out.println("ok " + one.getKey());
      } catch (Exception | AssertionError error) {
        failed = true;
        System.out.println(
            "FAILED " + one.getKey() + ": " + String.valueOf(error).replace('\n', ' '));
      }
    }
    System.exit(failed ? 1 : 0);
  }
}
