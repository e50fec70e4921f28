"""Heartbeats as negotiated by tune-ok; the value of the client counts."""
import time

import pytest
from amqp_codec import FRAME_HEARTBEAT

pytestmark = pytest.mark.slow


def test_heartbeats_are_sent_and_required_only_when_negotiated(connect):
    off, answering, busy, silent = (connect(heartbeat=value) for value in (0, 1, 1, 1))
    channel = busy.channel()
    silent_end = None
    begin = time.monotonic()
    while (now := time.monotonic() - begin) < 5.5:
        answering.frame(FRAME_HEARTBEAT, 0, b"")
        channel.send("channel.flow", active=True)
        for connection in (off, answering, busy, silent):
            connection.read(0.05)
        if silent.ended and silent_end is None:
            silent_end = now
        time.sleep(0.1)
    assert not (off.ended or answering.ended or busy.ended), "a healthy connection was cut"
    assert silent_end is not None and 1.5 <= silent_end <= 5, silent_end
    assert not any(method.name == "connection.close" for _, method in silent.inbox), \
        "a dead peer gets no connection.close"
    assert off.heartbeats == 0
    assert answering.heartbeats >= 4
    off.check()
    answering.check()
    busy.check()


def test_the_broker_sends_at_half_the_interval_while_idle(connect):
    connection = connect(heartbeat=2)
    begin = time.monotonic()
    while time.monotonic() - begin < 3.6:
        connection.read(0.3)
        connection.frame(FRAME_HEARTBEAT, 0, b"")
    assert 2 <= connection.heartbeats <= 5
