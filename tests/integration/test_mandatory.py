"""Mandatory messages come back when no queue takes them."""


def test_an_unroutable_mandatory_message_is_returned_whole(channel, name):
    exchange = channel.exchange(name("x"))
    channel.publish(exchange, "nowhere", b"payload", mandatory=True, headers={"a": [1, {}]}, message_id="m1",
                    delivery_mode=2, priority=3)
    reply = channel.wait("basic.return")
    assert (reply.reply_code, reply.reply_text, reply.exchange, reply.routing_key) == \
        (312, "NO_ROUTE", exchange, "nowhere")
    assert reply.body == b"payload"
    assert reply.properties == {"headers": {"a": [1, {}]}, "message_id": "m1", "delivery_mode": 2, "priority": 3}


def test_an_unroutable_message_without_mandatory_is_dropped(channel):
    channel.publish("", "no-such-queue-here", b"x")
    assert channel.drain("basic.return") == []


def test_a_routed_mandatory_message_is_not_returned(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x", mandatory=True)
    assert channel.get_soon(queue).body == b"x"
    assert channel.drain("basic.return") == []


def test_returns_come_in_the_order_of_the_publishes(channel, name):
    exchange = channel.exchange(name("x"), "topic")
    for number in range(100):
        channel.publish(exchange, f"k.{number}", b"x" * number, mandatory=True)
    returns = [channel.wait("basic.return") for _ in range(100)]
    assert [(r.routing_key, len(r.body)) for r in returns] == [(f"k.{n}", n) for n in range(100)]


def test_empty_and_large_bodies_are_returned(connect):
    channel = connect(frame_max=4096).channel()
    for size in (0, 1, 4088, 4089, 100000):
        channel.publish("", "no-such-queue-here", b"r" * size, mandatory=True)
        assert channel.wait("basic.return").body == b"r" * size


def test_without_confirms_a_return_is_the_only_answer(channel):
    channel.publish("", "no-such-queue-here", b"x", mandatory=True)
    channel.wait("basic.return")
    assert channel.drain("basic.ack") == []
