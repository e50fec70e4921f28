"""Interop checks with aio-pika (and aiormq below it)."""

import asyncio
import contextlib
import datetime
import importlib.metadata

import aio_pika
from aio_pika import ExchangeType, Message
from checks import BIG_BODY, HOST, PORT, run, same, unique

WAIT = 5.0


@contextlib.asynccontextmanager
async def connected(**options):
    connection = await aio_pika.connect(host=HOST, port=PORT, client_properties={}, **options)
    async with connection:
        yield connection


@contextlib.asynccontextmanager
async def channel_open(**options):
    async with connected() as connection:
        yield await connection.channel(**options)


async def new_queue(channel, **options):
    return await channel.declare_queue(exclusive=True, **options)


async def new_exchange(channel, kind):
    return await channel.declare_exchange(unique(kind.value), kind, auto_delete=True)


async def publish(channel, key, body, **properties):
    # The channel confirms, so the message is in the queue once this returns.
    await channel.default_exchange.publish(Message(body, **properties), key)


async def bodies(queue):
    found = []
    while (message := await queue.get(no_ack=True, fail=False)) is not None:
        found.append(message.body)
    return found


async def count(channel, queue):
    again = await channel.declare_queue(queue.name, passive=True)
    return again.declaration_result.message_count


async def eventually(what, attempt):
    """Awaits attempt() until it returns something other than None or False."""
    for _ in range(100):
        got = await attempt()
        if got is not None and got is not False:
            return got
        await asyncio.sleep(0.05)
    raise AssertionError(f"{what}: not within {WAIT} s")


async def get():
    async with channel_open() as channel:
        queue, exchange = await new_queue(channel), await new_exchange(channel, ExchangeType.DIRECT)
        await queue.bind(exchange, "key")
        await exchange.publish(Message(b"one"), "key")
        await exchange.publish(Message(b"two"), "key")
        message = await queue.get(timeout=WAIT)
        same("first", (message.exchange, message.routing_key, message.body),
             (exchange.name, "key", b"one"))
        same("still ready", message.message_count, 1)
        await message.ack()
        same("rest", await bodies(queue), [b"two"])


async def consume_ack():
    async with channel_open() as channel:
        queue, got = await new_queue(channel), []
        wanted = [b"%d" % number for number in range(10)]
        for body in wanted:
            await publish(channel, queue.name, body)
        async with queue.iterator(timeout=WAIT) as messages:
            async for message in messages:
                async with message.process():
                    got.append(message.body)
                if len(got) == 10:
                    break
        same("bodies", got, wanted)
        same("left", await count(channel, queue), 0)


async def nack_requeue():
    async with channel_open() as channel:
        queue = await new_queue(channel)
        await publish(channel, queue.name, b"again")
        message = await queue.get(timeout=WAIT)
        same("redelivered at first", message.redelivered, False)
        await message.nack(requeue=True)
        message = await queue.get(timeout=WAIT, no_ack=True)
        same("second", (message.redelivered, message.body), (True, b"again"))


async def reject():
    async with channel_open() as channel:
        queue = await new_queue(channel)
        await publish(channel, queue.name, b"unwanted")
        await (await queue.get(timeout=WAIT)).reject(requeue=False)
        same("left", await bodies(queue), [])


async def prefetch():
    async with channel_open() as channel:
        queue, got = await new_queue(channel), asyncio.Queue()
        for number in range(5):
            await publish(channel, queue.name, b"%d" % number)
        await channel.set_qos(prefetch_count=2)
        await queue.consume(got.put)
        first = await asyncio.wait_for(got.get(), WAIT)
        await asyncio.wait_for(got.get(), WAIT)
        await asyncio.sleep(0.3)
        same("more than two", got.qsize(), 0)
        await first.ack()
        await asyncio.wait_for(got.get(), WAIT)
        await asyncio.sleep(0.3)
        same("more than three", got.qsize(), 0)


async def confirms():
    async with channel_open() as channel:
        queue = await channel.declare_queue(unique("durable"), durable=True)
        try:
            # All under way at the same time: acknowledgements may come in any grouping.
            await asyncio.wait_for(asyncio.gather(*[
                publish(channel, queue.name, b"x", delivery_mode=aio_pika.DeliveryMode.PERSISTENT)
                for _ in range(100)]), WAIT * 2)
            same("stored", await count(channel, queue), 100)
        finally:
            await queue.delete(if_empty=False)


