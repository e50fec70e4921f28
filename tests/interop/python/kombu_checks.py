"""Interop checks with kombu. The AMQP details are py-amqp's; these are the things kombu adds."""

import contextlib
import socket

import kombu
import kombu.common
import kombu.pools
from checks import BIG_BODY, HOST, PORT, eventually, run, same, unique


@contextlib.contextmanager
def connected(**options):
    with kombu.Connection(f"amqp://guest:guest@{HOST}:{PORT}//", **options) as connection:
        yield connection


def new_queue(channel, **options):
    queue = kombu.Queue(unique("kombu"), exclusive=True, durable=False, channel=channel, **options)
    queue.declare()
    return queue


def drain(connection, seconds=0.05):
    with contextlib.suppress(socket.timeout):
        while True:
            connection.drain_events(timeout=seconds)


def get():
    with connected() as connection:
        exchange = kombu.Exchange(unique("kombu"), "direct", durable=False, auto_delete=True)
        queue = new_queue(connection.channel(), exchange=exchange, routing_key="key")
        producer = connection.Producer()
        producer.publish({"number": 1}, exchange=exchange, routing_key="key")
        message = eventually("message", queue.get)
        same("payload", message.payload, {"number": 1})
        message.ack()
        same("rest", queue.get(), None)


def consume_ack():
    with connected() as connection:
        channel, got = connection.channel(), []
        queue = new_queue(channel)
        producer = kombu.Producer(channel)
        for number in range(10):
            producer.publish(number, routing_key=queue.name)

        def take(body, message):
            got.append(body)
            message.ack()

        with kombu.Consumer(channel, [queue], callbacks=[take]):
            eventually("deliveries", lambda: drain(connection) or len(got) == 10)
            same("bodies", got, list(range(10)))
            same("left", queue.queue_declare(passive=True).message_count, 0)


def simple_queue():
    with connected() as connection:
        name = unique("simple")
        try:
            with contextlib.closing(connection.SimpleQueue(name)) as simple:
                simple.put({"a": [1, 2]})
                message = simple.get(timeout=5)
                same("payload", message.payload, {"a": [1, 2]})
                message.ack()
        finally:
            channel = connection.channel()
            channel.queue_delete(name)
            channel.exchange_delete(name)


def nack_requeue():
    with connected() as connection:
        channel = connection.channel()
        queue = new_queue(channel)
        kombu.Producer(channel).publish("again", routing_key=queue.name)
        message = eventually("message", queue.get)
        same("redelivered at first", message.delivery_info["redelivered"], False)
        message.requeue()
        message = eventually("message", queue.get)
        same("second", (message.delivery_info["redelivered"], message.payload), (True, "again"))
        message.reject()
        same("rejected", queue.get(), None)


def prefetch():
    with connected() as connection:
        channel, got = connection.channel(), []
        queue = new_queue(channel)
        for number in range(5):
            kombu.Producer(channel).publish(number, routing_key=queue.name)
        consumer = kombu.Consumer(channel, [queue], on_message=got.append, prefetch_count=2)
        with consumer:
            for wanted in (2, 3):
                eventually("deliveries", lambda: drain(connection) or len(got) >= wanted)
                drain(connection, 0.3)
                same("deliveries", len(got), wanted)
                got[wanted - 2].ack()


def confirms():
    with connected(transport_options={"confirm_publish": True}) as connection:
        queue = kombu.Queue(unique("durable"), channel=connection.channel())
        queue.declare()
        try:
            with kombu.pools.producers[connection].acquire(block=True) as producer:
                for number in range(20):
                    producer.publish(number, routing_key=queue.name, delivery_mode=2)
            same("stored", queue.queue_declare(passive=True).message_count, 20)
        finally:
            queue.delete()
            kombu.pools.reset()


def mandatory_return():
    with connected() as connection:
        returned = []
        producer = connection.Producer(on_return=lambda *args: returned.append(args))
        producer.publish("back", routing_key=unique("nowhere"), mandatory=True)
        eventually("return", lambda: drain(connection) or returned)
        same("code", returned[0][0].reply_code, 312)


