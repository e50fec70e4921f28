"""An empty queue name stands for the queue declared last on the channel."""
import pytest

NONE_YET = "NOT_FOUND - no previously declared queue"


@pytest.mark.parametrize("method,arguments", [
    ("queue.bind", {"exchange": "amq.direct", "routing_key": "k"}), ("queue.unbind", {"exchange": "amq.direct"}),
    ("queue.purge", {}), ("queue.delete", {}), ("basic.get", {}), ("basic.consume", {}),
])
def test_before_any_declare_there_is_none(channel, method, arguments):
    channel.refused(method, 404, NONE_YET, **arguments)


def test_it_works_for_every_method_with_a_queue_name(channel, name):
    queue, key = channel.queue(exclusive=True), name("key")
    channel.bind("", "amq.direct", key)
    channel.publish("amq.direct", key, b"1")
    assert channel.get_soon("").body == b"1"
    channel.publish("amq.direct", key, b"2")
    channel.await_ready(queue, 1)
    assert channel.call("queue.purge", queue="").message_count == 1
    channel.unbind("", "amq.direct", key)
    tag = channel.consume("", no_ack=True)
    channel.publish("", queue, b"3")
    assert channel.delivery().body == b"3"
    channel.cancel(tag)
    channel.call("queue.delete", queue="")
    assert not channel.exists("queue", queue)


def test_a_bind_with_both_names_empty_uses_the_queue_name_as_key(channel):
    queue = channel.queue(exclusive=True)
    channel.bind("", "amq.direct", "")
    channel.publish("amq.direct", queue, b"x")
    assert channel.get_soon(queue).routing_key == queue


def test_a_bind_with_the_queue_named_keeps_the_empty_key(channel, name):
    exchange, queue = channel.exchange(name("x")), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "")
    channel.publish(exchange, queue, b"by name")
    channel.publish(exchange, "", b"by empty key")
    channel.sync()
    assert channel.bodies(queue) == ["by empty key"]


def test_the_last_declare_counts_and_passive_ones_too(channel, name):
    first, second = channel.queue(name("a")), channel.queue(name("b"))
    channel.publish("", first, b"first")
    channel.publish("", second, b"second")
    assert channel.get_soon("").body == b"second"
    channel.ready(first)
    assert channel.get_soon("").body == b"first"


def test_it_belongs_to_the_channel(connection):
    connection.channel().queue(exclusive=True)
    connection.channel().refused("queue.purge", 404, NONE_YET)


def test_it_is_forgotten_when_the_channel_is_closed(connection):
    channel = connection.channel(5)
    channel.queue(exclusive=True)
    channel.close()
    connection.channel(5).refused("basic.get", 404, NONE_YET)


def test_it_may_be_deleted_meanwhile(channel):
    queue = channel.queue(exclusive=True)
    channel.call("queue.delete", queue=queue)
    channel.refused("queue.purge", 404, f"NOT_FOUND - no queue '{queue}' in vhost '/'")


def test_a_passive_declare_of_the_empty_name_is_not_found(channel):
    channel.queue(exclusive=True)
    channel.refused("queue.declare", 404, "NOT_FOUND - no queue '' in vhost '/'", passive=True)


def test_a_declare_with_an_empty_name_makes_a_new_queue(channel):
    assert channel.queue(exclusive=True) != channel.queue(exclusive=True)
