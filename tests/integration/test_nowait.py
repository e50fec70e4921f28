"""With nowait nothing is answered, and errors still close the channel."""
import pytest


def assert_no_reply_but(channel, name, *replies):
    """After a round trip, the only methods on the channel are these."""
    channel.send("channel.flow", active=True)
    seen = []
    while (method := channel.next()).name != "channel.flow-ok":
        seen.append(method.name)
    assert seen == list(replies), name


def test_nothing_is_answered(channel, name):
    queue, exchange, other = name("q"), name("x"), name("y")
    for method, arguments in [
        ("queue.declare", {"queue": queue}), ("exchange.declare", {"exchange": exchange, "type": "fanout"}),
        ("exchange.declare", {"exchange": other, "type": "fanout"}),
        ("queue.bind", {"queue": queue, "exchange": other}),
        ("exchange.bind", {"source": exchange, "destination": other}), ("confirm.select", {}),
        ("basic.consume", {"queue": queue, "consumer_tag": "t"}), ("basic.cancel", {"consumer_tag": "t"}),
        ("queue.purge", {"queue": queue}),
    ]:
        channel.send(method, nowait=True, **arguments)
        assert_no_reply_but(channel, method)
    channel.publish(exchange, "", b"x")
    assert channel.wait("basic.ack").delivery_tag == 1
    assert channel.get_soon(queue).body == b"x"
    for method, arguments in [
        ("exchange.unbind", {"source": exchange, "destination": other}), ("exchange.delete", {"exchange": exchange}),
        ("queue.delete", {"queue": queue}), ("queue.declare", {"queue": queue, "passive": False}),
    ]:
        channel.send(method, nowait=True, **arguments)
        assert_no_reply_but(channel, method)
    assert not channel.exists("exchange", exchange)
    assert channel.exists("queue", queue)


def test_a_consumer_started_without_an_answer_gets_deliveries(channel, name):
    queue = channel.queue(name("q"))
    channel.send("basic.consume", queue=queue, consumer_tag="quiet", no_ack=True, nowait=True)
    channel.publish("", queue, b"x")
    assert channel.next().consumer_tag == "quiet"


def test_a_passive_declare_without_an_answer_is_silent_when_the_queue_exists(channel, name):
    queue = channel.queue(name("q"))
    channel.send("queue.declare", queue=queue, passive=True, nowait=True)
    channel.send("exchange.declare", exchange="amq.direct", type="direct", passive=True, nowait=True)
    assert_no_reply_but(channel, "passive")


@pytest.mark.parametrize("method,arguments,code", [
    ("queue.declare", {"queue": "amq.wire"}, 403), ("queue.declare", {"queue": "wire-missing", "passive": True}, 404),
    ("exchange.declare", {"exchange": "amq.direct", "type": "fanout", "durable": True}, 406),
    ("exchange.delete", {"exchange": "amq.direct"}, 403), ("queue.purge", {"queue": "wire-missing"}, 404),
    ("queue.bind", {"queue": "wire-missing", "exchange": "amq.direct"}, 404),
    ("exchange.bind", {"source": "amq.direct", "destination": "wire-missing"}, 404),
    ("basic.consume", {"queue": "wire-missing"}, 404),
])
def test_errors_are_told_all_the_same(channel, method, arguments, code):
    channel.refused(method, code, nowait=True, **arguments)


def test_bindings_made_without_an_answer_hold_for_the_next_publish(channel, name):
    exchange, queue = name("x"), name("q")
    channel.send("exchange.declare", exchange=exchange, type="direct", nowait=True)
    channel.send("queue.declare", queue=queue, nowait=True)
    channel.send("queue.bind", queue=queue, exchange=exchange, routing_key="k", nowait=True)
    channel.publish(exchange, "k", b"x")
    assert channel.get_soon(queue).body == b"x"