def topic():
    with connected() as connection:
        channel = connection.channel()
        exchange = kombu.Exchange(unique("kombu"), "topic", durable=False, auto_delete=True)
        star = new_queue(channel, exchange=exchange, routing_key="a.*")
        rest = new_queue(channel, exchange=exchange, routing_key="a.#")
        for key in ("a.b", "a.b.c", "b"):
            kombu.Producer(channel).publish(key, exchange=exchange, routing_key=key)
        same("a.*", [m.payload for m in iter(star.get, None)], ["a.b"])
        same("a.#", [m.payload for m in iter(rest.get, None)], ["a.b", "a.b.c"])


def fanout():
    with connected() as connection:
        channel = connection.channel()
        exchange = kombu.Exchange(unique("kombu"), "fanout", durable=False, auto_delete=True)
        queues = [new_queue(channel, exchange=exchange) for _ in range(3)]
        kombu.Producer(channel).publish("all", exchange=exchange)
        for queue in queues:
            same(queue.name, queue.get().payload, "all")


def passive_missing():
    with connected() as connection:
        channel = connection.channel()
        try:
            kombu.Queue(unique("missing"), channel=channel).queue_declare(passive=True)
        except connection.channel_errors as error:
            same("code", error.code, 404)
        else:
            raise AssertionError("no error")
        new_queue(connection.channel())


def serializers():
    with connected() as connection:
        channel = connection.channel()
        queue = new_queue(channel)
        for serializer, payload in (("json", {"a": "grüße"}), ("raw", b"\x00\xff")):
            kombu.Producer(channel).publish(payload, routing_key=queue.name,
                                            serializer=serializer, compression="zlib")
            same(serializer, eventually("message", queue.get).payload, payload)


def broadcast():
    with connected() as connection:
        channel, got = connection.channel(), []
        name = unique("broadcast")
        queues = [kombu.common.Broadcast(name, queue=unique("broadcast"), unique=True)
                  for _ in range(2)]
        with kombu.Consumer(channel, queues, callbacks=[lambda body, m: got.append(body)],
                            no_ack=True):
            kombu.Producer(channel).publish("all", exchange=queues[0].exchange)
            eventually("deliveries", lambda: drain(connection) or len(got) == 2)
        channel.exchange_delete(queues[0].exchange.name)


def big_body():
    with connected() as connection:
        channel = connection.channel()
        queue = new_queue(channel)
        kombu.Producer(channel).publish(BIG_BODY, routing_key=queue.name)
        same("same body", eventually("message", queue.get).payload == BIG_BODY, True)


def empty_body():
    with connected() as connection:
        channel = connection.channel()
        queue = new_queue(channel)
        kombu.Producer(channel).publish(b"", routing_key=queue.name)
        same("bytes", len(eventually("message", queue.get).body), 0)


def header_types():
    fields = {"text": "grüße", "yes": True, "large": 2**40, "float": 2.5, "none": None,
              "list": [1, "two"], "table": {"deep": 1}}
    with connected() as connection:
        channel = connection.channel()
        queue = new_queue(channel)
        kombu.Producer(channel).publish("x", routing_key=queue.name, headers=fields)
        same("headers", eventually("message", queue.get).headers, fields)


def heartbeat():
    with connected(heartbeat=2) as connection:
        connection.connect()
        for _ in range(6):
            drain(connection, 0.9)
            connection.heartbeat_check(rate=2)
        new_queue(connection.channel())


def ttl_dead_letter():
    with connected() as connection:
        channel = connection.channel()
        dead = new_queue(channel)
        queue = new_queue(channel, message_ttl=0.1, queue_arguments={
            "x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead.name})
        kombu.Producer(channel).publish("late", routing_key=queue.name)
        message = eventually("dead letter", dead.get)
        same("reason", message.headers["x-death"][0]["reason"], "expired")


if __name__ == "__main__":
    run(kombu.__version__, [
        get, consume_ack, simple_queue, nack_requeue, prefetch, confirms, mandatory_return, topic,
        fanout, passive_missing, serializers, broadcast, big_body, empty_body,
        header_types, heartbeat,
    ], [ttl_dead_letter])
