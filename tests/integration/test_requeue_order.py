"""Requeued messages go back to the place they had."""
import pytest


def fill(channel, queue, bodies):
    for body in bodies:
        channel.publish("", queue, body)
    channel.await_ready(queue, len(bodies))


def test_messages_requeued_in_any_order_return_to_their_places(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    fill(channel, queue, "abcdefg")
    for _ in range(5):
        channel.get(queue, no_ack=False)
    for tag in (4, 2, 3):
        channel.nack(tag)
    channel.await_ready(queue, 5)
    reader = connection.channel()
    seen = [reader.get(queue, no_ack=False) for _ in range(5)]
    assert [(m.body, m.redelivered) for m in seen] == \
        [(b"b", True), (b"c", True), (b"d", True), (b"f", False), (b"g", False)]
    reader.close()
    channel.close()
    last = connection.channel()
    last.await_ready(queue, 7)
    assert [(m.body, m.redelivered) for m in last.empty(queue)] == [(b.encode(), True) for b in "abcdefg"]


def test_the_first_message_goes_back_to_the_head(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    fill(channel, queue, "abc")
    for _ in range(2):
        channel.get(queue, no_ack=False)
    channel.nack(1)
    channel.await_ready(queue, 2)
    assert channel.bodies(queue) == ["a", "c"]


def test_requeued_messages_stand_before_later_publishes(channel, name):
    queue = channel.queue(name("q"))
    fill(channel, queue, "ab")
    for _ in range(2):
        channel.get(queue, no_ack=False)
    channel.publish("", queue, b"c")
    channel.nack(2, multiple=True)
    channel.await_ready(queue, 3)
    assert channel.bodies(queue) == ["a", "b", "c"]


@pytest.mark.parametrize("durable", [False, True])
def test_many_messages_keep_their_order_through_repeated_requeues(connection, name, durable):
    channel = connection.channel()
    queue = channel.queue(name("q"), durable=durable)
    bodies = [str(number) for number in range(200)]
    for body in bodies:
        channel.publish("", queue, body, delivery_mode=2 if durable else 1)
    channel.await_ready(queue, 200)
    for _ in range(3):
        reader = connection.channel()
        reader.consume(queue)
        assert [m.body.decode() for m in reader.deliveries(200)] == bodies
        reader.close()
        channel.await_ready(queue, 200)
    assert channel.bodies(queue) == bodies


def test_messages_held_by_two_channels_are_sorted_together_again(connection, name):
    first, second = connection.channel(), connection.channel()
    queue = first.queue(name("q"))
    fill(first, queue, "abcdef")
    for _ in range(3):
        first.get(queue, no_ack=False)
        second.get(queue, no_ack=False)
    second.close()
    first.close()
    reader = connection.channel()
    reader.await_ready(queue, 6)
    assert reader.bodies(queue) == list("abcdef")


def test_a_requeued_message_can_go_to_another_consumer(connection, name):
    first, second = connection.channel(), connection.channel()
    queue = first.queue(name("q"))
    fill(first, queue, "a")
    first.call("basic.qos", prefetch_count=1)
    first.consume(queue, "first")
    tag = first.delivery().delivery_tag
    second.consume(queue)
    first.cancel("first")
    first.nack(tag)
    message = second.delivery()
    assert (message.body, message.redelivered) == (b"a", True)


def test_redelivered_is_false_on_the_first_delivery_only(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    fill(channel, queue, "ab")
    channel.call("basic.qos", prefetch_count=1)
    channel.consume(queue)
    for body in (b"a", b"b"):
        message = channel.delivery()
        assert (message.body, message.redelivered) == (body, False)
        channel.nack(message.delivery_tag)
        message = channel.delivery()
        assert (message.body, message.redelivered) == (body, True)
        channel.ack(message.delivery_tag)
    channel.publish("", queue, b"live")
    assert channel.delivery().redelivered is False
