"""Header tables pass through byte for byte: types, order and contents."""
import struct

import pytest
from amqp_codec import Typed, longstr, table_body

EVERY_TYPE = {
    "bool": Typed("t", b"\x01"), "int8": Typed("b", b"\xff"), "uint8": Typed("B", b"\xff"),
    "int16": Typed("s", b"\xff\x80"), "uint16": Typed("u", b"\xff\xff"), "int32": Typed("I", b"\x80\x00\x00\x00"),
    "uint32": Typed("i", b"\xff\xff\xff\xff"), "int64": Typed("l", b"\x80" + bytes(7)),
    "float": Typed("f", struct.pack(">f", 1.5)), "double": Typed("d", struct.pack(">d", -0.1)),
    "decimal": Typed("D", b"\x02" + struct.pack(">i", 12345)), "string": Typed("S", longstr("h\u20acy")),
    "bytes": Typed("x", longstr(b"\x00\xff\x80")), "time": Typed("T", struct.pack(">Q", 1700000000)),
    "void": Typed("V", b""), "array": ["a", 1, True, [2.5, {"k": "v"}], None], "table": {"x": {"y": {"z": [1, 2]}}},
    "empty array": [], "empty table": {}, "empty string": "",
}


def echoed(channel, body):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"m", headers=body)
    return channel.get_soon(queue).header_bytes


@pytest.mark.parametrize("key", EVERY_TYPE)
def test_a_field_of_each_type_comes_back_unchanged(channel, key):
    body = table_body({key: EVERY_TYPE[key]})
    assert echoed(channel, body) == body


def test_fields_of_all_types_come_back_together_in_order(channel):
    body = table_body(EVERY_TYPE)
    assert echoed(channel, body) == body


def test_arrays_of_all_types_come_back_unchanged(channel):
    body = table_body({"all": list(EVERY_TYPE.values())})
    assert echoed(channel, body) == body


def test_the_order_of_keys_is_kept(channel):
    body = table_body({key: number for number, key in enumerate(["zebra", "apple", "Mango", "", "10", "9"])})
    assert echoed(channel, body) == body


def test_keys_of_255_octets_and_non_ascii_keys_are_kept(channel):
    body = table_body({"k" * 255: 1, "\u00fcber": 2, "\u20ac" * 85: 3})
    assert echoed(channel, body) == body


def test_deep_tables_come_back_unchanged(channel):
    value = 1
    for level in range(60):
        value = {"n": value} if level % 3 else [value]
    body = table_body({"deep": value})
    assert echoed(channel, body) == body


def test_wide_tables_come_back_unchanged(channel):
    body = table_body({f"key{number}": "v" * 100 for number in range(1000)})
    assert echoed(channel, body) == body


def test_a_bottomless_table_does_not_harm_the_broker(connect):
    body = b""
    for _ in range(18000):
        body = b"\x01nF" + longstr(body)
    connection = connect()
    channel = connection.channel()
    channel.publish("", "nowhere", b"x", headers=body)
    channel.send("channel.flow", active=True)
    connection.read(2)
    connect().check()


def test_deliveries_and_returns_carry_the_same_table(channel):
    queue, body = channel.queue(exclusive=True), table_body(EVERY_TYPE)
    channel.consume(queue, no_ack=True)
    channel.publish("", queue, b"m", headers=body)
    assert channel.delivery().header_bytes == body
    channel.publish("", "no-such-queue-here", b"m", mandatory=True, headers=body)
    assert channel.wait("basic.return").header_bytes == body


def test_tables_are_kept_for_durable_queues_and_through_bound_exchanges(channel, name):
    first, second = channel.exchange(name("a"), "fanout"), channel.exchange(name("b"), "headers")
    queue, body = channel.queue(name("q"), durable=True), table_body(EVERY_TYPE)
    channel.bind_exchange(second, first)
    channel.bind(queue, second)
    channel.publish(first, "", b"m", delivery_mode=2, headers=body)
    assert channel.get_soon(queue).header_bytes == body


def test_arguments_of_every_type_are_accepted_by_declare_bind_and_consume(channel, name):
    exchange = channel.exchange(name("x"), "direct", arguments=EVERY_TYPE)
    queue = channel.queue(name("q"), arguments=EVERY_TYPE)
    channel.bind(queue, exchange, "k", EVERY_TYPE)
    channel.unbind(queue, exchange, "k", EVERY_TYPE)
    channel.consume(queue, arguments=EVERY_TYPE)
