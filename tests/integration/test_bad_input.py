"""Every method of a client, damaged or out of place, gets the right error and harms nobody else."""
import random
import struct

import pytest
from amqp_codec import (FRAME_BODY, FRAME_HEADER, FRAME_METHOD, SPEC, frame, header_payload, ids, longstr,
                        method_payload, scalar)
from amqp_wire import ClosedByBroker, NoReply, SocketClosed

CLIENT_METHODS = [
    "connection.start-ok", "connection.secure-ok", "connection.tune-ok", "connection.open", "connection.close",
    "connection.close-ok", "connection.update-secret",
    "channel.open", "channel.flow", "channel.flow-ok", "channel.close", "channel.close-ok",
    "access.request",
    "exchange.declare", "exchange.delete", "exchange.bind", "exchange.unbind",
    "queue.declare", "queue.bind", "queue.purge", "queue.delete", "queue.unbind",
    "basic.qos", "basic.consume", "basic.cancel", "basic.publish", "basic.get", "basic.ack", "basic.reject",
    "basic.recover-async", "basic.recover", "basic.nack",
    "confirm.select", "tx.select", "tx.commit", "tx.rollback",
]
CHANNEL_METHODS = [name for name in CLIENT_METHODS if not name.startswith("connection.")]
CONNECTION_METHODS = [name for name in CLIENT_METHODS if name.startswith("connection.")]
RUNNING = "CHANNEL_ERROR - unexpected method in connection state running"
HEADER_EXPECTED = "UNEXPECTED_FRAME - expected content header for class 60, got non content header frame instead"
BODY_EXPECTED = "UNEXPECTED_FRAME - expected content body, got non content body frame instead"


def with_kind(kind, methods):
    return [name for name in methods if any(type_ == kind for _, type_ in SPEC[name][2])]


def with_arguments(methods):
    return [name for name in methods if SPEC[name][2]]


def listed(data):
    """Octets as the error texts show them."""
    return "<<" + ",".join(str(octet) for octet in data) + ">>"


@pytest.fixture(autouse=True)
def others_go_on(observer):
    """Whatever a test sends, a connection opened long before it still works."""
    yield
    observer.publish("", observer.queue(exclusive=True), b"x")
    assert observer.get_soon("").body == b"x"
    observer.call("queue.delete", queue="")


