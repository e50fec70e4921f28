"""Interop checks with py-amqp, the library under kombu and Celery."""

import contextlib
import datetime
import decimal
import socket
import time

import amqp
from checks import BIG_BODY, HOST, PORT, eventually, run, same, unique


@contextlib.contextmanager
def connected(**options):
    connection = amqp.Connection(f"{HOST}:{PORT}", "guest", "guest", **options)
    connection.connect()
    try:
        yield connection
    finally:
        if connection.connected:
            connection.close()


@contextlib.contextmanager
def channel_open(**options):
    with connected(**options) as connection:
        yield connection.channel()


def new_queue(channel, **options):
    return channel.queue_declare("", exclusive=True, auto_delete=False,
                                 **options).queue


def new_exchange(channel, kind):
    name = unique(kind)
    channel.exchange_declare(name, kind, auto_delete=True)
    return name


def publish(channel, exchange, key, body, **properties):
    channel.basic_publish(amqp.Message(body, **properties), exchange=exchange, routing_key=key)


def fetch(channel, queue, no_ack=True):
    return eventually(f"message in {queue}", lambda: channel.basic_get(queue, no_ack=no_ack))


def bodies(channel, queue):
    return [message.body for message in iter(lambda: channel.basic_get(queue, no_ack=True), None)]


def count(channel, queue):
    return channel.queue_declare(queue, passive=True).message_count


