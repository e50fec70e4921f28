"""Frames that break the rules of framing end the connection with the right code."""
import struct

import pytest
from amqp_codec import FRAME_HEADER, FRAME_HEARTBEAT, FRAME_METHOD, header_payload, longstr, method_payload, shortstr

UNEXPECTED = "UNEXPECTED_FRAME - expected "


def publish(channel):
    channel.send("basic.publish", routing_key="nowhere")


def test_a_wrong_frame_end_is_a_frame_error(connection):
    connection.frame(FRAME_METHOD, 1, method_payload("channel.open"), end=b"\x00")
    close = connection.closed_with(501)
    assert close.reply_text.startswith("FRAME_ERROR - ") and "invalid_frame_end_marker" in close.reply_text


@pytest.mark.parametrize("kind", [0, 4, 5, 7, 9, 200])
def test_an_unknown_frame_type_is_a_frame_error(connection, kind):
    connection.channel()
    connection.frame(kind, 1, b"abc")
    connection.closed_with(501, f'FRAME_ERROR - type {kind}, all octets = <<"abc">>: unknown_frame')


def test_an_unknown_frame_type_on_channel_0_is_a_frame_error(connection):
    connection.frame(7, 0, b"")
    connection.closed_with(501, "FRAME_ERROR - type 7, all octets = <<>>: unknown_frame")


def test_a_frame_above_frame_max_is_a_frame_error(connect):
    connection = connect(frame_max=4096)
    channel = connection.channel()
    publish(channel)
    channel.header(5000)
    channel.body(b"x" * 5000)
    connection.closed_with(501, "FRAME_ERROR - type 3, all octets = <<>>: {frame_too_large,5000,4088}")


def test_a_payload_of_frame_max_octets_is_tolerated(connect):
    connection = connect(frame_max=4096)
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    channel.send("basic.publish", routing_key=queue)
    channel.header(4088)
    channel.body(b"x" * 4088)
    assert channel.get(queue).body_size == 4088


def test_a_huge_announced_frame_is_refused_before_it_arrives(connection):
    connection.send(struct.pack(">BHI", 1, 1, 2**32 - 1))
    connection.closed_with(501)


def test_a_heartbeat_on_a_channel_is_unexpected(connection):
    connection.channel()
    connection.frame(FRAME_HEARTBEAT, 1, b"")
    connection.closed_with(505, "UNEXPECTED_FRAME - type 8, all octets = <<>>")


def test_a_heartbeat_with_a_payload_is_a_frame_error(connection):
    connection.frame(FRAME_HEARTBEAT, 0, b"abc")
    connection.closed_with(501, 'FRAME_ERROR - type 8, all octets = <<"abc">>: unknown_frame')


def test_heartbeats_between_the_frames_of_a_content_are_fine(connection):
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    channel.send("basic.publish", routing_key=queue)
    connection.frame(FRAME_HEARTBEAT, 0, b"")
    channel.header(4)
    connection.frame(FRAME_HEARTBEAT, 0, b"")
    channel.body(b"ab")
    connection.frame(FRAME_HEARTBEAT, 0, b"")
    channel.body(b"cd")
    assert channel.get(queue).body == b"abcd"


def test_contents_on_different_channels_may_interleave(connection):
    first, second = connection.channel(), connection.channel()
    queue = first.queue(exclusive=True)
    for channel in (first, second):
        channel.send("basic.publish", routing_key=queue)
    for channel in (first, second):
        channel.header(4)
    for part in (b"ab", b"cd"):
        for channel in (first, second):
            channel.body(part)
    second.sync()
    first.await_ready(queue, 2)
    assert first.bodies(queue) == ["abcd", "abcd"]


def test_invalid_utf_8_in_a_short_string_is_a_frame_error(connection):
    connection.channel()
    connection.method(1, "queue.declare", queue=b"\xff\xfe")
    connection.closed_with(501, "FRAME_ERROR - Malformed UTF-8 in shortstr")


def test_a_header_without_publish_is_unexpected(connection):
    connection.channel().header(0)
    connection.closed_with(505, UNEXPECTED + "method frame, got non method frame instead")


def test_a_body_without_publish_is_unexpected(connection):
    connection.channel().body(b"x")
    connection.closed_with(505, UNEXPECTED + "method frame, got non method frame instead")


def test_a_body_after_an_empty_message_is_unexpected(connection):
    channel = connection.channel()
    channel.publish("", "nowhere", b"")
    channel.body(b"")
    connection.closed_with(505, UNEXPECTED + "method frame, got non method frame instead")


def test_a_body_directly_after_publish_is_unexpected(connection):
    channel = connection.channel()
    publish(channel)
    channel.body(b"x")
    connection.closed_with(505, UNEXPECTED + "content header for class 60, got non content header frame instead",
                           "basic.publish")


def test_a_second_header_is_unexpected(connection):
    channel = connection.channel()
    publish(channel)
    channel.header(1)
    channel.header(1)
    connection.closed_with(505, UNEXPECTED + "content body, got non content body frame instead", "basic.publish")


