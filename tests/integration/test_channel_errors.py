"""Errors that close the channel and leave the connection open, with their exact texts."""
import pytest

NO_QUEUE = "NOT_FOUND - no queue '{}' in vhost '/'"
NO_EXCHANGE = "NOT_FOUND - no exchange '{}' in vhost '/'"
DEFAULT_EXCHANGE = "ACCESS_REFUSED - operation not permitted on the default exchange"


@pytest.mark.parametrize("method,extra", [
    ("queue.declare", {"passive": True}), ("queue.purge", {}), ("basic.consume", {}), ("basic.get", {}),
    ("queue.bind", {"exchange": "amq.direct"}), ("queue.bind", {"exchange": "amq.topic", "routing_key": "a"}),
], ids=["passive", "purge", "consume", "get", "bind", "bind topic"])
def test_a_missing_queue_is_not_found(channel, name, method, extra):
    queue = name("missing")
    channel.refused(method, 404, NO_QUEUE.format(queue), queue=queue, **extra)


def test_a_missing_exchange_is_not_found_by_passive_declare(channel, name):
    exchange = name("missing")
    channel.refused("exchange.declare", 404, NO_EXCHANGE.format(exchange), exchange=exchange, type="direct",
                    passive=True)


def test_binding_a_queue_to_a_missing_exchange_is_not_found(channel, name):
    queue, exchange = channel.queue(exclusive=True), name("missing")
    channel.refused("queue.bind", 404, NO_EXCHANGE.format(exchange), queue=queue, exchange=exchange)


def test_when_queue_and_exchange_are_missing_the_exchange_is_named(channel, name):
    exchange = name("x")
    channel.refused("queue.bind", 404, NO_EXCHANGE.format(exchange), queue=name("q"), exchange=exchange)


@pytest.mark.parametrize("which", ["source", "destination"])
def test_binding_exchanges_names_the_missing_one(channel, name, which):
    missing = name("missing")
    ends = {"source": "amq.fanout", "destination": "amq.direct"} | {which: missing}
    channel.refused("exchange.bind", 404, NO_EXCHANGE.format(missing), **ends)


def test_publishing_to_a_missing_exchange_closes_the_channel(connection, name):
    channel = connection.channel()
    exchange = name("missing")
    channel.publish(exchange, "k", b"x")
    channel.closed_with(404, NO_EXCHANGE.format(exchange), "basic.publish")


def test_publishing_to_a_missing_exchange_in_confirm_mode_gives_no_confirm(connection, name):
    channel = connection.channel()
    queue, exchange = channel.queue(name("q")), name("missing")
    channel.call("confirm.select")
    channel.publish("", queue, b"before")
    assert channel.wait("basic.ack").delivery_tag == 1
    channel.publish(exchange, "k", b"x")
    channel.publish("", queue, b"after")
    assert channel.next().name == "channel.close"
    channel.send("channel.close-ok")
    assert connection.channel().bodies(queue) == ["before"]


def test_the_name_amq_default_is_no_exchange(channel):
    channel.publish("amq.default", "k", b"x")
    channel.closed_with(404, NO_EXCHANGE.format("amq.default"), "basic.publish")


@pytest.mark.parametrize("method,arguments", [
    ("exchange.declare", {"type": "direct", "durable": True}),
    ("exchange.declare", {"type": "direct", "passive": True}),
    ("exchange.delete", {}),
    ("exchange.bind", {"source": "", "destination": "amq.direct"}),
    ("exchange.bind", {"source": "amq.direct", "destination": ""}),
    ("exchange.unbind", {"source": "", "destination": "amq.direct"}),
    ("exchange.unbind", {"source": "amq.direct", "destination": ""}),
], ids=["declare", "passive", "delete", "bind source", "bind destination", "unbind source", "unbind destination"])
def test_the_default_exchange_cannot_be_changed(channel, method, arguments):
    channel.refused(method, 403, DEFAULT_EXCHANGE, **arguments)


@pytest.mark.parametrize("method", ["queue.bind", "queue.unbind"])
def test_queues_cannot_be_bound_to_the_default_exchange(channel, method):
    queue = channel.queue(exclusive=True)
    channel.refused(method, 403, DEFAULT_EXCHANGE, queue=queue, exchange="", routing_key="other")


@pytest.mark.parametrize("exchange", ["amq.direct", "amq.fanout", "amq.topic", "amq.headers", "amq.match"])
def test_predeclared_exchanges_cannot_be_deleted(channel, exchange):
    channel.refused("exchange.delete", 403,
                    f"ACCESS_REFUSED - deletion of system exchange '{exchange}' in vhost '/' not allowed",
                    exchange=exchange)