def drain(connection, seconds):
    """Handles whatever arrives within the time."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            connection.drain_events(timeout=left)
        except socket.timeout:
            return


def drain_until(connection, what, done):
    eventually(what, lambda: drain(connection, 0.05) or done())


def get():
    with channel_open() as channel:
        queue, exchange = new_queue(channel), new_exchange(channel, "direct")
        channel.queue_bind(queue, exchange, "key")
        publish(channel, exchange, "key", "one")
        publish(channel, exchange, "key", "two")
        message = fetch(channel, queue, no_ack=False)
        info = message.delivery_info
        same("first", (info["exchange"], info["routing_key"], message.body),
             (exchange, "key", "one"))
        same("still ready", info["message_count"], 1)
        channel.basic_ack(message.delivery_tag)
        same("rest", bodies(channel, queue), ["two"])


def consume_ack():
    with channel_open() as channel:
        queue, got = new_queue(channel), []
        wanted = [str(number) for number in range(10)]
        for body in wanted:
            publish(channel, "", queue, body)

        def take(message):
            got.append(message.body)
            channel.basic_ack(message.delivery_tag)

        tag = channel.basic_consume(queue, callback=take)
        drain_until(channel.connection, "deliveries", lambda: len(got) == 10)
        channel.basic_cancel(tag)
        same("bodies", got, wanted)
        same("left", count(channel, queue), 0)


def nack_requeue():
    # py-amqp has no basic.nack, so basic.reject asks for the requeue here.
    with channel_open() as channel:
        queue = new_queue(channel)
        publish(channel, "", queue, "again")
        message = fetch(channel, queue, no_ack=False)
        same("redelivered at first", message.delivery_info["redelivered"], False)
        channel.basic_reject(message.delivery_tag, requeue=True)
        message = fetch(channel, queue)
        same("second", (message.delivery_info["redelivered"], message.body), (True, "again"))


def reject():
    with channel_open() as channel:
        queue = new_queue(channel)
        publish(channel, "", queue, "unwanted")
        channel.basic_reject(fetch(channel, queue, no_ack=False).delivery_tag, requeue=False)
        same("left", bodies(channel, queue), [])


def prefetch():
    with channel_open() as channel:
        queue, tags = new_queue(channel), []
        for number in range(5):
            publish(channel, "", queue, str(number))
        channel.basic_qos(0, 2, a_global=False)
        channel.basic_consume(queue, callback=lambda message: tags.append(message.delivery_tag))
        for wanted in ([1, 2], [1, 2, 3]):
            drain_until(channel.connection, "deliveries", lambda: len(tags) >= len(wanted))
            drain(channel.connection, 0.3)
            same("deliveries", tags, wanted)
            channel.basic_ack(len(wanted) - 1)


def confirms():
    with channel_open(confirm_publish=True) as channel:
        queue = unique("durable")
        channel.queue_declare(queue, durable=True, auto_delete=False)
        try:
            for number in range(20):
                # With confirm_publish this waits for the acknowledgement.
                publish(channel, "", queue, str(number), delivery_mode=2)
            same("stored", count(channel, queue), 20)
        finally:
            channel.queue_delete(queue)


def mandatory_return():
    with channel_open() as channel:
        returned = []
        channel.events["basic_return"].add(lambda *args: returned.append(args))
        channel.basic_publish(amqp.Message("back"), routing_key=unique("nowhere"), mandatory=True)
        drain_until(channel.connection, "return", lambda: returned)
        error, exchange, _, message = returned[0]
        same("return", (error.reply_code, error.reply_text, exchange, message.body),
             (312, "NO_ROUTE", "", "back"))


def topic():
    with channel_open() as channel:
        exchange = new_exchange(channel, "topic")
        star, rest = new_queue(channel), new_queue(channel)
        channel.queue_bind(star, exchange, "*.error")
        channel.queue_bind(rest, exchange, "#.error")
        for key in ("disk.error", "error", "a.b.error", "disk.errors"):
            publish(channel, exchange, key, key)
        same("*.error", bodies(channel, star), ["disk.error"])
        same("#.error", bodies(channel, rest), ["disk.error", "error", "a.b.error"])


def headers():
    with channel_open() as channel:
        exchange = new_exchange(channel, "headers")
        both, either = new_queue(channel), new_queue(channel)
        wanted = {"colour": "red", "size": 3}
        channel.queue_bind(both, exchange, arguments={"x-match": "all", **wanted})
        channel.queue_bind(either, exchange, arguments={"x-match": "any", **wanted})
        for body, fields in (("both", wanted), ("one", {"colour": "red"}), ("none", {})):
            publish(channel, exchange, "", body, application_headers=fields)
        same("all", bodies(channel, both), ["both"])
        same("any", bodies(channel, either), ["both", "one"])


def fanout():
    with channel_open() as channel:
        exchange = new_exchange(channel, "fanout")
        queues = [new_queue(channel) for _ in range(3)]
        for queue in queues:
            channel.queue_bind(queue, exchange)
        publish(channel, exchange, "ignored", "all")
        for queue in queues:
            same(queue, bodies(channel, queue), ["all"])


def exchange_to_exchange():
    with channel_open() as channel:
        source, target = new_exchange(channel, "direct"), new_exchange(channel, "topic")
        queue = new_queue(channel)
        channel.queue_bind(queue, target, "#")
        channel.exchange_bind(target, source, "go")
        publish(channel, source, "go", "yes")
        publish(channel, source, "stop", "no")
        same("through both", bodies(channel, queue), ["yes"])
        channel.exchange_unbind(target, source, "go")


def passive_missing():
    with connected() as connection:
        try:
            connection.channel().queue_declare(unique("missing"), passive=True)
        except amqp.NotFound as error:
            same("code", error.reply_code, 404)
        else:
            raise AssertionError("no error")
        new_queue(connection.channel())


def tx():
    with connected() as connection:
        channel, other = connection.channel(), connection.channel()
        queue = new_queue(channel)
        channel.tx_select()
        publish(channel, "", queue, "kept")
        same("before commit", count(other, queue), 0)
        channel.tx_commit()
        same("after commit", count(other, queue), 1)
        publish(channel, "", queue, "dropped")
        channel.tx_rollback()
        same("after rollback", bodies(other, queue), ["kept"])


def direct_reply_to():
    with connected() as connection:
        client, server = connection.channel(), connection.channel()
        queue, replies = new_queue(server), []
        client.basic_consume("amq.rabbitmq.reply-to", no_ack=True, callback=replies.append)
        publish(client, "", queue, "question", reply_to="amq.rabbitmq.reply-to",
                correlation_id="7")
        request = fetch(server, queue)
        publish(server, "", request.reply_to, request.body + "?",
                correlation_id=request.correlation_id)
        drain_until(connection, "reply", lambda: replies)
        same("reply", (replies[0].correlation_id, replies[0].body), ("7", "question?"))


def big_body():
    with channel_open() as channel:
        queue = new_queue(channel)
        publish(channel, "", queue, BIG_BODY)
        same("same body", fetch(channel, queue).body == BIG_BODY, True)


def empty_body():
    with channel_open() as channel:
        queue = new_queue(channel)
        publish(channel, "", queue, "", content_type="text/plain")
        message = fetch(channel, queue)
        same("message", (message.content_type, message.body), ("text/plain", ""))


def header_types():
    fields = {
        "text": "grüße", "true": True, "false": False, "small": -5, "large": 2**40,
        "float": 2.5, "none": None, "decimal": decimal.Decimal("3.14"),
        "time": datetime.datetime(2024, 2, 29, 12, 30, 15),
        "list": [1, "two", [3]], "table": {"inner": {"deep": 1}},
    }
    plain = {
        "content_type": "application/json", "content_encoding": "utf-8", "delivery_mode": 1,
        "priority": 4, "correlation_id": "c", "reply_to": "r", "expiration": "60000",
        "message_id": "m", "type": "t", "user_id": "guest", "app_id": "a",
    }
    with channel_open() as channel:
        queue = new_queue(channel)
        publish(channel, "", queue, "x", application_headers=fields, **plain)
        got = fetch(channel, queue).properties
        same("headers", got.pop("application_headers"), fields)
        same("properties", got, plain)


def consumer_cancel():
    with connected() as connection:
        channel, other = connection.channel(), connection.channel()
        queue, cancelled = new_queue(channel), []
        tag = channel.basic_consume(queue, on_cancel=cancelled.append)
        other.queue_delete(queue)
        drain_until(connection, "cancel", lambda: cancelled)
        same("cancelled", cancelled, [tag])
        new_queue(channel)


def two_channels():
    with connected() as connection:
        first, second = connection.channel(), connection.channel()
        queue = new_queue(first)
        for number in range(6):
            publish(first if number % 2 else second, "", queue, str(number))
        eventually("six messages", lambda: count(first, queue) == 6)
        tags = [channel.basic_get(queue).delivery_tag for channel in (first, second)]
        same("each channel counts from one", tags, [1, 1])
        first.close()
        eventually("requeued on close", lambda: count(second, queue) == 5)
        second.basic_ack(1)


def heartbeat():
    with connected(heartbeat=2) as connection:
        for _ in range(11):
            drain(connection, 0.5)
            connection.heartbeat_tick()
        new_queue(connection.channel())


def ttl_dead_letter():
    with channel_open() as channel:
        dead = new_queue(channel)
        queue = new_queue(channel, arguments={
            "x-message-ttl": 100, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead})
        publish(channel, "", queue, "late")
        message = fetch(channel, dead)
        same("body", message.body, "late")
        death = message.headers["x-death"][0]
        same("death", (death["reason"], death["queue"], death["count"]), ("expired", queue, 1))


if __name__ == "__main__":
    run(amqp.__version__, [
        get, consume_ack, nack_requeue, reject, prefetch, confirms, mandatory_return, topic,
        headers, fanout, exchange_to_exchange, passive_missing, tx, direct_reply_to, big_body,
        empty_body, header_types, consumer_cancel, two_channels, heartbeat,
    ], [ttl_dead_letter])
