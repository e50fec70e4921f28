"""Queue arguments are validated at declare."""
import pytest

INVALID = [
    ("x-message-ttl", -1, "{value_negative,-1}"), ("x-message-ttl", "10", '"expected integer, got longstr"'),
    ("x-message-ttl", 315360000001, "{value_too_large,315360000001}"),
    ("x-expires", 0, "{value_zero,0}"), ("x-expires", -1, "{value_negative,-1}"),
    ("x-max-length", -1, "{value_negative,-1}"), ("x-max-length-bytes", -1, "{value_negative,-1}"),
    ("x-overflow", "drop-tail", "invalid_overflow"), ("x-overflow", 1, "{unacceptable_type,signedint}"),
    ("x-dead-letter-routing-key", "k", "routing_key_but_no_dlx_defined"),
    ("x-max-priority", 256, "{max_value_exceeded,256}"), ("x-max-priority", -1, "{value_negative,-1}"),
    ("x-single-active-consumer", "true", "{unacceptable_type,longstr}"),
    ("x-queue-mode", "foo", '"unsupported queue mode \'foo\'"'),
    ("x-queue-version", 3, '"unsupported queue version \'3\'"'),
    ("x-queue-type", "foo", '"unsupported queue type \'foo\'"'),
]


@pytest.mark.parametrize("key,value,reason", INVALID)
def test_an_invalid_argument_is_told_with_its_reason(channel, name, key, value, reason):
    queue = name("q")
    channel.send("queue.declare", queue=queue, arguments={key: value})
    close = channel.closed_with(406, method="queue.declare")
    assert close.reply_text == f"PRECONDITION_FAILED - invalid arg '{key}' for queue '{queue}' in vhost '/': {reason}"


@pytest.mark.parametrize("value", [5, True, {"a": 1}])
def test_a_dead_letter_exchange_must_be_a_string(channel, name, value):
    type_ = {int: "signedint", bool: "bool", dict: "table"}[type(value)]
    queue = name("q")
    channel.send("queue.declare", queue=queue, arguments={"x-dead-letter-exchange": value})
    channel.closed_with(406, f"PRECONDITION_FAILED - invalid type '{type_}' for arg 'x-dead-letter-exchange' in queue "
                        f"'{queue}' in vhost '/'", "queue.declare")


@pytest.mark.parametrize("arguments", [
    {"x-message-ttl": 0}, {"x-message-ttl": 315360000000}, {"x-expires": 60000}, {"x-max-length": 0},
    {"x-max-length-bytes": 2**40}, {"x-overflow": "drop-head"}, {"x-overflow": "reject-publish"},
    {"x-overflow": "reject-publish-dlx"}, {"x-dead-letter-exchange": ""},
    {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "k"}, {"x-max-priority": 255}, {"x-max-priority": 0},
    {"x-single-active-consumer": False}, {"x-queue-mode": "lazy"}, {"x-queue-mode": "default"},
    {"x-queue-version": 1}, {"x-queue-version": 2}, {"x-queue-type": "classic"},
    {"x-queue-master-locator": "client-local"},
])
def test_valid_arguments_are_accepted_and_remembered(channel, name, arguments):
    queue = channel.queue(name("q"), arguments=arguments)
    channel.queue(queue, arguments=arguments)
    channel.publish("", queue, b"x")
    channel.sync()


def test_an_argument_of_another_queue_type_is_refused(channel, name):
    queue = name("q")
    channel.send("queue.declare", queue=queue, arguments={"x-delivery-limit": 5})
    close = channel.closed_with(406, method="queue.declare")
    assert close.reply_text == (f"PRECONDITION_FAILED - invalid arg 'x-delivery-limit' for queue '{queue}' in vhost "
                                "'/' of queue type rabbit_classic_queue")
