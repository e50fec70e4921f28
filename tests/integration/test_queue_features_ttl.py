"""Time to live of messages and queues."""
import time

import pytest

DLX, DLK, TTL = "x-dead-letter-exchange", "x-dead-letter-routing-key", "x-message-ttl"


@pytest.fixture
def dead(channel):
    return channel.queue(exclusive=True)


def expiring(channel, dead, ttl=None):
    return channel.queue(exclusive=True, arguments={DLX: "", DLK: dead} | ({} if ttl is None else {TTL: ttl}))


@pytest.mark.parametrize("expiration,reason", [
    ("abc", "'abc': no_integer"), ("later", "'later': no_integer"), ("", "'': no_integer"),
    ("-1", "'-1': {value_negative,-1}"), ("10 ", "'10 ': {leftover_string,\" \"}"),
    ("10ms", "'10ms': {leftover_string,\"ms\"}"), ("1.5", "'1.5': {leftover_string,\".5\"}"),
    ("315360000001", "'315360000001': {value_too_large,315360000001}"),
])
def test_an_invalid_expiration_is_a_failed_precondition(channel, expiration, reason):
    channel.send("basic.publish", routing_key="nowhere")
    channel.header(0, b"\x01\x00" + bytes([len(expiration)]) + expiration.encode())
    channel.closed_with(406, "PRECONDITION_FAILED - invalid expiration " + reason, "basic.publish")


def test_a_message_expires_after_its_own_time(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"short", expiration="80")
    channel.publish("", queue, b"long", expiration="60000")
    channel.await_ready(queue, 2)
    channel.await_ready(queue, 1)
    assert channel.bodies(queue) == ["long"]


def test_messages_expire_after_the_time_of_the_queue(channel):
    queue = channel.queue(exclusive=True, arguments={TTL: 100})
    for _ in range(5):
        channel.publish("", queue, b"x")
    channel.await_ready(queue, 5)
    channel.await_ready(queue, 0)


@pytest.mark.parametrize("queue_ttl,expiration", [(60000, "100"), (100, "60000")])
def test_the_smaller_time_counts(channel, dead, queue_ttl, expiration):
    channel.publish("", expiring(channel, dead, queue_ttl), b"x", expiration=expiration)
    assert channel.get_soon(dead, timeout=1).body == b"x"


@pytest.mark.parametrize("arguments,properties", [({}, {"expiration": "0"}), ({TTL: 0}, {})])
def test_zero_means_now_or_never(channel, arguments, properties):
    queue = channel.queue(exclusive=True, arguments=arguments)
    channel.publish("", queue, b"lost", **properties)
    channel.sync()
    assert channel.get(queue) is None
    channel.consume(queue, no_ack=True)
    channel.publish("", queue, b"now", **properties)
    assert channel.delivery().body == b"now"


def test_a_very_long_expiration_is_accepted(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x", expiration="315360000000")
    channel.publish("", queue, b"x", expiration="4294967295")
    channel.await_ready(queue, 2)


def test_a_requeued_message_keeps_its_time(channel, dead):
    queue = expiring(channel, dead, 700)
    begin = time.monotonic()
    channel.publish("", queue, b"x")
    tag = channel.get_soon(queue, no_ack=False).delivery_tag
    time.sleep(0.4)
    channel.nack(tag)
    channel.get_soon(dead)
    assert 0.6 < time.monotonic() - begin < 1.05


def test_a_held_message_does_not_expire_until_it_is_requeued(channel, dead):
    queue = expiring(channel, dead, 150)
    channel.publish("", queue, b"x")
    tag = channel.get_soon(queue, no_ack=False).delivery_tag
    time.sleep(0.4)
    assert channel.ready(dead) == 0
    channel.nack(tag)
    channel.get_soon(dead, timeout=1)


def test_an_overdue_message_that_is_acked_is_gone(channel, dead):
    queue = expiring(channel, dead, 100)
    channel.publish("", queue, b"x")
    tag = channel.get_soon(queue, no_ack=False).delivery_tag
    time.sleep(0.2)
    channel.ack(tag)
    channel.sync()
    assert channel.ready(dead) == 0


def test_messages_expire_in_order(channel, dead):
    queue = expiring(channel, dead, 100)
    for number in range(100):
        channel.publish("", queue, str(number))
    channel.await_ready(dead, 100)
    assert channel.bodies(dead) == [str(number) for number in range(100)]


def test_an_unused_queue_expires(channel, name):
    queue = channel.queue(name("q"), arguments={"x-expires": 300})
    assert channel.exists("queue", queue), "asking counts as use"
    time.sleep(0.8)
    assert not channel.exists("queue", queue)


def test_a_consumer_keeps_an_expiring_queue(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"), arguments={"x-expires": 300})
    tag = channel.consume(queue)
    time.sleep(0.7)
    channel.call("queue.delete", queue=queue)
    assert channel.wait("basic.cancel").consumer_tag == tag


def test_get_and_declare_keep_an_expiring_queue_but_publishing_does_not(channel, name):
    kept, lost = (channel.queue(name(n), arguments={"x-expires": 500}) for n in ("kept", "lost"))
    for _ in range(4):
        time.sleep(0.2)
        channel.get(kept)
        channel.publish("", lost, b"x")
    assert channel.exists("queue", kept)
    assert not channel.exists("queue", lost)


def test_a_queue_expires_after_its_last_consumer_left(channel, name):
    queue = channel.queue(name("q"), arguments={"x-expires": 200})
    channel.cancel(channel.consume(queue))
    time.sleep(0.6)
    assert not channel.exists("queue", queue)


def test_an_expired_message_behind_a_longer_lived_one_is_never_delivered(channel, dead):
    queue = expiring(channel, dead)
    channel.publish("", queue, b"long", expiration="60000")
    channel.publish("", queue, b"short", expiration="50")
    channel.sync()
    time.sleep(0.2)
    assert channel.get(queue).body == b"long"
    assert channel.get(queue) is None
    assert channel.get_soon(dead).body == b"short"


def test_the_clock_of_a_message_starts_at_its_publish_however_idle_the_broker_was(channel):
    queue = channel.queue(exclusive=True, arguments={TTL: 400})
    time.sleep(0.35)
    channel.publish("", queue, b"young")
    time.sleep(0.2)
    assert channel.get_soon(queue).body == b"young"
