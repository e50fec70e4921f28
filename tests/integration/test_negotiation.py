"""tune-ok: which limits a client may choose, and that the broker keeps them."""
import pytest
from amqp_wire import ClosedByBroker


def test_a_frame_max_of_4096_is_accepted_and_kept(connect):
    connection = connect(frame_max=4096)
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"z" * 20000)
    assert channel.get(queue).body == b"z" * 20000
    assert max(size for _, _, size in connection.frames) <= 4088


def test_the_offered_frame_max_is_accepted(connect):
    connect(frame_max=131072).check()


TUNE_ERRORS = [
    ("frame_max", 100, "negotiated frame_max = 100 is lower than the minimum allowed value (4096)"),
    ("frame_max", 4095, "negotiated frame_max = 4095 is lower than the minimum allowed value (4096)"),
    ("frame_max", 131073, "negotiated frame_max = 131073 is higher than the maximum allowed value (131072)"),
    ("channel_max", 2048, "negotiated channel_max = 2048 is higher than the maximum allowed value (2047)"),
    ("channel_max", 65535, "negotiated channel_max = 65535 is higher than the maximum allowed value (2047)"),
    ("channel_max", 0, "negotiated channel_max = 0 (no limit) is higher than the maximum allowed value (2047)"),
    ("frame_max", 0, "negotiated frame_max = 0 is higher than the maximum allowed value (131072)"),
]


@pytest.mark.better
@pytest.mark.parametrize("field,value,text", TUNE_ERRORS, ids=[f"{f}-{v}" for f, v, _ in TUNE_ERRORS])
def test_a_tune_ok_outside_the_limits_is_refused_with_a_reason(connect, field, value, text):
    connection = connect(until="tune-ok", **{field: value})
    connection.closed_with(530, "NOT_ALLOWED - " + text, "connection.tune", timeout=1.5)
    assert connection.wait_end() < 1


@pytest.mark.slow
def test_a_tune_ok_outside_the_limits_never_leads_to_an_open_connection(connect):
    opened = [connect(until="tune-ok", **{field: value}) for field, value, _ in TUNE_ERRORS]
    for connection in opened:
        connection.wait_end(6)
        assert not any(method.name == "connection.open-ok" for _, method in connection.inbox)


def test_the_highest_channel_number_of_the_offer_can_be_used_again_and_again(connect):
    connection = connect()
    for _ in range(3):
        channel = connection.channel(connection.tune.channel_max)
        channel.sync()
        channel.close()


def test_no_more_channels_than_negotiated_can_be_open(connect):
    connection = connect(channel_max=2)
    first = connection.channel(1)
    connection.channel(2)
    first.close()
    connection.channel(1)
    connection.method(3, "channel.open")
    connection.closed_with(530, "NOT_ALLOWED - number of channels opened (2) has reached the "
                                "negotiated channel_max (2)")


def test_all_negotiated_channels_can_be_open_at_the_same_time(connect):
    connection = connect(channel_max=300)
    channels = [connection.channel(number) for number in range(300, 0, -1)]
    for channel in channels:
        channel.send("channel.flow", active=True)
    for channel in channels:
        channel.wait("channel.flow-ok")


def test_channels_are_counted_not_numbered(connect):
    connection = connect(channel_max=2)
    try:
        connection.channel(40000).sync()
    except ClosedByBroker as closed:
        raise AssertionError("a high channel number within the count was refused") from closed


def test_second_connections_choose_their_own_limits(connect):
    small, large = connect(frame_max=4096, channel_max=1), connect()
    small.channel(1).sync()
    large.channel(1).sync()
    large.channel(2).sync()
