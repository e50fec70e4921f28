"""Redeclaring: what must be equal, what is ignored, and how the difference is told."""
import pytest
from amqp_codec import Typed

FLAG = "PRECONDITION_FAILED - inequivalent arg '{}' for {} '{}' in vhost '/': received '{}' but current is '{}'"
ARGUMENT = "PRECONDITION_FAILED - inequivalent arg '{}' for queue '{}' in vhost '/': "


@pytest.mark.parametrize("flag", ["durable", "auto_delete"])
@pytest.mark.parametrize("first", [True, False])
def test_a_queue_flag_must_be_the_same(channel, name, flag, first):
    queue = channel.queue(name("q"), **{flag: first})
    channel.refused("queue.declare", 406,
                    FLAG.format(flag, "queue", queue, str(not first).lower(), str(first).lower()),
                    queue=queue, **{flag: not first})


@pytest.mark.parametrize("flag", ["durable", "auto_delete", "internal"])
@pytest.mark.parametrize("first", [True, False])
def test_an_exchange_flag_must_be_the_same(channel, name, flag, first):
    exchange = channel.exchange(name("x"), **{flag: first})
    channel.refused("exchange.declare", 406,
                    FLAG.format(flag, "exchange", exchange, str(not first).lower(), str(first).lower()),
                    exchange=exchange, type="direct", **{flag: not first})


def test_an_exchange_type_must_be_the_same(channel, name):
    exchange = channel.exchange(name("x"))
    channel.refused("exchange.declare", 406, FLAG.format("type", "exchange", exchange, "fanout", "direct"),
                    exchange=exchange, type="fanout")


def test_an_alternate_exchange_must_be_the_same(channel, name):
    exchange = channel.exchange(name("x"), arguments={"alternate-exchange": "one"})
    channel.refused("exchange.declare", 406, FLAG.format("alternate-exchange", "exchange", exchange, "two", "one"),
                    exchange=exchange, type="direct", arguments={"alternate-exchange": "two"})


def test_an_alternate_exchange_cannot_be_left_out(channel, name):
    exchange = channel.exchange(name("x"), arguments={"alternate-exchange": "one"})
    channel.refused("exchange.declare", 406, f"PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for "
                    f"exchange '{exchange}' in vhost '/': received none but current is the value 'one' of type "
                    "'longstr'", exchange=exchange, type="direct")


def test_other_exchange_arguments_are_not_compared(channel, name):
    exchange = channel.exchange(name("x"), arguments={"x-anything": 1})
    channel.exchange(exchange, arguments={"x-anything": "two", "more": True})
    channel.exchange(exchange)


@pytest.mark.parametrize("first,second,received,current", [
    (1000, 1001, "1001", "1000"),
    (Typed("l", (1000).to_bytes(8, "big")), 1001, "1001", "1000"),
])
def test_an_argument_of_another_value_is_told_with_both_values(channel, name, first, second, received, current):
    queue = channel.queue(name("q"), arguments={"x-message-ttl": first})
    channel.refused("queue.declare", 406, ARGUMENT.format("x-message-ttl", queue)
                    + f"received '{received}' but current is '{current}'",
                    queue=queue, arguments={"x-message-ttl": second})


@pytest.mark.parametrize("key,value,shown,type_", [
    ("x-message-ttl", 1000, "1000", "signedint"),
    ("x-message-ttl", Typed("l", (1000).to_bytes(8, "big")), "1000", "long"),
    ("x-dead-letter-exchange", "dlx", "dlx", "longstr"),
    ("x-single-active-consumer", True, "true", "bool"),
])
def test_an_argument_on_one_side_is_told_with_its_type(channel, name, key, value, shown, type_):
    without, with_ = channel.queue(name("q")), channel.queue(name("q"), arguments={key: value})
    channel.send("queue.declare", queue=with_)
    channel.closed_with(406, ARGUMENT.format(key, with_)
                        + f"received none but current is the value '{shown}' of type '{type_}'", "queue.declare")
    channel.call("channel.open")
    channel.refused("queue.declare", 406, ARGUMENT.format(key, without)
                    + f"received the value '{shown}' of type '{type_}' but current is none",
                    queue=without, arguments={key: value})


@pytest.mark.parametrize("other", [
    Typed("b", b"\x64"), Typed("B", b"\x64"), Typed("s", b"\x00\x64"), Typed("u", b"\x00\x64"),
    Typed("I", b"\x00\x00\x00\x64"), Typed("i", b"\x00\x00\x00\x64"), Typed("l", b"\x00" * 7 + b"\x64"),
], ids=["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_integers_of_any_width_are_equal(channel, name, other):
    queue = channel.queue(name("q"), arguments={"x-expires": 100000, "x-max-length": 100})
    channel.queue(queue, arguments={"x-max-length": other, "x-expires": Typed("l", (100000).to_bytes(8, "big"))})


def test_the_queue_type_classic_is_the_same_as_none(channel, name):
    queue = channel.queue(name("q"), arguments={"x-queue-type": "classic"})
    channel.queue(queue)
    plain = channel.queue(name("q"))
    channel.queue(plain, arguments={"x-queue-type": "classic"})


def test_unknown_arguments_are_ignored(channel, name):
    queue = channel.queue(name("q"), arguments={"x-wire-test": 1, "anything": [True, {"a": None}]})
    channel.queue(queue, arguments={"x-wire-test": "other"})
    channel.queue(queue)


def test_a_passive_declare_ignores_flags_and_arguments(channel, name):
    queue = channel.queue(name("q"))
    assert channel.queue(queue, passive=True, durable=True, auto_delete=True,
                         arguments={"x-message-ttl": 5}) == queue


def test_equal_declares_from_many_connections_are_fine(connect, name):
    queue, exchange = name("q"), name("x")
    for _ in range(3):
        channel = connect().channel()
        channel.queue(queue, durable=True, arguments={"x-message-ttl": 60000})
        channel.exchange(exchange, "topic", durable=True, auto_delete=True)


@pytest.mark.parametrize("value,type_", [(5, "signedint"), (True, "bool"), ({"a": 1}, "table"), ([1], "array")])
def test_an_alternate_exchange_that_is_no_string_is_refused(channel, name, value, type_):
    exchange = name("x")
    channel.refused("exchange.declare", 406, f"PRECONDITION_FAILED - invalid type '{type_}' for arg "
                    f"'alternate-exchange' in exchange '{exchange}' in vhost '/'",
                    exchange=exchange, type="direct", arguments={"alternate-exchange": value})
