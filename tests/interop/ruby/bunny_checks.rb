# Interop checks with Bunny.

require "bunny"
require "timeout"

WAIT = 5

def unique(kind)
  "interop-#{kind}-#{Process.pid}-#{rand(1 << 40).to_s(16)}"
end

def same(what, got, wanted)
  raise "#{what}: got #{got.inspect[0, 200]}, wanted #{wanted.inspect[0, 200]}" unless got == wanted
end

def eventually(what)
  (WAIT * 50).times do
    found = yield
    return found if found

    sleep 0.02
  end
  raise "#{what}: not within #{WAIT} s"
end

def connect(**options)
  Bunny.new({ host: ENV.fetch("AMQP_HOST", "127.0.0.1"),
              port: ENV.fetch("AMQP_PORT", "5672").to_i, user: "guest", pass: "guest",
              automatically_recover: false, log_level: :fatal, **options }).tap(&:start)
end

def new_queue(channel, arguments = {})
  channel.queue("", exclusive: true, arguments: arguments)
end

def fetch(queue, **options)
  eventually("message in #{queue.name}") do
    message = queue.pop(**options)
    message if message[0]
  end
end

def bodies(queue)
  found = []
  loop do
    info, _, body = queue.pop
    return found unless info

    found << body
  end
end

# Each check gets a connection of its own.
CHECKS = {
  "get" => lambda do |connection|
    channel = connection.create_channel
    exchange = channel.direct(unique("direct"), auto_delete: true)
    queue = new_queue(channel).bind(exchange, routing_key: "key")
    exchange.publish("one", routing_key: "key").publish("two", routing_key: "key")
    info, _, body = fetch(queue, manual_ack: true)
    same("first", [info.exchange, info.routing_key, body], [exchange.name, "key", "one"])
    same("still ready", queue.message_count, 1)
    channel.ack(info.delivery_tag)
    same("rest", bodies(queue), ["two"])
  end,

  "consume-ack" => lambda do |connection|
    channel = connection.create_channel
    queue = new_queue(channel)
    10.times { |number| queue.publish(number.to_s) }
    got = []
    consumer = queue.subscribe(manual_ack: true) do |info, _, body|
      channel.ack(info.delivery_tag)
      got << body
    end
    eventually("deliveries") { got.size == 10 }
    consumer.cancel
    same("bodies", got, (0..9).map(&:to_s))
    same("left", queue.message_count, 0)
  end,

  "nack-requeue" => lambda do |connection|
    channel = connection.create_channel
    queue = new_queue(channel)
    queue.publish("again")
    info, = fetch(queue, manual_ack: true)
    same("redelivered at first", info.redelivered?, false)
    channel.nack(info.delivery_tag, false, true)
    info, _, body = fetch(queue)
    same("second", [info.redelivered?, body], [true, "again"])
  end,

  "reject" => lambda do |connection|
    channel = connection.create_channel
    queue = new_queue(channel)
    queue.publish("unwanted")
    channel.reject(fetch(queue, manual_ack: true)[0].delivery_tag, false)
    same("left", bodies(queue), [])
  end,

  "prefetch" => lambda do |connection|
    channel = connection.create_channel
    queue = new_queue(channel)
    5.times { queue.publish("x") }
    channel.prefetch(2)
    tags = []
    queue.subscribe(manual_ack: true) { |info, _, _| tags << info.delivery_tag }
    [2, 3].each do |wanted|
      eventually("deliveries") { tags.size >= wanted }
      sleep 0.3
      same("deliveries", tags.size, wanted)
      channel.ack(tags[wanted - 2])
    end
  end,

  "confirms" => lambda do |connection|
    channel = connection.create_channel
    queue = channel.queue(unique("durable"), durable: true)
    begin
      channel.confirm_select
      100.times { queue.publish("x", persistent: true) }
      same("all confirmed", channel.wait_for_confirms, true)
      same("stored", queue.message_count, 100)
    ensure
      queue.delete
    end
  end,

  "mandatory-return" => lambda do |connection|
    returned = Queue.new
    exchange = connection.create_channel.default_exchange
    exchange.on_return { |info, _, body| returned << [info.reply_code, info.reply_text, body] }
    exchange.publish("back", routing_key: unique("nowhere"), mandatory: true)
    same("return", Timeout.timeout(WAIT) { returned.pop }, [312, "NO_ROUTE", "back"])
  end,

  "topic" => lambda do |connection|
    channel = connection.create_channel
    exchange = channel.topic(unique("topic"), auto_delete: true)
    star = new_queue(channel).bind(exchange, routing_key: "*.*")
    rest = new_queue(channel).bind(exchange, routing_key: "a.#")
    %w[a a.b a.b.c b.a].each { |key| exchange.publish(key, routing_key: key) }
    same("*.*", bodies(star), %w[a.b b.a])
    same("a.#", bodies(rest), %w[a a.b a.b.c])
  end,

  "headers" => lambda do |connection|
    channel = connection.create_channel
    exchange = channel.headers(unique("headers"), auto_delete: true)
    fields = { "colour" => "red", "size" => 3 }
    both = new_queue(channel).bind(exchange, arguments: fields.merge("x-match" => "all"))
    either = new_queue(channel).bind(exchange, arguments: fields.merge("x-match" => "any"))
    exchange.publish("both", headers: fields)
    exchange.publish("one", headers: { "size" => 3 })
    exchange.publish("none", headers: { "size" => 4 })
    same("all", bodies(both), ["both"])
    same("any", bodies(either), %w[both one])
  end,

  "fanout" => lambda do |connection|
    channel = connection.create_channel
    exchange = channel.fanout(unique("fanout"), auto_delete: true)
    queues = Array.new(3) { new_queue(channel).bind(exchange) }
    exchange.publish("all", routing_key: "ignored")
    queues.each { |queue| same(queue.name, bodies(queue), ["all"]) }
  end,

  "exchange-to-exchange" => lambda do |connection|
    channel = connection.create_channel
    source = channel.direct(unique("direct"), auto_delete: true)
    target = channel.fanout(unique("fanout"), auto_delete: true)
    queue = new_queue(channel).bind(target)
    target.bind(source, routing_key: "go")
    source.publish("yes", routing_key: "go").publish("no", routing_key: "stop")
    same("through both", bodies(queue), ["yes"])
    target.unbind(source, routing_key: "go")
  end,

  "passive-missing" => lambda do |connection|
    begin
      connection.create_channel.queue(unique("missing"), passive: true)
      raise "no error"
    rescue Bunny::NotFound => e
      same("code", e.channel_close.reply_code, 404)
    end
    new_queue(connection.create_channel)
  end,

  "tx" => lambda do |connection|
    channel = connection.create_channel
    other = connection.create_channel
    queue = new_queue(other)
    channel.tx_select
    channel.default_exchange.publish("kept", routing_key: queue.name)
    same("before commit", queue.message_count, 0)
    channel.tx_commit
    same("after commit", queue.message_count, 1)
    channel.default_exchange.publish("dropped", routing_key: queue.name)
    channel.tx_rollback
    same("after rollback", bodies(queue), ["kept"])
  end,

  "direct-reply-to" => lambda do |connection|
    client = connection.create_channel
    server = connection.create_channel
    queue = new_queue(server)
    replies = Queue.new
    consumer = Bunny::Consumer.new(client, "amq.rabbitmq.reply-to", "replies", true)
    consumer.on_delivery { |_, properties, body| replies << [properties.correlation_id, body] }
    client.basic_consume_with(consumer)
    client.default_exchange.publish("question", routing_key: queue.name, correlation_id: "7",
                                                reply_to: "amq.rabbitmq.reply-to")
    _, properties, body = fetch(queue)
    server.default_exchange.publish("#{body}?", routing_key: properties.reply_to,
                                                correlation_id: properties.correlation_id)
    same("reply", Timeout.timeout(WAIT) { replies.pop }, ["7", "question?"])
  end,

  "big-body" => lambda do |connection|
    queue = new_queue(connection.create_channel)
    sent = Random.new(1).bytes(3 << 20)
    queue.publish(sent)
    same("same body", fetch(queue)[2] == sent, true)
  end,

  "empty-body" => lambda do |connection|
    queue = new_queue(connection.create_channel)
    queue.publish("", content_type: "text/plain")
    _, properties, body = fetch(queue)
    same("message", [properties.content_type, body], ["text/plain", ""])
  end,

  "header-types" => lambda do |connection|
    fields = { "text" => "grüße".b, "true" => true, "false" => false, "small" => -5,
               "large" => 1 << 40, "float" => 2.5, "none" => nil, "time" => Time.at(1_700_000_000),
               "list" => [1, "two", [3]], "table" => { "inner" => { "deep" => 1 } } }
    plain = { content_type: "application/json", content_encoding: "utf-8", delivery_mode: 1,
              priority: 4, correlation_id: "c", reply_to: "r", expiration: "60000",
              message_id: "m", timestamp: 1_700_000_000, type: "t", user_id: "guest",
              app_id: "a" }
    queue = new_queue(connection.create_channel)
    queue.publish("x", headers: fields, **plain)
    _, properties, = fetch(queue)
    same("headers", properties.headers, fields)
    # A number goes in, a Time comes out.
    plain[:timestamp] = Time.at(plain[:timestamp])
    plain.each { |key, value| same(key, properties[key], value) }
  end,

  "consumer-cancel" => lambda do |connection|
    channel = connection.create_channel
    queue = new_queue(channel)
    cancelled = Queue.new
    queue.subscribe(consumer_tag: "tag",
                    on_cancellation: ->(info) { cancelled << info.consumer_tag }) { |*| nil }
    connection.create_channel.queue_delete(queue.name)
    same("tag", Timeout.timeout(WAIT) { cancelled.pop }, "tag")
    new_queue(channel)
  end,

  "two-channels" => lambda do |connection|
    first = connection.create_channel
    second = connection.create_channel
    queue = new_queue(first)
    [first, second].map do |channel|
      Thread.new { 25.times { channel.default_exchange.publish("x", routing_key: queue.name) } }
    end.each(&:join)
    eventually("all messages") { queue.message_count == 50 }
    same("first tag", first.basic_get(queue.name, manual_ack: true)[0].delivery_tag.to_i, 1)
    same("second tag", second.basic_get(queue.name, manual_ack: true)[0].delivery_tag.to_i, 1)
    second.ack(1)
    first.close
    again = second.queue(queue.name, passive: true)
    eventually("requeued on close") { again.message_count == 49 }
  end,

  "heartbeat" => lambda do |_|
    connection = connect(heartbeat: 2)
    sleep 5.5
    new_queue(connection.create_channel)
    connection.close
  end,

  "ttl-dead-letter" => lambda do |connection|
    channel = connection.create_channel
    dead = new_queue(channel)
    queue = new_queue(channel, "x-message-ttl" => 100, "x-dead-letter-exchange" => "",
                               "x-dead-letter-routing-key" => dead.name)
    queue.publish("late")
    _, properties, = fetch(dead)
    death = properties.headers["x-death"][0]
    same("death", death.values_at("reason", "queue", "count"), ["expired", queue.name, 1])
  end
}.freeze

$stdout.sync = true
puts "version #{Bunny::VERSION}"
failures = 0
CHECKS.each do |name, check|
  next if name == "ttl-dead-letter" && ENV["LEVERET_QUEUE_FEATURES"] != "1"

  begin
    connection = connect
    check.call(connection)
    connection.close
    puts "ok #{name}"
  rescue StandardError => e
    failures += 1
    puts "FAILED #{name}: #{e.class}: #{e.message.tr("\n", ' ')}"
  end
end
exit(failures.zero? ? 0 : 1)
