"""Interop checks with pika's blocking connection."""

import contextlib
import datetime
import decimal

import pika
from checks import BIG_BODY, HOST, PORT, eventually, run, same, unique


@contextlib.contextmanager
def connected(**options):
    connection = pika.BlockingConnection(pika.ConnectionParameters(HOST, PORT, **options))
    try:
        yield connection
    finally:
        if connection.is_open:
            connection.close()


@contextlib.contextmanager
def channel_open(**options):
    with connected(**options) as connection:
        yield connection.channel()


def new_queue(channel, **options):
    return channel.queue_declare("", exclusive=True, **options).method.queue


def new_exchange(channel, kind):
    name = unique(kind)
    channel.exchange_declare(name, kind, auto_delete=True)
    return name


def fetch(channel, queue, auto_ack=True):
    """The next message as (method, properties, body), waiting for it if need be."""

    def attempt():
        found = channel.basic_get(queue, auto_ack=auto_ack)
        return found if found[0] is not None else None

    return eventually(f"message in {queue}", attempt)


def bodies(channel, queue):
    found = []
    while True:
        method, _, body = channel.basic_get(queue, auto_ack=True)
        if method is None:
            return found
        found.append(body)


def count(channel, queue):
    return channel.queue_declare(queue, passive=True).method.message_count


def get():
    with channel_open() as channel:
        queue, exchange = new_queue(channel), new_exchange(channel, "direct")
        channel.queue_bind(queue, exchange, "key")
        channel.basic_publish(exchange, "key", b"one")
        channel.basic_publish(exchange, "key", b"two")
        method, _, body = fetch(channel, queue, auto_ack=False)
        same("first", (method.exchange, method.routing_key, body), (exchange, "key", b"one"))
        same("still ready", method.message_count, 1)
        channel.basic_ack(method.delivery_tag)
        same("rest", bodies(channel, queue), [b"two"])


def consume_ack():
    with channel_open() as channel:
        queue = new_queue(channel)
        wanted = [b"%d" % number for number in range(10)]
        for body in wanted:
            channel.basic_publish("", queue, body)
        got = []
        for method, _, body in channel.consume(queue, inactivity_timeout=5):
            same("delivered in time", method is None, False)
            got.append(body)
            channel.basic_ack(method.delivery_tag)
            if len(got) == len(wanted):
                break
        channel.cancel()
        same("bodies", got, wanted)
        same("left", count(channel, queue), 0)


def nack_requeue():
    with channel_open() as channel:
        queue = new_queue(channel)
        channel.basic_publish("", queue, b"again")
        method, _, _ = fetch(channel, queue, auto_ack=False)
        same("redelivered at first", method.redelivered, False)
        channel.basic_nack(method.delivery_tag, requeue=True)
        method, _, body = fetch(channel, queue)
        same("second", (method.redelivered, body), (True, b"again"))


def reject():
    with channel_open() as channel:
        queue = new_queue(channel)
        channel.basic_publish("", queue, b"unwanted")
        method, _, _ = fetch(channel, queue, auto_ack=False)
        channel.basic_reject(method.delivery_tag, requeue=False)
        same("left", bodies(channel, queue), [])


def settle(channel, deliveries, wanted):
    """Waits for the wanted number of deliveries, then gives one too many the time to arrive."""
    eventually("deliveries", lambda: channel.connection.process_data_events(0.05)
               or len(deliveries) >= wanted)
    channel.connection.sleep(0.3)


def prefetch():
    with channel_open() as channel:
        queue = new_queue(channel)
        for number in range(5):
            channel.basic_publish("", queue, b"%d" % number)
        channel.basic_qos(prefetch_count=2)
        tags = []
        channel.basic_consume(queue, lambda ch, method, props, body: tags.append(
            method.delivery_tag))
        settle(channel, tags, 2)
        same("before an ack", tags, [1, 2])
        channel.basic_ack(1)
        settle(channel, tags, 3)
        same("after an ack", tags, [1, 2, 3])


