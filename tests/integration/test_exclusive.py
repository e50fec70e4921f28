"""Exclusive queues belong to one connection and go with it."""
import time

import pytest
from amqp_wire import ClosedByBroker

LOCKED = ("RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '{}' in vhost '/'. It could be originally "
          "declared on another connection or the exclusive property value does not match that of the original "
          "declaration.")


@pytest.mark.parametrize("method,arguments", [
    ("queue.declare", {}), ("queue.declare", {"exclusive": True}), ("queue.declare", {"passive": True}),
    ("queue.declare", {"durable": True, "exclusive": True}), ("queue.declare", {"arguments": {"x-expires": 5000}}),
    ("queue.bind", {"exchange": "amq.direct", "routing_key": "k"}), ("queue.purge", {}), ("queue.delete", {}),
    ("basic.get", {}), ("basic.consume", {}), ("queue.unbind", {"exchange": "amq.direct", "routing_key": "bound"}),
], ids=["declare", "declare exclusive", "passive", "declare durable", "declare with arguments", "bind", "purge",
        "delete", "get", "consume", "unbind"])
def test_other_connections_are_locked_out(connect, name, method, arguments):
    owner = connect().channel()
    queue = owner.queue(name("q"), exclusive=True)
    owner.bind(queue, "amq.direct", "bound")
    connect().channel().refused(method, 405, LOCKED.format(queue)[:255], queue=queue, **arguments)
    owner.sync()


def test_anyone_may_publish_to_an_exclusive_queue(connect):
    owner, other = connect().channel(), connect().channel()
    queue = owner.queue(exclusive=True)
    other.publish("", queue, b"hello")
    assert owner.get_soon(queue).body == b"hello"


def test_all_channels_of_the_owner_may_use_the_queue(connection, name):
    queue = connection.channel().queue(name("q"), exclusive=True)
    second = connection.channel()
    second.queue(queue, exclusive=True)
    second.consume(queue)
    second.call("queue.delete", queue=queue)


def test_the_owner_cannot_redeclare_it_without_exclusive(channel, name):
    queue = channel.queue(name("q"), exclusive=True)
    channel.refused("queue.declare", 405, LOCKED.format(queue)[:255], queue=queue)


def test_a_shared_queue_cannot_be_redeclared_as_exclusive(channel, name):
    queue = channel.queue(name("q"))
    channel.refused("queue.declare", 405, LOCKED.format(queue)[:255], queue=queue, exclusive=True)


def test_the_durable_flag_is_not_compared_for_exclusive_queues(channel, name):
    queue = channel.queue(name("q"), exclusive=True, durable=True)
    channel.queue(queue, exclusive=True, durable=False)


def test_unbinding_a_missing_binding_of_an_exclusive_queue_succeeds(connect, name):
    queue = connect().channel().queue(name("q"), exclusive=True)
    connect().channel().unbind(queue, "amq.direct", "never bound")


def test_the_queue_is_gone_before_close_ok(connect, name):
    queue = name("q")
    for _ in range(20):
        connection = connect()
        connection.channel().queue(queue, exclusive=True)
        connection.close()
        assert not connect().channel().exists("queue", queue)


def test_the_name_is_free_for_the_next_owner_at_once(connect, name):
    queue = name("q")
    for _ in range(20):
        connection = connect()
        connection.channel().queue(queue, exclusive=True)
        connection.close()


@pytest.mark.parametrize("how", ["reset", "drop"])
def test_the_name_is_free_soon_after_the_owner_broke_off(connect, name, how):
    queue = name("q")
    for _ in range(5):
        connection = connect()
        connection.channel().queue(queue, exclusive=True)
        getattr(connection, how)()
        limit = time.monotonic() + 2
        next_owner = connect()
        while True:
            try:
                next_owner.channel().queue(queue, exclusive=True)
                break
            except ClosedByBroker as closed:
                assert closed.method.reply_code == 405 and time.monotonic() < limit
                time.sleep(0.01)
        next_owner.close()


def test_closing_the_channel_does_not_delete_the_queue(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"), exclusive=True)
    channel.close()
    assert connection.channel().exists("queue", queue)


def test_an_exclusive_auto_delete_queue_goes_with_its_last_consumer(channel, name):
    queue = channel.queue(name("q"), exclusive=True, auto_delete=True)
    channel.cancel(channel.consume(queue))
    assert not channel.exists("queue", queue)


def test_its_bindings_go_with_the_queue(connect, name):
    owner = connect()
    channel = owner.channel()
    exchange = channel.exchange(name("x"), "fanout")
    channel.bind(channel.queue(exclusive=True), exchange)
    owner.close()
    publisher = connect().channel()
    publisher.call("confirm.select")
    publisher.publish(exchange, "", b"x", mandatory=True)
    assert publisher.next().name == "basic.return"
    assert publisher.next().name == "basic.ack"
