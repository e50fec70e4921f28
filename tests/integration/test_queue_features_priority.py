"""Priority queues."""
import pytest

DLX, DLK = "x-dead-letter-exchange", "x-dead-letter-routing-key"


@pytest.fixture
def queue(channel):
    return channel.queue(exclusive=True, arguments={"x-max-priority": 5})


def test_higher_priorities_come_first_and_equal_ones_in_order(channel, queue):
    for body, priority in (("a", 1), ("b", 5), ("c", None), ("d", 5), ("e", 0), ("f", 3), ("g", 1)):
        channel.publish("", queue, body, priority=priority)
    channel.await_ready(queue, 7)
    assert channel.bodies(queue) == ["b", "d", "f", "a", "g", "c", "e"]


def test_priorities_above_the_maximum_count_as_the_maximum(channel, queue):
    for body, priority in (("a", 5), ("b", 200), ("c", 5)):
        channel.publish("", queue, body, priority=priority)
    channel.await_ready(queue, 3)
    messages = channel.empty(queue)
    assert [m.body for m in messages] == [b"a", b"b", b"c"]
    assert messages[1].properties == {"priority": 200}


def test_redelivered_is_false_on_the_first_delivery(channel, queue):
    channel.call("basic.qos", prefetch_count=1)
    for priority in (1, 2, 3):
        channel.publish("", queue, str(priority), priority=priority)
    channel.await_ready(queue, 3)
    channel.consume(queue)
    for body in (b"3", b"2", b"1"):
        message = channel.delivery()
        assert (message.body, message.redelivered) == (body, False)
        channel.ack(message.delivery_tag)
    channel.publish("", queue, b"live")
    assert channel.delivery().redelivered is False


def test_requeued_messages_return_to_their_level_and_place(channel, queue):
    for body, priority in (("a", 1), ("b", 3), ("c", 3), ("d", 1)):
        channel.publish("", queue, body, priority=priority)
    channel.await_ready(queue, 4)
    for _ in range(3):
        channel.get(queue, no_ack=False)
    channel.nack(3, multiple=True)
    channel.await_ready(queue, 4)
    assert channel.bodies(queue) == ["b", "c", "a", "d"]


@pytest.mark.better
def test_a_short_lived_message_of_a_high_level_is_not_held_up_by_a_lower_level(channel):
    dead = channel.queue(exclusive=True)
    queue = channel.queue(exclusive=True, arguments={"x-max-priority": 10, DLX: "", DLK: dead})
    channel.publish("", queue, b"low", priority=1, expiration="60000")
    channel.publish("", queue, b"high", priority=9, expiration="100")
    assert channel.get_soon(dead, timeout=1.5).body == b"high"


@pytest.mark.better
def test_a_full_priority_queue_drops_from_the_lowest_level(channel):
    queue = channel.queue(exclusive=True, arguments={"x-max-priority": 5, "x-max-length": 2})
    for body, priority in (("low", 1), ("high", 5), ("mid", 3)):
        channel.publish("", queue, body, priority=priority)
    channel.sync()
    channel.await_ready(queue, 2)
    assert channel.bodies(queue) == ["high", "mid"]
