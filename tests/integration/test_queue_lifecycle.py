"""Declaring, purging and deleting queues, bindings, and when queues go by themselves."""
import re

import pytest
from amqp_wire import ClosedByBroker


def test_the_server_names_a_queue_when_the_client_does_not(channel):
    names = {channel.queue(exclusive=True) for _ in range(3)}
    assert len(names) == 3
    assert all(re.fullmatch(r"amq\.gen-[A-Za-z0-9_-]{22}", queue) for queue in names)


def test_a_server_named_queue_can_be_declared_again_only_passively(channel):
    queue = channel.queue(exclusive=True)
    assert channel.queue(queue, passive=True) == queue
    channel.refused("queue.declare", 403, f"ACCESS_REFUSED - queue name '{queue}' contains reserved prefix 'amq.*'",
                    queue=queue, exclusive=True)


def test_declare_ok_counts_messages_and_consumers(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    for _ in range(3):
        channel.publish("", queue, b"x")
    channel.await_ready(queue, 3)
    channel.call("basic.qos", prefetch_count=1)
    channel.consume(queue)
    channel.delivery()
    reply = connection.channel().call("queue.declare", queue=queue)
    assert (reply.queue, reply.message_count, reply.consumer_count) == (queue, 2, 1)


def test_a_queue_lives_on_after_its_connection(connect, name):
    first = connect()
    queue = first.channel().queue(name("q"))
    first.close()
    assert connect().channel().exists("queue", queue)


def test_deleting_a_missing_queue_succeeds_with_no_messages(channel, name):
    assert channel.call("queue.delete", queue=name("q")).message_count == 0


def test_delete_ok_counts_the_ready_messages(channel, name):
    queue = channel.queue(name("q"))
    for _ in range(5):
        channel.publish("", queue, b"x")
    channel.await_ready(queue, 5)
    channel.get(queue, no_ack=False)
    assert channel.call("queue.delete", queue=queue).message_count == 4


def test_if_unused_and_if_empty_delete_an_idle_empty_queue(channel, name):
    queue = channel.queue(name("q"))
    channel.call("queue.delete", queue=queue, if_unused=True, if_empty=True)
    assert not channel.exists("queue", queue)


def test_purge_takes_ready_messages_only(channel, name):
    queue = channel.queue(name("q"))
    for body in "abc":
        channel.publish("", queue, body)
    channel.await_ready(queue, 3)
    held = channel.get(queue, no_ack=False)
    assert channel.call("queue.purge", queue=queue).message_count == 2
    channel.nack(held.delivery_tag)
    channel.await_ready(queue, 1)
    assert channel.bodies(queue) == ["a"]


def test_an_auto_delete_queue_goes_with_its_last_consumer(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"), auto_delete=True)
    other = connection.channel()
    first, second = channel.consume(queue), other.consume(queue)
    channel.cancel(first)
    assert channel.exists("queue", queue)
    other.cancel(second)
    assert not channel.exists("queue", queue)


@pytest.mark.parametrize("how", ["channel", "connection"])
def test_an_auto_delete_queue_goes_when_the_consumers_end(connect, name, how):
    consumer, observer = connect(), connect().channel()
    channel = consumer.channel()
    queue = channel.queue(name("q"), auto_delete=True)
    channel.consume(queue)
    (channel if how == "channel" else consumer).close()
    assert not observer.exists("queue", queue)


def test_an_auto_delete_queue_without_a_consumer_stays_even_when_read_by_get(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"), auto_delete=True)
    channel.publish("", queue, b"x")
    assert channel.get_soon(queue)
    channel.close()
    assert connection.channel().exists("queue", queue)


def test_binding_twice_is_binding_once(channel, name):
    exchange, queue = channel.exchange(name("x")), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "k")
    channel.bind(queue, exchange, "k")
    channel.publish(exchange, "k", b"1")
    channel.sync()
    assert channel.bodies(queue) == ["1"]
    channel.unbind(queue, exchange, "k")
    channel.publish(exchange, "k", b"2")
    channel.sync()
    assert channel.bodies(queue) == []


@pytest.mark.parametrize("missing", ["queue", "exchange", "both", "binding"])
def test_unbinding_what_is_missing_succeeds(channel, name, missing):
    queue = name("no-q") if missing in ("queue", "both") else channel.queue(exclusive=True)
    exchange = name("no-x") if missing in ("exchange", "both") else "amq.direct"
    channel.unbind(queue, exchange, "k")


def test_bindings_with_other_arguments_are_bindings_of_their_own(channel, name):
    exchange, queue = channel.exchange(name("x"), "headers"), channel.queue(exclusive=True)
    one, two = {"x-match": "all", "n": 1}, {"x-match": "all", "n": 2}
    for arguments in (one, two, one):
        channel.bind(queue, exchange, "k", arguments)

    def routed():
        for n in (1, 2):
            channel.publish(exchange, "", str(n), headers={"n": n})
        channel.sync()
        return channel.bodies(queue)

    assert routed() == ["1", "2"]
    channel.unbind(queue, exchange, "k", {"x-match": "all"})
    channel.unbind(queue, exchange, "other", one)
    assert routed() == ["1", "2"]
    channel.unbind(queue, exchange, "k", one)
    assert routed() == ["2"]
    channel.unbind(queue, exchange, "k", two)
    assert routed() == []


def test_two_bindings_of_one_key_deliver_one_copy_until_both_are_gone(channel, name):
    exchange, queue = channel.exchange(name("x")), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "k", {"a": 1})
    channel.bind(queue, exchange, "k", {"a": 2})
    for arguments, expected in (({"a": 1}, ["m"]), ({"a": 2}, ["m"])):
        channel.publish(exchange, "k", b"m")
        channel.sync()
        assert channel.bodies(queue) == expected
        channel.unbind(queue, exchange, "k", arguments)
    channel.publish(exchange, "k", b"m")
    channel.sync()
    assert channel.bodies(queue) == []


def test_a_thousand_bindings_deliver_one_copy_each(channel, name):
    exchange = channel.exchange(name("x"))
    queues = [channel.queue(exclusive=True) for _ in range(20)]
    for queue in queues:
        for number in range(50):
            channel.send("queue.bind", queue=queue, exchange=exchange, routing_key=f"key{number}", nowait=True)
    channel.sync()
    for number in (0, 7, 49):
        channel.publish(exchange, f"key{number}", str(number))
    channel.sync()
    assert [channel.bodies(queue) for queue in queues] == [["0", "7", "49"]] * 20


def test_a_redeclared_queue_has_lost_messages_and_bindings(channel, name):
    exchange, queue = channel.exchange(name("x"), "fanout"), channel.queue(name("q"))
    channel.bind(queue, exchange)
    channel.publish("", queue, b"old")
    channel.await_ready(queue, 1)
    channel.call("queue.delete", queue=queue)
    channel.queue(queue)
    channel.publish(exchange, "", b"lost")
    channel.sync()
    assert channel.get(queue) is None


def test_acks_for_messages_of_a_deleted_queue_are_harmless(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    for body in "abc":
        channel.publish("", queue, body)
    channel.await_ready(queue, 3)
    first, second, third = (channel.get(queue, no_ack=False) for _ in range(3))
    connection.channel().call("queue.delete", queue=queue)
    channel.ack(first.delivery_tag)
    channel.nack(second.delivery_tag)
    channel.reject(third.delivery_tag)
    channel.sync()
    channel.queue(queue)
    assert channel.ready(queue) == 0


def test_a_get_that_races_with_a_delete_gives_a_message_or_a_clean_answer(connection, name):
    queue = name("q")
    for _ in range(20):
        reader, deleter = connection.channel(), connection.channel()
        reader.queue(queue)
        reader.publish("", queue, b"x")
        deleter.send("queue.delete", queue=queue)
        reader.send("basic.get", queue=queue, no_ack=True)
        try:
            reader.wait("basic.get-ok", "basic.get-empty")
            reader.close()
        except ClosedByBroker as closed:
            assert closed.method.reply_code == 404
        deleter.wait("queue.delete-ok")
        deleter.close()


def test_cr_and_lf_are_stripped_from_queue_names(channel, name):
    queue = name("q")
    assert channel.queue(queue[:5] + "\r\n" + queue[5:] + "\r") == queue


def test_every_queue_is_bound_to_the_default_exchange_by_name(channel, name):
    queue = channel.queue(name("q"))
    channel.publish("", queue, b"x")
    message = channel.get_soon(queue)
    assert (message.exchange, message.routing_key) == ("", queue)