def test_a_header_of_another_class_is_unexpected(connection):
    channel = connection.channel()
    publish(channel)
    channel.header(0, class_id=50)
    connection.closed_with(505, UNEXPECTED + "content header for class 60, got one for class 50 instead",
                           "basic.publish")


def test_a_header_weight_other_than_zero_is_unexpected(connection):
    channel = connection.channel()
    publish(channel)
    channel.header(0, weight=1)
    connection.closed_with(505, UNEXPECTED + "content header for class 60, got non content header frame instead",
                           "basic.publish")


def test_empty_body_frames_inside_a_body_are_accepted(channel):
    queue = channel.queue(exclusive=True)
    channel.send("basic.publish", routing_key=queue)
    channel.header(3)
    for part in (b"", b"a", b"", b"", b"bc"):
        channel.body(part)
    assert channel.get(queue).body == b"abc"


@pytest.mark.better
def test_more_body_than_announced_is_a_frame_error(connection):
    channel = connection.channel()
    publish(channel)
    channel.header(3)
    channel.body(b"abcd")
    connection.closed_with(501, "FRAME_ERROR - content body frame exceeds remaining content size", "basic.publish")


@pytest.mark.better
@pytest.mark.parametrize("size", [536870913, 2**63, 2**64 - 1])
def test_a_body_size_that_can_never_be_accepted_is_refused_at_the_header(connection, size):
    channel = connection.channel()
    publish(channel)
    channel.header(size)
    connection.closed_with(501, f"FRAME_ERROR - content body size {size} exceeds maximum allowed size 536870912",
                           "basic.publish")


@pytest.mark.better
@pytest.mark.parametrize("class_id,method_id", [(99, 1), (60, 999), (10, 99), (0, 0), (65535, 65535), (85, 12)])
def test_an_unknown_method_is_a_command_invalid(connection, class_id, method_id):
    connection.channel()
    connection.frame(FRAME_METHOD, 1, struct.pack(">HH", class_id, method_id))
    close = connection.wait(0, "connection.close")
    assert close.reply_code == 503 and close.reply_text.startswith("COMMAND_INVALID - ")
    connection.answer_close(0, close)
    assert connection.wait_end() < 1


@pytest.mark.parametrize("payload,shown", [(b"", ""), (b"\x00", "0"), (b"\x00\x3c", "0,60"),
                                           (b"\x00\x3c\x00", "0,60,0")])
def test_a_method_frame_without_a_whole_method_id_is_a_frame_error(connection, payload, shown):
    connection.channel()
    connection.frame(FRAME_METHOD, 1, payload)
    connection.closed_with(501, f"FRAME_ERROR - type 1, all octets = <<{shown}>>: unknown_frame")


BAD_TABLES = {
    "unknown type": shortstr("k") + b"?\x00",
    "no value": shortstr("k"),
    "short value": shortstr("k") + b"I\x00\x00",
    "string past the end": shortstr("k") + b"S" + struct.pack(">I", 1000) + b"abc",
    "array past the end": shortstr("k") + b"A" + struct.pack(">I", 1000),
    "key past the end": b"\xffabc",
}


@pytest.mark.parametrize("body", BAD_TABLES.values(), ids=BAD_TABLES.keys())
def test_a_broken_header_table_ends_the_connection(connection, body):
    channel = connection.channel()
    publish(channel)
    connection.frame(FRAME_HEADER, 1, header_payload(0, struct.pack(">H", 1 << 13) + longstr(body)))
    close = connection.wait(0, "connection.close")
    assert close.reply_code in (501, 502, 541)


@pytest.mark.better
@pytest.mark.parametrize("body", BAD_TABLES.values(), ids=BAD_TABLES.keys())
def test_a_broken_argument_table_ends_the_connection(connection, body):
    connection.channel()
    payload = method_payload("queue.declare", exclusive=True)[:-4] + longstr(body)
    connection.frame(FRAME_METHOD, 1, payload)
    close = connection.wait(0, "connection.close")
    assert close.reply_code in (501, 502, 541)


@pytest.mark.parametrize("properties", [
    b"", b"\x80", b"\x80\x00", b"\x80\x00\x05ab", b"\x20\x00\x00\x00\x03\xe7", b"\x10\x00", b"\x00\x40\x00\x00",
], ids=["no flags", "half the flags", "no string", "short string", "long table", "no octet", "short timestamp"])
def test_properties_past_the_frame_end_end_the_connection(connection, properties):
    channel = connection.channel()
    publish(channel)
    channel.header(0, properties)
    connection.wait(0, "connection.close")


def test_a_protocol_header_on_an_open_connection_ends_it(connection):
    connection.channel()
    connection.send(b"AMQP\x00\x00\x09\x01")
    connection.answer_close(0, connection.wait(0, "connection.close"))


def test_after_close_ok_the_tcp_connection_ends_promptly(connection):
    connection.frame(7, 0, b"")
    connection.closed_with(501)
    assert connection.wait_end() < 1


def test_a_connection_error_ends_all_channels(connection):
    first, second = connection.channel(), connection.channel()
    first.body(b"x")
    connection.wait(0, "connection.close")
    second.send("channel.flow", active=True)
    assert second.drain("channel.flow-ok") == []
    connection.method(0, "connection.close-ok")
    assert connection.wait_end() < 1