def test_names_with_the_prefix_amq_are_reserved_for_exchanges(channel):
    channel.refused("exchange.declare", 403, "ACCESS_REFUSED - exchange name 'amq.wire' contains reserved prefix "
                    "'amq.*'", exchange="amq.wire", type="direct")


def test_names_with_the_prefix_amq_are_reserved_for_queues(channel):
    channel.refused("queue.declare", 403, "ACCESS_REFUSED - queue name 'amq.wire' contains reserved prefix 'amq.*'",
                    queue="amq.wire")


def test_a_reserved_name_that_does_not_exist_is_not_found_by_passive_declare(channel):
    channel.refused("queue.declare", 404, NO_QUEUE.format("amq.wire"), queue="amq.wire", passive=True)


def test_publishing_to_an_internal_exchange_is_refused(channel, name):
    exchange = channel.exchange(name("x"), internal=True)
    channel.publish(exchange, "k", b"x")
    channel.closed_with(403, f"ACCESS_REFUSED - cannot publish to internal exchange '{exchange}' in vhost '/'",
                        "basic.publish")


def test_an_exchange_in_use_is_not_deleted_with_if_unused(channel, name):
    exchange = channel.exchange(name("x"))
    channel.bind(channel.queue(exclusive=True), exchange)
    channel.refused("exchange.delete", 406, f"PRECONDITION_FAILED - exchange '{exchange}' in vhost '/' in use",
                    exchange=exchange, if_unused=True)


def test_a_queue_with_a_consumer_is_not_deleted_with_if_unused(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    channel.consume(queue)
    connection.channel().refused("queue.delete", 406, f"PRECONDITION_FAILED - queue '{queue}' in vhost '/' in use",
                                 queue=queue, if_unused=True)


def test_a_queue_with_messages_is_not_deleted_with_if_empty(channel, name):
    queue = channel.queue(name("q"))
    channel.publish("", queue, b"x")
    channel.await_ready(queue, 1)
    channel.refused("queue.delete", 406, f"PRECONDITION_FAILED - queue '{queue}' in vhost '/' not empty",
                    queue=queue, if_empty=True)


@pytest.mark.parametrize("method,arguments", [
    ("basic.ack", {}), ("basic.ack", {"multiple": True}), ("basic.nack", {}), ("basic.nack", {"multiple": True}),
    ("basic.reject", {}),
], ids=["ack", "ack multiple", "nack", "nack multiple", "reject"])
def test_an_unknown_delivery_tag_is_a_failed_precondition(channel, method, arguments):
    channel.refused(method, 406, "PRECONDITION_FAILED - unknown delivery tag 5", delivery_tag=5, **arguments)


def test_an_exclusive_consume_of_a_consumed_queue_is_refused(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    channel.consume(queue)
    connection.channel().refused("basic.consume", 403,
                                 f"ACCESS_REFUSED - queue '{queue}' in vhost '/' in exclusive use",
                                 queue=queue, exclusive=True)


@pytest.mark.parametrize("mode", [0, 3, 255])
def test_an_unknown_delivery_mode_is_a_failed_precondition(channel, mode):
    channel.publish("", "nowhere", b"x", delivery_mode=mode)
    channel.closed_with(406, f"PRECONDITION_FAILED - invalid message: {{delivery_mode_unknown,{mode}}}",
                        "basic.publish")


@pytest.mark.parametrize("method,arguments,text", [
    ("basic.qos", {"prefetch_size": 10}, "prefetch_size!=0 (10)"),
    ("basic.recover", {"requeue": False}, "requeue=false"),
    ("basic.recover-async", {"requeue": False}, "requeue=false"),
])
def test_what_is_not_implemented_closes_the_connection(connection, method, arguments, text):
    connection.channel().send(method, **arguments)
    connection.closed_with(540, "NOT_IMPLEMENTED - " + text, method)


def test_immediate_is_not_implemented(connection):
    connection.channel().publish("", "nowhere", b"x", immediate=True)
    connection.closed_with(540, "NOT_IMPLEMENTED - immediate=true", "basic.publish")


def test_an_unknown_exchange_type_closes_the_connection(connection, name):
    connection.channel().send("exchange.declare", exchange=name("x"), type="x-no-such-type")
    connection.closed_with(503, "COMMAND_INVALID - unknown exchange type 'x-no-such-type'", "exchange.declare")


def test_a_consumer_tag_in_use_closes_the_connection(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    channel.consume(queue, tag="mine")
    channel.send("basic.consume", queue=queue, consumer_tag="mine")
    connection.closed_with(530, "NOT_ALLOWED - attempt to reuse consumer tag 'mine'", "basic.consume")
