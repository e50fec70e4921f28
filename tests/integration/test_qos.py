"""Prefetch: per consumer and, with global, per channel."""
import pytest


@pytest.fixture
def queue(connection, name):
    """A queue with 20 ready messages."""
    channel = connection.channel()
    queue = channel.queue(name("q"))
    for number in range(20):
        channel.publish("", queue, str(number))
    channel.await_ready(queue, 20)
    channel.close()
    return queue


@pytest.fixture
def reader(connection, queue):
    return connection.channel()


def arrives(channel, count, tag=None):
    """Exactly this many deliveries come (for the consumer with this tag)."""
    for _ in range(count):
        channel.delivery(condition=lambda message: tag in (None, message.consumer_tag))
    assert [m for m in channel.drain("basic.deliver") if tag in (None, m.consumer_tag)] == []


def test_a_consumer_gets_no_more_than_its_prefetch(reader, queue):
    reader.call("basic.qos", prefetch_count=3)
    reader.consume(queue)
    arrives(reader, 3)
    reader.ack(1)
    arrives(reader, 1)
    reader.ack(4, multiple=True)
    arrives(reader, 3)


def test_without_qos_everything_is_delivered(reader, queue):
    reader.consume(queue)
    arrives(reader, 20)


def test_a_prefetch_of_zero_is_unlimited(reader, queue):
    reader.call("basic.qos", prefetch_count=2)
    reader.call("basic.qos", prefetch_count=0)
    reader.consume(queue)
    arrives(reader, 20)


def test_each_consumer_has_its_own_prefetch(reader, queue):
    reader.call("basic.qos", prefetch_count=2)
    for tag in "ab":
        reader.consume(queue, tag)
    got = reader.deliveries(4)
    assert sorted(m.consumer_tag for m in got) == ["a", "a", "b", "b"]
    arrives(reader, 0)


def test_a_later_qos_leaves_running_consumers_alone(reader, queue):
    reader.call("basic.qos", prefetch_count=2)
    reader.consume(queue, "old")
    arrives(reader, 2)
    reader.call("basic.qos", prefetch_count=7)
    arrives(reader, 0)
    reader.consume(queue, "new")
    arrives(reader, 7, "new")


def test_a_consumer_started_after_cancel_has_the_new_prefetch(reader, queue):
    reader.call("basic.qos", prefetch_count=2)
    tag = reader.consume(queue)
    arrives(reader, 2)
    reader.call("basic.qos", prefetch_count=5)
    reader.cancel(tag)
    reader.consume(queue)
    arrives(reader, 5)


def test_a_global_limit_is_shared_by_the_consumers_of_the_channel(reader, queue):
    reader.call("basic.qos", prefetch_count=3, **{"global": True})
    for tag in "ab":
        reader.consume(queue, tag)
    arrives(reader, 3)
    reader.ack(1)
    arrives(reader, 1)


def test_a_global_limit_can_be_raised(reader, queue):
    reader.call("basic.qos", prefetch_count=3, **{"global": True})
    reader.consume(queue)
    arrives(reader, 3)
    reader.call("basic.qos", prefetch_count=5, **{"global": True})
    arrives(reader, 2)


def test_a_lowered_global_limit_waits_for_acks(reader, queue):
    reader.call("basic.qos", prefetch_count=4, **{"global": True})
    reader.consume(queue)
    arrives(reader, 4)
    reader.call("basic.qos", prefetch_count=2, **{"global": True})
    reader.ack(2, multiple=True)
    arrives(reader, 0)
    reader.ack(3)
    arrives(reader, 1)


def test_gets_are_not_limited_and_do_not_count(reader, queue):
    reader.call("basic.qos", prefetch_count=2, **{"global": True})
    for _ in range(3):
        assert reader.get(queue, no_ack=False)
    reader.consume(queue)
    arrives(reader, 2)
    assert reader.get(queue, no_ack=False)


def test_both_limits_hold_at_once(reader, queue):
    reader.call("basic.qos", prefetch_count=5, **{"global": True})
    reader.call("basic.qos", prefetch_count=3)
    reader.call("basic.qos", prefetch_count=5, **{"global": True})
    for tag in "ab":
        reader.consume(queue, tag)
    got = [m.consumer_tag for m in reader.deliveries(5)]
    arrives(reader, 0)
    assert max(got.count("a"), got.count("b")) == 3


def test_no_ack_consumers_are_not_limited(reader, queue):
    reader.call("basic.qos", prefetch_count=1)
    reader.consume(queue, no_ack=True)
    arrives(reader, 20)


def test_nack_makes_room_like_ack(reader, queue):
    reader.call("basic.qos", prefetch_count=1)
    reader.consume(queue)
    assert reader.delivery().body == b"0"
    reader.nack(1, requeue=False)
    assert reader.delivery().body == b"1"
    reader.reject(2, requeue=False)
    assert reader.delivery().body == b"2"


def test_unacked_deliveries_of_a_cancelled_consumer_do_not_count_for_the_next(reader, queue):
    reader.call("basic.qos", prefetch_count=2)
    tag = reader.consume(queue)
    arrives(reader, 2)
    reader.cancel(tag)
    reader.consume(queue, "second")
    arrives(reader, 2, "second")


def test_a_later_ack_on_another_channel_does_not_open_the_window(connection, reader, queue):
    other = connection.channel()
    reader.call("basic.qos", prefetch_count=1)
    reader.consume(queue)
    arrives(reader, 1)
    other.get(queue, no_ack=False)
    other.ack(1)
    other.sync()
    arrives(reader, 0)


def test_a_global_limit_does_not_leave_a_queue_behind(channel):
    channel.call("basic.qos", prefetch_count=1, **{"global": True})
    queues = [channel.queue(exclusive=True) for _ in range(3)]
    for queue in queues:
        for _ in range(10):
            channel.publish("", queue, b"x")
    for queue in queues:
        channel.consume(queue)
    for _ in range(9):
        channel.ack(channel.delivery().delivery_tag)
    left = [channel.call("queue.declare", queue=queue, passive=True).message_count for queue in queues]
    assert max(left) < 10


def test_a_no_ack_consumer_waits_while_the_global_limit_is_reached(channel):
    channel.call("basic.qos", prefetch_count=1, **{"global": True})
    slow, fast = channel.queue(exclusive=True), channel.queue(exclusive=True)
    channel.consume(slow)
    channel.publish("", slow, b"held")
    held = channel.delivery()
    tag = channel.consume(fast, no_ack=True)
    channel.publish("", fast, b"later")
    assert channel.drain("basic.deliver") == []
    channel.ack(held.delivery_tag)
    assert channel.delivery(condition=lambda message: message.consumer_tag == tag).body == b"later"
