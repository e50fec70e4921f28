"""Bodies of all sizes, split into frames of the negotiated size."""
import os

import pytest
from amqp_codec import FRAME_BODY, FRAME_HEADER


def test_empty_messages_have_a_header_and_no_body_frame(connection):
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    for number in (1, 2):
        channel.publish("", queue, b"", headers={"n": number})
    channel.publish("", queue, b"tail")
    channel.await_ready(queue, 3)
    before = len(connection.frames)
    messages = channel.empty(queue)
    assert [(m.body, m.body_size, m.properties) for m in messages] == \
        [(b"", 0, {"headers": {"n": 1}}), (b"", 0, {"headers": {"n": 2}}), (b"tail", 4, {})]
    kinds = [kind for kind, _, _ in connection.frames[before:]]
    assert (kinds.count(FRAME_HEADER), kinds.count(FRAME_BODY)) == (3, 1)
    channel.consume(queue, no_ack=True)
    channel.publish("", queue, b"")
    assert channel.delivery().body == b""


@pytest.mark.parametrize("frame_max", [4096, 131072])
def test_bodies_around_the_frame_size_come_back(connect, frame_max):
    connection = connect(frame_max=frame_max)
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    step = frame_max - 8
    for size in (1, step - 1, step, step + 1, 2 * step, 2 * step + 1):
        body = os.urandom(size)
        channel.publish("", queue, body)
        before = len(connection.frames)
        assert channel.get_soon(queue).body == body
        sizes = [length for kind, _, length in connection.frames[before:] if kind == FRAME_BODY]
        assert sum(sizes) == size and max(sizes) <= step


def test_the_reader_gets_frames_of_its_own_size(connect, name):
    writer, reader = connect().channel(), connect(frame_max=4096)
    queue, body = writer.queue(name("q")), os.urandom(300000)
    writer.publish("", queue, body)
    channel = reader.channel()
    assert channel.get_soon(queue).body == body
    assert max(size for _, _, size in reader.frames) <= 4088


def test_a_body_in_tiny_frames_is_put_together(channel):
    queue, body = channel.queue(exclusive=True), os.urandom(3000)
    channel.send("basic.publish", routing_key=queue)
    channel.header(len(body))
    for octet in body:
        channel.body(bytes([octet]))
    assert channel.get_soon(queue).body == body


@pytest.mark.parametrize("durable", [False, True])
def test_megabytes_come_back(channel, name, durable):
    queue, body = channel.queue(name("q"), durable=durable), os.urandom(8 * 1024 * 1024)
    channel.publish("", queue, body, delivery_mode=2)
    channel.consume(queue, no_ack=True)
    assert channel.delivery(20).body == body


def test_large_and_small_messages_keep_their_order(channel):
    queue = channel.queue(exclusive=True)
    sizes = [1, 400000, 0, 131064, 7, 1000000, 2]
    for size in sizes:
        channel.publish("", queue, b"z" * size)
    channel.consume(queue, no_ack=True)
    assert [m.body_size for m in channel.deliveries(len(sizes))] == sizes


def test_a_slow_reader_holds_up_nobody_else(connect, name):
    slow, fast = connect(), connect().channel()
    queue, other = fast.queue(name("slow")), fast.queue(name("fast"))
    for _ in range(40):
        fast.publish("", queue, b"s" * 500000)
    slow.channel().send("basic.consume", queue=queue)
    for number in range(20):
        fast.publish("", other, str(number))
        assert fast.get_soon(other).body == str(number).encode()
    slow.drop()


@pytest.mark.slow
def test_a_message_above_the_maximum_size_closes_the_channel(connection):
    channel = connection.channel()
    chunk = bytes(131064)
    size = 134217729
    channel.send("basic.publish", routing_key="nowhere")
    channel.header(size)
    sent = 0
    while sent < size:
        part = chunk[:size - sent]
        channel.body(part)
        sent += len(part)
    channel.closed_with(406, "PRECONDITION_FAILED - message size 134217729 is larger than configured max size "
                        "134217728", "basic.publish", timeout=20)


def test_an_unfinished_message_is_forgotten_with_its_connection(connect, name):
    gone, channel = connect(), connect().channel()
    queue = channel.queue(name("q"))
    sender = gone.channel()
    sender.send("basic.publish", routing_key=queue)
    sender.header(1000)
    sender.body(b"half")
    gone.drop()
    channel.publish("", queue, b"whole")
    assert channel.get_soon(queue).body == b"whole"
    assert channel.ready(queue) == 0


def test_requests_are_read_again_after_a_large_answer_has_left(connection):
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    for _ in range(3):
        body = os.urandom(5_000_000)
        channel.publish("", queue, body)
        assert channel.get_soon(queue).body == body
        channel.sync()
    connection.check()