async def mandatory_return():
    async with channel_open(on_return_raises=True) as channel:
        try:
            await channel.default_exchange.publish(Message(b"back"), unique("nowhere"),
                                                   mandatory=True)
        except aio_pika.exceptions.DeliveryError as error:
            same("code", error.message.delivery.reply_code, 312)
        else:
            raise AssertionError("not returned")


async def topic():
    async with channel_open() as channel:
        exchange = await new_exchange(channel, ExchangeType.TOPIC)
        star, rest = await new_queue(channel), await new_queue(channel)
        await star.bind(exchange, "*.b.*")
        await rest.bind(exchange, "#.b.#")
        for key in ("a.b.c", "b", "a.b", "a"):
            await exchange.publish(Message(key.encode()), key, mandatory=False)
        same("*.b.*", await bodies(star), [b"a.b.c"])
        same("#.b.#", await bodies(rest), [b"a.b.c", b"b", b"a.b"])


async def headers():
    async with channel_open() as channel:
        exchange = await new_exchange(channel, ExchangeType.HEADERS)
        both, either = await new_queue(channel), await new_queue(channel)
        wanted = {"colour": "red", "urgent": True}
        await both.bind(exchange, arguments={"x-match": "all", **wanted})
        await either.bind(exchange, arguments={"x-match": "any", **wanted})
        for body, fields in ((b"both", wanted), (b"one", {"urgent": True}), (b"none", {})):
            await exchange.publish(Message(body, headers=fields), "", mandatory=False)
        same("all", await bodies(both), [b"both"])
        same("any", await bodies(either), [b"both", b"one"])


async def fanout():
    async with channel_open() as channel:
        exchange = await new_exchange(channel, ExchangeType.FANOUT)
        queues = [await new_queue(channel) for _ in range(3)]
        for queue in queues:
            await queue.bind(exchange)
        await exchange.publish(Message(b"all"), "ignored")
        for queue in queues:
            same(queue.name, await bodies(queue), [b"all"])


async def exchange_to_exchange():
    async with channel_open() as channel:
        source = await new_exchange(channel, ExchangeType.DIRECT)
        target = await new_exchange(channel, ExchangeType.FANOUT)
        queue = await new_queue(channel)
        await queue.bind(target)
        await target.bind(source, "go")
        await source.publish(Message(b"yes"), "go")
        await source.publish(Message(b"no"), "stop", mandatory=False)
        same("through both", await bodies(queue), [b"yes"])
        await target.unbind(source, "go")


async def passive_missing():
    async with connected() as connection:
        channel = await connection.channel()
        try:
            await channel.declare_queue(unique("missing"), passive=True)
        except aio_pika.exceptions.ChannelNotFoundEntity as error:
            same("text", "NOT_FOUND" in str(error), True)
        else:
            raise AssertionError("no error")
        await new_queue(await connection.channel())


async def tx():
    async with connected() as connection:
        channel = await connection.channel(publisher_confirms=False)
        other = await connection.channel()
        queue = await new_queue(other)
        async with channel.transaction():
            await publish(channel, queue.name, b"kept")
            same("before commit", await count(other, queue), 0)
        same("after commit", await count(other, queue), 1)
        transaction = channel.transaction()
        await transaction.select()
        await publish(channel, queue.name, b"dropped")
        await transaction.rollback()
        same("after rollback", await bodies(queue), [b"kept"])


async def direct_reply_to():
    async with connected() as connection:
        client, server = await connection.channel(), await connection.channel()
        queue = await new_queue(server)
        replies = asyncio.get_running_loop().create_future()
        address = await client.get_queue("amq.rabbitmq.reply-to", ensure=False)
        await address.consume(replies.set_result, no_ack=True)
        await publish(client, queue.name, b"question", reply_to=address.name, correlation_id="7")
        request = await queue.get(timeout=WAIT, no_ack=True)
        await server.default_exchange.publish(
            Message(request.body + b"?", correlation_id=request.correlation_id),
            request.reply_to, mandatory=False)
        reply = await asyncio.wait_for(replies, WAIT)
        same("reply", (reply.correlation_id, reply.body), ("7", b"question?"))


