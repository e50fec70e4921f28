"""The property user_id must name the user who publishes."""
import pytest

TEXT = "PRECONDITION_FAILED - user_id property set to '{}' but authenticated user was 'guest'"


def test_the_own_name_is_accepted(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x", user_id="guest")
    assert channel.get_soon(queue).properties == {"user_id": "guest"}


@pytest.mark.parametrize("user", ["bob", "Guest", "guest "])
def test_another_name_is_refused(channel, user):
    channel.publish("", "nowhere", b"x", user_id=user)
    channel.closed_with(406, TEXT.format(user), "basic.publish")


def test_an_empty_name_is_refused(channel):
    channel.send("basic.publish", routing_key="nowhere")
    channel.header(0, b"\x00\x10\x00")
    channel.closed_with(406, TEXT.format(""), "basic.publish")


def test_a_refused_message_is_not_routed(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    channel.publish("", queue, b"x", user_id="bob")
    channel.closed_with(406, method="basic.publish")
    assert connection.channel().ready(queue) == 0