def cuts(payload):
    """Proper beginnings of the payload that end inside the arguments."""
    return sorted({4, (4 + len(payload)) // 2, len(payload) - 1} - {len(payload)})


@pytest.mark.parametrize("method", with_arguments(CHANNEL_METHODS))
def test_truncated_arguments_are_a_frame_error(connect, method):
    payload = method_payload(method)
    for end in cuts(payload):
        connection = connect()
        connection.channel()
        connection.frame(FRAME_METHOD, 1, payload[:end])
        connection.closed_with(501, "FRAME_ERROR - cannot decode " + listed(payload[4:end]), method)


@pytest.mark.parametrize("method", CHANNEL_METHODS)
def test_surplus_octets_are_a_frame_error(connection, method):
    payload = method_payload(method) + b"\x00"
    connection.channel()
    connection.frame(FRAME_METHOD, 1, payload)
    connection.closed_with(501, "FRAME_ERROR - cannot decode " + listed(payload[4:]), method)


@pytest.mark.parametrize("method", CHANNEL_METHODS)
def test_damaged_arguments_on_an_unopened_channel_end_the_connection(connection, method):
    connection.frame(FRAME_METHOD, 9, method_payload(method) + b"\x00\x00")
    close = connection.wait(0, "connection.close")
    assert close.reply_code in (501, 504)


@pytest.mark.parametrize("method", CONNECTION_METHODS)
def test_damaged_connection_methods_end_the_connection(connect, method):
    payload = method_payload(method)
    for damaged in [payload[:end] for end in cuts(payload) if len(payload) > 4] + [payload + b"\x00"]:
        connection = connect()
        connection.frame(FRAME_METHOD, 0, damaged)
        close = connection.wait(0, "connection.close")
        assert close.reply_code in (501, 502, 504, 541)
        connection.answer_close(0, close)


@pytest.mark.parametrize("method", with_kind("shortstr", CHANNEL_METHODS))
def test_a_short_string_past_the_end_is_a_frame_error(connection, method):
    arguments = b""
    for _, kind in SPEC[method][2]:
        if kind == "shortstr":
            arguments += b"\xffabc"
            break
        arguments += scalar(kind, 0)
    connection.channel()
    connection.frame(FRAME_METHOD, 1, struct.pack(">HH", *ids(method)) + arguments)
    connection.closed_with(501, "FRAME_ERROR - cannot decode " + listed(arguments), method)


@pytest.mark.parametrize("method", [name for name in with_kind("shortstr", CHANNEL_METHODS)
                                    if name != "basic.publish"])
def test_invalid_utf_8_in_any_short_string_is_a_frame_error(connect, method):
    for key, kind in SPEC[method][2]:
        if kind == "shortstr":
            connection = connect()
            connection.channel()
            connection.method(1, method, **{key: b"ok\xc3("})
            connection.closed_with(501, "FRAME_ERROR - Malformed UTF-8 in shortstr")


@pytest.mark.better
@pytest.mark.parametrize("method", with_kind("table", CHANNEL_METHODS))
def test_a_damaged_table_is_a_frame_error(connect, method):
    for body in (b"\x01", b"\x01k", b"\x01k?", b"\x01kI\x00", b"\x01kS\xff\xff\xff\xff", b"\x01kA\x00\x00\x00\x09a",
                 b"\x01kF\x7f\xff\xff\xff", b"\x01kF\x00\x00\x00\x02\x01k"):
        connection = connect()
        connection.channel()
        connection.frame(FRAME_METHOD, 1, method_payload(method)[:-4] + longstr(body))
        close = connection.wait(0, "connection.close")
        assert close.reply_code in (501, 502)
        connection.answer_close(0, close)


@pytest.mark.parametrize("method", with_kind("table", CHANNEL_METHODS))
@pytest.mark.parametrize("size", [5, 2**31, 2**32 - 1])
def test_a_table_longer_than_its_frame_is_a_frame_error(connection, method, size):
    payload = method_payload(method)[:-4] + struct.pack(">I", size)
    connection.channel()
    connection.frame(FRAME_METHOD, 1, payload)
    connection.closed_with(501, "FRAME_ERROR - cannot decode " + listed(payload[4:]), method)


@pytest.mark.parametrize("method", CHANNEL_METHODS)
def test_a_method_in_place_of_the_content_header_is_unexpected(connection, method):
    channel = connection.channel()
    channel.send("basic.publish", routing_key="nowhere")
    channel.send(method)
    connection.closed_with(505, HEADER_EXPECTED, "basic.publish")


@pytest.mark.parametrize("method", CHANNEL_METHODS)
def test_a_method_in_place_of_the_body_is_unexpected(connection, method):
    channel = connection.channel()
    channel.send("basic.publish", routing_key="nowhere")
    channel.header(5)
    channel.body(b"ab")
    channel.send(method)
    connection.closed_with(505, BODY_EXPECTED, "basic.publish")


@pytest.mark.parametrize("method", [name for name in CHANNEL_METHODS if name != "basic.publish"])
@pytest.mark.parametrize("kind,payload", [(FRAME_HEADER, header_payload(0)), (FRAME_BODY, b"abc")],
                         ids=["header", "body"])
def test_content_after_a_method_without_content_is_unexpected(connection, method, kind, payload):
    channel = connection.channel()
    connection.send(frame(FRAME_METHOD, 1, method_payload("channel.flow", active=True)) + frame(kind, 1, payload))
    channel.wait("channel.flow-ok")
    connection.closed_with(505, "UNEXPECTED_FRAME - expected method frame, got non method frame instead")


@pytest.mark.parametrize("method", CHANNEL_METHODS)
def test_a_channel_method_on_channel_0_is_out_of_place(connection, method):
    connection.method(0, method)
    connection.closed_with(504, RUNNING, method)


@pytest.mark.parametrize("method", CONNECTION_METHODS)
def test_a_connection_method_on_a_channel_is_out_of_place(connection, method):
    connection.channel().send(method)
    connection.closed_with(503, "COMMAND_INVALID - unimplemented method", method)


def named(method):
    """Arguments that name a queue, where the method has one."""
    return {"queue": "wire-missing"} if ("queue", "shortstr") in SPEC[method][2] else {}


@pytest.mark.parametrize("method", [name for name in CHANNEL_METHODS if name != "channel.open"])
def test_a_method_on_an_unopened_channel_is_a_channel_error(connection, method):
    connection.method(7, method, **named(method))
    if method == "basic.publish":
        connection.frame(FRAME_HEADER, 7, header_payload(0))
    connection.closed_with(504, "CHANNEL_ERROR - expected 'channel.open'", method)


@pytest.mark.better
@pytest.mark.parametrize("method", [name for name in CHANNEL_METHODS if named(name) and name != "queue.declare"])
def test_an_empty_queue_name_on_an_unopened_channel_is_a_channel_error_too(connection, method):
    connection.method(7, method)
    connection.closed_with(504, "CHANNEL_ERROR - expected 'channel.open'", method)


@pytest.mark.parametrize("method", CHANNEL_METHODS)
def test_a_channel_method_before_connection_open_is_unexpected(connect, method):
    connection = connect(until="tune-ok")
    connection.method(1, method)
    connection.closed_with(505, "UNEXPECTED_FRAME - type 1, all octets = " + listed(method_payload(method)))


@pytest.mark.parametrize("method", ["connection.start-ok", "connection.secure-ok", "connection.tune-ok",
                                    "connection.close-ok", "connection.update-secret"])
def test_a_connection_method_out_of_turn_before_open_is_a_channel_error(connect, method):
    connection = connect(until="tune-ok")
    connection.method(0, method)
    connection.closed_with(504, "CHANNEL_ERROR - unexpected method in connection state opening", method)


@pytest.mark.slow
@pytest.mark.parametrize("state", ["start", "tune"])
def test_methods_out_of_turn_in_the_handshake_never_get_through(connect, state):
    expected = {"start": "connection.start-ok", "tune": "connection.tune-ok"}[state]
    waiting = []
    for method in CLIENT_METHODS:
        if method in (expected, "connection.close", "connection.close-ok"):
            continue
        connection = connect(until=state)
        connection.method(0 if method.startswith("connection.") else 1, method, **named(method))
        waiting.append(connection)
    for connection in waiting:
        try:
            connection.wait(0, "connection.close", timeout=6)
        except SocketClosed:
            pass
        assert not connection.inbox, "the broker went on with the handshake"


def survives(connection, data):
    """Send the data and let the broker do with this connection what it wants."""
    try:
        connection.send(data)
        connection.method(0, "connection.close", reply_code=200)
        connection.wait(0, "connection.close-ok", timeout=0.3)
    except (ClosedByBroker, SocketClosed, NoReply):
        pass
    connection.drop()


@pytest.mark.parametrize("method", CLIENT_METHODS)
def test_random_arguments_do_no_harm(connect, method):
    generator = random.Random(method)
    for length in (1, 3, 9, 40):
        connection = connect()
        connection.channel()
        payload = struct.pack(">HH", *ids(method)) + generator.randbytes(length)
        survives(connection, frame(FRAME_METHOD, 0 if method.startswith("connection.") else 1, payload))


def test_random_octets_do_no_harm(connect):
    generator = random.Random(7)
    for length in (1, 8, 9, 100, 5000):
        connection = connect()
        connection.channel()
        survives(connection, generator.randbytes(length))
        fresh = connect.socket()
        survives(fresh, generator.randbytes(length))


def test_frames_cut_anywhere_by_a_broken_connection_do_no_harm(connect):
    whole = frame(FRAME_METHOD, 1, method_payload("basic.publish", routing_key="nowhere")) \
        + frame(FRAME_HEADER, 1, header_payload(4, {"headers": {"a": [1]}})) + frame(FRAME_BODY, 1, b"abcd")
    for end in range(1, len(whole), 3):
        connection = connect()
        connection.channel()
        connection.send(whole[:end])
        connection.reset()