async def big_body():
    async with channel_open() as channel:
        queue = await new_queue(channel)
        await publish(channel, queue.name, BIG_BODY)
        same("same body", await bodies(queue) == [BIG_BODY], True)


async def empty_body():
    async with channel_open() as channel:
        queue = await new_queue(channel)
        await publish(channel, queue.name, b"", content_type="text/plain")
        message = await queue.get(timeout=WAIT, no_ack=True)
        same("message", (message.content_type, message.body), ("text/plain", b""))


async def header_types():
    # No float and no integer from -128 to -1: this client cannot write them.
    fields = {
        "text": "grüße", "true": True, "false": False, "small": -500, "large": 2**40,
        "none": None, "time": datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc),
        "list": [1, "two", [3]], "table": {"inner": {"deep": 1}},
    }
    async with channel_open() as channel:
        queue = await new_queue(channel)
        sent = Message(b"x", headers=fields, content_type="application/json", priority=4,
                       content_encoding="utf-8", correlation_id="c", reply_to="r", expiration=60,
                       message_id="m", timestamp=1700000000, type="t", user_id="guest", app_id="a")
        await channel.default_exchange.publish(sent, queue.name)
        got = await queue.get(timeout=WAIT, no_ack=True)
        # Timestamps come back without their time zone.
        wanted = {**fields, "time": fields["time"].replace(tzinfo=None)}
        same("headers", dict(got.headers), wanted)
        for key in ("content_type", "content_encoding", "priority", "correlation_id", "reply_to",
                    "expiration", "message_id", "timestamp", "type", "user_id", "app_id"):
            same(key, getattr(got, key), getattr(sent, key))


async def consumer_cancel():
    async with connected() as connection:
        channel, other = await connection.channel(), await connection.channel()
        queue = await new_queue(channel)
        # aio-pika does not pass the cancellation on to its users; aiormq drops the consumer.
        tag = await queue.consume(lambda message: None)
        consumers = channel.channel.consumers
        same("known", tag in consumers, True)
        await other.queue_delete(queue.name)

        async def forgotten():
            return tag not in consumers

        await eventually("cancel", forgotten)
        await new_queue(channel)


async def two_channels():
    async with connected() as connection:
        first, second = await connection.channel(), await connection.channel()
        queue = await new_queue(first)
        await asyncio.gather(*[publish(first if n % 2 else second, queue.name, b"%d" % n)
                               for n in range(6)])
        same("six messages", await count(first, queue), 6)
        mine = await queue.get(timeout=WAIT)
        theirs = await (await second.get_queue(queue.name)).get(timeout=WAIT)
        same("each channel counts from one", (mine.delivery_tag, theirs.delivery_tag), (1, 1))
        await first.close()
        await theirs.ack()

        async def requeued():
            return await count(second, queue) == 5

        await eventually("requeued on close", requeued)


async def heartbeat():
    async with connected(heartbeat=2) as connection:
        await asyncio.sleep(5.5)
        await new_queue(await connection.channel())


async def ttl_dead_letter():
    async with channel_open() as channel:
        dead = await new_queue(channel)
        queue = await new_queue(channel, arguments={
            "x-message-ttl": 100, "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": dead.name})
        await publish(channel, queue.name, b"late")
        message = await eventually("dead letter", lambda: dead.get(fail=False, no_ack=True))
        same("reason", message.headers["x-death"][0]["reason"], "expired")


def blocking(check):
    def wrapper():
        # A check that hangs is left behind: closing its connection might well hang too.
        loop = asyncio.new_event_loop()
        task = loop.create_task(check())
        loop.run_until_complete(asyncio.wait({task}, timeout=20))
        if not task.done():
            raise AssertionError("not done within 20 s")
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        task.result()

    wrapper.__name__ = check.__name__
    return wrapper


if __name__ == "__main__":
    run(importlib.metadata.version("aio-pika"), [blocking(check) for check in (
        get, consume_ack, nack_requeue, reject, prefetch, confirms, mandatory_return, topic,
        headers, fanout, exchange_to_exchange, passive_missing, tx, direct_reply_to, big_body,
        empty_body, header_types, consumer_cancel, two_channels, heartbeat,
    )], [blocking(ttl_dead_letter)])
