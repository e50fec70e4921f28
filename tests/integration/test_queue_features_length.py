"""Length limits."""
import pytest

DLX, DLK = "x-dead-letter-exchange", "x-dead-letter-routing-key"


def limited(channel, **arguments):
    return channel.queue(exclusive=True, arguments={key.replace("_", "-"): value for key, value in arguments.items()})


def test_the_oldest_message_is_dropped(channel):
    queue = limited(channel, x_max_length=2)
    for body in "abcd":
        channel.publish("", queue, body)
    channel.sync()
    channel.await_ready(queue, 2)
    assert channel.bodies(queue) == ["c", "d"]


def test_dropped_messages_are_dead_lettered_with_their_reason(channel):
    dead = channel.queue(exclusive=True)
    queue = channel.queue(exclusive=True, arguments={"x-max-length": 1, DLX: "", DLK: dead})
    for body in "abc":
        channel.publish("", queue, body)
    messages = [channel.get_soon(dead) for _ in range(2)]
    assert [(m.body, m.properties["headers"]["x-death"][0]["reason"]) for m in messages] == \
        [(b"a", "maxlen"), (b"b", "maxlen")]


def test_held_messages_do_not_count_until_they_are_requeued(channel):
    dead = channel.queue(exclusive=True)
    queue = channel.queue(exclusive=True, arguments={"x-max-length": 2, DLX: "", DLK: dead})
    for body in "ab":
        channel.publish("", queue, body)
    channel.await_ready(queue, 2)
    tags = [channel.get(queue, no_ack=False).delivery_tag for _ in range(2)]
    for body in "cd":
        channel.publish("", queue, body)
    channel.await_ready(queue, 2)
    assert channel.ready(dead) == 0
    channel.nack(tags[1], multiple=True)
    channel.await_ready(dead, 2)
    assert channel.bodies(queue) == ["c", "d"]
    assert channel.bodies(dead) == ["a", "b"]


def test_bytes_are_limited_too(channel):
    queue = limited(channel, x_max_length_bytes=1000)
    for body in (b"a" * 400, b"b" * 400, b"c" * 400):
        channel.publish("", queue, body)
    channel.await_ready(queue, 2)
    assert [body[0] for body in channel.bodies(queue)] == ["b", "c"]
    channel.publish("", queue, b"small")
    channel.publish("", queue, b"x" * 1001)
    channel.sync()
    channel.await_ready(queue, 0)


def test_a_waiting_consumer_gets_messages_past_a_limit_of_zero(channel):
    queue = limited(channel, x_max_length=0)
    channel.publish("", queue, b"lost")
    channel.consume(queue, no_ack=True)
    channel.publish("", queue, b"direct")
    assert channel.delivery().body == b"direct"


def test_a_rejected_publish_is_nacked_and_not_returned(channel):
    channel.call("confirm.select")
    queue = limited(channel, x_max_length=1, x_overflow="reject-publish")
    for _ in range(2):
        channel.publish("", queue, b"x", mandatory=True)
    replies = [channel.wait("basic.ack", "basic.nack", "basic.return") for _ in range(2)]
    assert sorted((r.name, r.delivery_tag) for r in replies) == [("basic.ack", 1), ("basic.nack", 2)]
    assert channel.drain("basic.return") == []
    assert channel.ready(queue) == 1


def test_one_rejecting_queue_makes_a_nack_and_the_others_keep_their_copy(channel, name):
    channel.call("confirm.select")
    exchange = channel.exchange(name("x"), "fanout")
    full, free = limited(channel, x_max_length=0, x_overflow="reject-publish"), channel.queue(exclusive=True)
    for queue in (full, free):
        channel.bind(queue, exchange)
    channel.publish(exchange, "", b"x")
    assert channel.wait("basic.ack", "basic.nack").name == "basic.nack"
    channel.await_ready(free, 1)
    assert channel.ready(full) == 0


def test_reject_publish_without_confirms_drops_silently(channel):
    queue = limited(channel, x_max_length=1, x_overflow="reject-publish")
    for body in "ab":
        channel.publish("", queue, body)
    channel.sync()
    channel.await_ready(queue, 1)
    assert channel.bodies(queue) == ["a"]


def test_reject_publish_dlx_nacks_and_dead_letters_the_new_message(channel):
    channel.call("confirm.select")
    dead = channel.queue(exclusive=True)
    queue = channel.queue(exclusive=True, arguments={"x-max-length": 1, "x-overflow": "reject-publish-dlx", DLX: "",
                                                     DLK: dead})
    for body in "ab":
        channel.publish("", queue, body)
    replies = [channel.wait("basic.ack", "basic.nack").name for _ in range(2)]
    assert sorted(replies) == ["basic.ack", "basic.nack"]
    message = channel.get_soon(dead)
    assert (message.body, message.properties["headers"]["x-death"][0]["reason"]) == (b"b", "maxlen")
    assert channel.bodies(queue) == ["a"]


@pytest.mark.parametrize("overflow", [None, "drop-head"])
def test_dropping_the_head_is_the_default_and_confirms(channel, overflow):
    channel.call("confirm.select")
    queue = channel.queue(exclusive=True, arguments={"x-max-length": 1}
                          | ({"x-overflow": overflow} if overflow else {}))
    for body in "ab":
        channel.publish("", queue, body)
    outstanding = {1, 2}
    while outstanding:
        reply = channel.wait("basic.ack", "basic.nack")
        assert reply.name == "basic.ack"
        outstanding -= set(range(reply.delivery_tag + 1)) if reply.multiple else {reply.delivery_tag}
    assert channel.bodies(queue) == ["b"]