def confirms():
    with channel_open() as channel:
        queue = unique("durable")
        channel.queue_declare(queue, durable=True)
        try:
            channel.confirm_delivery()
            for number in range(20):
                # Raises unless the broker acknowledges.
                channel.basic_publish("", queue, b"%d" % number,
                                      pika.BasicProperties(delivery_mode=2))
            same("stored", count(channel, queue), 20)
        finally:
            channel.queue_delete(queue)


def mandatory_return():
    with channel_open() as channel:
        channel.confirm_delivery()
        try:
            channel.basic_publish("", unique("nowhere"), b"back", mandatory=True)
        except pika.exceptions.UnroutableError as error:
            returned = error.messages[0]
            same("reply", (returned.method.reply_code, returned.method.reply_text),
                 (312, "NO_ROUTE"))
            same("body", returned.body, b"back")
        else:
            raise AssertionError("not returned")


def topic():
    with channel_open() as channel:
        exchange = new_exchange(channel, "topic")
        star, rest = new_queue(channel), new_queue(channel)
        channel.queue_bind(star, exchange, "a.*.c")
        channel.queue_bind(rest, exchange, "a.#")
        for key in ("a.b.c", "a.b", "a", "b.a.c"):
            channel.basic_publish(exchange, key, key.encode())
        same("a.*.c", bodies(channel, star), [b"a.b.c"])
        same("a.#", bodies(channel, rest), [b"a.b.c", b"a.b", b"a"])


def headers():
    with channel_open() as channel:
        exchange = new_exchange(channel, "headers")
        both, either = new_queue(channel), new_queue(channel)
        wanted = {"colour": "red", "size": 3}
        channel.queue_bind(both, exchange, "", {"x-match": "all", **wanted})
        channel.queue_bind(either, exchange, "", {"x-match": "any", **wanted})
        for body, fields in ((b"both", wanted), (b"one", {"size": 3}), (b"none", {"size": 4})):
            channel.basic_publish(exchange, "", body, pika.BasicProperties(headers=fields))
        same("all", bodies(channel, both), [b"both"])
        same("any", bodies(channel, either), [b"both", b"one"])


def fanout():
    with channel_open() as channel:
        exchange = new_exchange(channel, "fanout")
        queues = [new_queue(channel) for _ in range(3)]
        for queue in queues:
            channel.queue_bind(queue, exchange)
        channel.basic_publish(exchange, "ignored", b"all")
        for queue in queues:
            same(queue, bodies(channel, queue), [b"all"])


def exchange_to_exchange():
    with channel_open() as channel:
        source, target = new_exchange(channel, "topic"), new_exchange(channel, "fanout")
        queue = new_queue(channel)
        channel.queue_bind(queue, target)
        channel.exchange_bind(target, source, "go.#")
        channel.basic_publish(source, "go.on", b"yes")
        channel.basic_publish(source, "stop", b"no")
        same("through both", bodies(channel, queue), [b"yes"])
        channel.exchange_unbind(target, source, "go.#")


def passive_missing():
    with connected() as connection:
        try:
            connection.channel().queue_declare(unique("missing"), passive=True)
        except pika.exceptions.ChannelClosedByBroker as error:
            same("code", error.reply_code, 404)
        else:
            raise AssertionError("no error")
        new_queue(connection.channel())


def tx():
    with connected() as connection:
        channel, other = connection.channel(), connection.channel()
        queue = new_queue(channel)
        channel.tx_select()
        channel.basic_publish("", queue, b"kept")
        same("before commit", count(other, queue), 0)
        channel.tx_commit()
        same("after commit", count(other, queue), 1)
        channel.basic_publish("", queue, b"dropped")
        channel.tx_rollback()
        same("after rollback", bodies(other, queue), [b"kept"])


