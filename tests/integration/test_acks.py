"""Settling deliveries."""
import pytest


@pytest.fixture
def held(connection, name):
    """A channel that holds five deliveries, a..e with the tags 1..5, and their queue."""
    channel = connection.channel()
    queue = channel.queue(name("q"))
    for body in "abcde":
        channel.publish("", queue, body)
    channel.await_ready(queue, 5)
    for tag in range(1, 6):
        assert channel.get(queue, no_ack=False).delivery_tag == tag
    return channel, queue


def left(held, connection):
    """What comes back when the channel closes."""
    channel, queue = held
    channel.sync()
    channel.close()
    reader = connection.channel()
    return reader.bodies(queue)


def test_unacked_messages_come_back_in_order_when_the_channel_closes(held, connection):
    assert left(held, connection) == list("abcde")


def test_ack_settles_one(held, connection):
    held[0].ack(2)
    assert left(held, connection) == list("acde")


def test_ack_multiple_settles_all_up_to_the_tag(held, connection):
    held[0].ack(3, multiple=True)
    assert left(held, connection) == list("de")


def test_ack_multiple_skips_what_is_settled(held, connection):
    held[0].ack(2)
    held[0].ack(3, multiple=True)
    assert left(held, connection) == list("de")


def test_ack_multiple_of_tag_zero_settles_all(held, connection):
    held[0].ack(0, multiple=True)
    assert left(held, connection) == []


@pytest.mark.parametrize("method", ["basic.ack", "basic.nack"])
def test_settling_all_of_nothing_is_no_error(channel, method):
    channel.send(method, delivery_tag=0, multiple=True)
    channel.sync()


@pytest.mark.parametrize("method", ["basic.ack", "basic.nack", "basic.reject"])
def test_tag_zero_alone_is_unknown(held, method):
    held[0].refused(method, 406, "PRECONDITION_FAILED - unknown delivery tag 0", delivery_tag=0)


@pytest.mark.parametrize("method", ["basic.ack", "basic.nack", "basic.reject"])
def test_settling_twice_is_refused_and_the_rest_comes_back(held, connection, method):
    channel, queue = held
    channel.ack(2)
    channel.refused(method, 406, "PRECONDITION_FAILED - unknown delivery tag 2", delivery_tag=2)
    reader = connection.channel()
    reader.await_ready(queue, 4)
    assert [(m.body, m.redelivered) for m in reader.empty(queue)] == [(b, True) for b in (b"a", b"c", b"d", b"e")]


def test_a_multiple_beyond_the_last_tag_is_refused(held):
    held[0].refused("basic.ack", 406, "PRECONDITION_FAILED - unknown delivery tag 99", delivery_tag=99, multiple=True)


def test_tags_belong_to_their_channel(held, connection):
    connection.channel().refused("basic.ack", 406, "PRECONDITION_FAILED - unknown delivery tag 1", delivery_tag=1)


def test_nack_without_requeue_discards(held, connection):
    held[0].nack(3, multiple=True, requeue=False)
    held[0].nack(5, requeue=False)
    assert left(held, connection) == ["d"]


def test_reject_without_requeue_discards(held, connection):
    held[0].reject(1, requeue=False)
    assert left(held, connection) == list("bcde")


@pytest.mark.parametrize("method", ["basic.nack", "basic.reject"])
def test_requeued_messages_are_ready_again_and_marked(held, connection, method):
    channel, queue = held
    channel.send(method, delivery_tag=1, requeue=True)
    channel.await_ready(queue, 1)
    message = connection.channel().get(queue)
    assert (message.body, message.redelivered) == (b"a", True)


def test_messages_of_no_ack_deliveries_cannot_be_acked(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x")
    assert channel.get_soon(queue, no_ack=True).delivery_tag == 1
    channel.refused("basic.ack", 406, "PRECONDITION_FAILED - unknown delivery tag 1", delivery_tag=1)


def test_tags_count_gets_and_deliveries_together(channel):
    queue = channel.queue(exclusive=True)
    for body in "abc":
        channel.publish("", queue, body)
    channel.await_ready(queue, 3)
    assert channel.get(queue, no_ack=True).delivery_tag == 1
    assert channel.get(queue, no_ack=False).delivery_tag == 2
    channel.consume(queue)
    assert channel.delivery().delivery_tag == 3


def test_a_dropped_connection_gives_its_messages_back(connect, name):
    gone = connect()
    channel = gone.channel()
    queue = channel.queue(name("q"))
    for body in "abc":
        channel.publish("", queue, body)
    channel.await_ready(queue, 3)
    channel.consume(queue)
    channel.deliveries(3)
    gone.reset()
    reader = connect().channel()
    reader.await_ready(queue, 3)
    assert [(m.body, m.redelivered) for m in reader.empty(queue)] == [(b"a", True), (b"b", True), (b"c", True)]


def test_no_ack_deliveries_do_not_come_back(connect, name):
    gone = connect()
    channel = gone.channel()
    queue = channel.queue(name("q"))
    channel.publish("", queue, b"x")
    channel.consume(queue, no_ack=True)
    channel.delivery()
    gone.close()
    assert connect().channel().ready(queue) == 0