def direct_reply_to():
    with connected() as connection:
        client, server = connection.channel(), connection.channel()
        queue = new_queue(server)
        replies = []
        client.basic_consume("amq.rabbitmq.reply-to", lambda ch, method, props, body:
                             replies.append((props.correlation_id, body)), auto_ack=True)
        client.basic_publish("", queue, b"question", pika.BasicProperties(
            reply_to="amq.rabbitmq.reply-to", correlation_id="7"))
        _, properties, body = fetch(server, queue)
        server.basic_publish("", properties.reply_to, body + b"?", pika.BasicProperties(
            correlation_id=properties.correlation_id))
        eventually("reply", lambda: connection.process_data_events(0.1) or replies)
        same("replies", replies, [("7", b"question?")])


def big_body():
    with channel_open() as channel:
        queue = new_queue(channel)
        channel.basic_publish("", queue, BIG_BODY)
        same("same body", fetch(channel, queue)[2] == BIG_BODY, True)


def empty_body():
    with channel_open() as channel:
        queue = new_queue(channel)
        channel.basic_publish("", queue, b"", pika.BasicProperties(content_type="text/plain"))
        _, properties, body = fetch(channel, queue)
        same("message", (properties.content_type, body), ("text/plain", b""))


def header_types():
    fields = {
        "text": "grüße", "bytes": b"\x00\xff", "true": True, "false": False,
        "small": -5, "large": 2**40, "none": None,
        "decimal": decimal.Decimal("3.14"),
        "time": datetime.datetime(2024, 2, 29, 12, 30, 15),
        "list": [1, "two", [3]], "table": {"inner": {"deep": 1}},
    }
    with channel_open() as channel:
        queue = new_queue(channel)
        sent = pika.BasicProperties(
            content_type="application/json", content_encoding="utf-8", headers=fields,
            delivery_mode=1, priority=4, correlation_id="c", reply_to="r", expiration="60000",
            message_id="m", timestamp=1700000000, type="t", user_id="guest", app_id="a")
        channel.basic_publish("", queue, b"x", sent)
        same("properties", fetch(channel, queue)[1], sent)


def consumer_cancel():
    with connected() as connection:
        channel, other = connection.channel(), connection.channel()
        queue = new_queue(channel)
        cancelled = []
        channel.add_on_cancel_callback(lambda frame: cancelled.append(frame.method.consumer_tag))
        tag = channel.basic_consume(queue, lambda *delivery: None)
        other.queue_delete(queue)
        eventually("cancel", lambda: connection.process_data_events(0.1) or cancelled)
        same("cancelled", cancelled, [tag])
        new_queue(channel)


def two_channels():
    with connected() as connection:
        first, second = connection.channel(), connection.channel()
        queue = new_queue(first)
        for number in range(6):
            (first if number % 2 else second).basic_publish("", queue, b"%d" % number)
        eventually("six messages", lambda: count(first, queue) == 6)
        tags = [channel.basic_get(queue)[0].delivery_tag for channel in (first, second)]
        same("each channel counts from one", tags, [1, 1])
        first.close()
        eventually("requeued on close", lambda: count(second, queue) == 5)
        second.basic_ack(1)


def heartbeat():
    with connected(heartbeat=2) as connection:
        connection.sleep(5.5)
        new_queue(connection.channel())


def ttl_dead_letter():
    with channel_open() as channel:
        dead = new_queue(channel)
        queue = new_queue(channel, arguments={
            "x-message-ttl": 100, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead})
        channel.basic_publish("", queue, b"late")
        _, properties, body = fetch(channel, dead)
        same("body", body, b"late")
        death = properties.headers["x-death"][0]
        same("death", (death["reason"], death["queue"], death["count"]), ("expired", queue, 1))


if __name__ == "__main__":
    run(pika.__version__, [
        get, consume_ack, nack_requeue, reject, prefetch, confirms, mandatory_return, topic,
        headers, fanout, exchange_to_exchange, passive_missing, tx, direct_reply_to, big_body,
        empty_body, header_types, consumer_cancel, two_channels, heartbeat,
    ], [ttl_dead_letter])
