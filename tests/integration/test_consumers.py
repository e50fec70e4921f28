"""Consumers: who gets which message, tags, exclusivity, priority and cancellation."""
import re

import pytest


@pytest.fixture
def queue(channel, name):
    return channel.queue(name("q"))


def tags_of(messages):
    return [message.consumer_tag for message in messages]


def test_consume_ok_comes_before_the_first_delivery(connection, channel, queue):
    for number in range(30):
        channel.publish("", queue, b"x")
        channel.sync()
        reader = connection.channel(100 + number)
        reader.send("basic.consume", queue=queue, no_ack=True)
        assert [reader.next().name for _ in range(2)] == ["basic.consume-ok", "basic.deliver"]
        reader.close()


def test_server_made_tags_are_unique(channel, queue):
    tags = {channel.consume(queue) for _ in range(10)}
    assert len(tags) == 10
    assert all(re.fullmatch(r"amq\.ctag-[A-Za-z0-9_-]{22}", tag) for tag in tags)


def test_a_tag_may_be_used_on_every_channel(connection, queue):
    for _ in range(3):
        assert connection.channel().consume(queue, tag="same") == "same"


def test_a_cancelled_tag_may_be_used_again(channel, queue):
    for _ in range(3):
        channel.consume(queue, tag="mine")
        channel.cancel("mine")


def test_consumers_take_turns(channel, queue):
    for tag in "abc":
        channel.consume(queue, tag=tag, no_ack=True)
    for number in range(9):
        channel.publish("", queue, str(number))
    assert sorted(tags_of(channel.deliveries(3))) == ["a", "b", "c"]
    assert sorted(tags_of(channel.deliveries(6))) == ["a", "a", "b", "b", "c", "c"]


def test_consumers_of_different_connections_take_turns(connect, channel, queue):
    readers = [connect().channel() for _ in range(3)]
    for reader in readers:
        reader.consume(queue, no_ack=True)
    for _ in range(30):
        channel.publish("", queue, b"x")
    for reader in readers:
        reader.deliveries(10)
    assert [reader.drain("basic.deliver") for reader in readers] == [[], [], []]


def test_each_message_goes_to_one_consumer_in_order(channel, queue):
    for tag in "ab":
        channel.consume(queue, tag=tag, no_ack=True)
    for number in range(100):
        channel.publish("", queue, str(number))
    assert [int(m.body) for m in channel.deliveries(100)] == list(range(100))


def test_a_full_consumer_is_passed_over(connection, channel, queue):
    busy, free = connection.channel(), connection.channel()
    busy.call("basic.qos", prefetch_count=1)
    busy.consume(queue)
    free.consume(queue, no_ack=True)
    for _ in range(10):
        channel.publish("", queue, b"x")
    busy.delivery()
    free.deliveries(9)
    assert busy.drain("basic.deliver") == []


def test_higher_priorities_are_served_first_until_full(connection, channel, queue):
    low, high, plain = (connection.channel() for _ in range(3))
    low.call("basic.qos", prefetch_count=2)
    low.consume(queue, arguments={"x-priority": -5})
    high.call("basic.qos", prefetch_count=3)
    high.consume(queue, arguments={"x-priority": 10})
    plain.call("basic.qos", prefetch_count=1)
    plain.consume(queue)
    for number in range(8):
        channel.publish("", queue, str(number))
    assert [m.body for m in high.deliveries(3)] == [b"0", b"1", b"2"]
    assert [m.body for m in plain.deliveries(1)] == [b"3"]
    assert [m.body for m in low.deliveries(2)] == [b"4", b"5"]
    assert [reader.drain("basic.deliver") for reader in (high, plain, low)] == [[], [], []]
    channel.await_ready(queue, 2)
    high.ack(1)
    assert high.delivery().body == b"6"


def test_equal_priorities_take_turns(channel, queue):
    for tag in "ab":
        channel.consume(queue, tag=tag, no_ack=True, arguments={"x-priority": 3})
    channel.consume(queue, tag="low", no_ack=True)
    for _ in range(10):
        channel.publish("", queue, b"x")
    tags = tags_of(channel.deliveries(10))
    assert (tags.count("a"), tags.count("b")) == (5, 5)


@pytest.mark.parametrize("value,type_", [("high", "longstr"), (True, "bool")])
def test_a_priority_that_is_no_integer_is_refused(channel, queue, value, type_):
    channel.refused("basic.consume", 406, f"PRECONDITION_FAILED - invalid arg 'x-priority' for queue '{queue}' in "
                    f"vhost '/': \"expected integer, got {type_}\"", queue=queue, arguments={"x-priority": value})


def test_unknown_consume_arguments_are_ignored(channel, queue):
    channel.consume(queue, arguments={"x-anything": [1], "y": None})


@pytest.mark.parametrize("first,second", [(True, True), (True, False), (False, True)])
def test_exclusive_consumers_share_with_nobody(connect, channel, queue, first, second):
    channel.consume(queue, exclusive=first)
    connect().channel().refused("basic.consume", 403,
                                f"ACCESS_REFUSED - queue '{queue}' in vhost '/' in exclusive use",
                                queue=queue, exclusive=second)


def test_an_exclusive_consumer_makes_room_when_cancelled(connect, channel, queue):
    channel.cancel(channel.consume(queue, exclusive=True))
    other = connect()
    other.channel().consume(queue, exclusive=True)
    other.close()
    channel.consume(queue)


def test_get_works_beside_an_exclusive_consumer(connection, channel, queue):
    channel.call("basic.qos", prefetch_count=1)
    channel.consume(queue, exclusive=True)
    for body in "ab":
        channel.publish("", queue, body)
    channel.await_ready(queue, 1)
    assert connection.channel().get(queue).body == b"b"


def test_nothing_is_delivered_after_cancel_ok(channel, queue):
    tag = channel.consume(queue, no_ack=True)
    channel.cancel(tag)
    channel.publish("", queue, b"x")
    channel.await_ready(queue, 1)
    assert channel.drain("basic.deliver") == []


def test_cancelling_an_unknown_tag_is_answered(channel):
    assert channel.call("basic.cancel", consumer_tag="never seen").consumer_tag == "never seen"


def test_cancelling_keeps_unacked_deliveries_with_the_channel(channel, queue):
    channel.publish("", queue, b"x")
    tag = channel.consume(queue)
    message = channel.delivery()
    channel.cancel(tag)
    assert channel.ready(queue) == 0
    channel.ack(message.delivery_tag)
    channel.sync()
    channel.close()


def test_a_deleted_queue_cancels_its_consumers(connect, queue):
    reader, deleter = connect().channel(), connect().channel()
    tag = reader.consume(queue)
    deleter.call("queue.delete", queue=queue)
    notice = reader.wait("basic.cancel")
    assert (notice.consumer_tag, notice.nowait) == (tag, True)
    reader.sync()
    assert reader.call("basic.cancel", consumer_tag=tag).consumer_tag == tag


def test_the_channel_that_deletes_the_queue_is_told_too(channel, queue):
    tags = {channel.consume(queue) for _ in range(3)}
    channel.send("queue.delete", queue=queue)
    assert {channel.wait("basic.cancel").consumer_tag for _ in range(3)} == tags
    channel.wait("queue.delete-ok")


def test_without_the_capability_there_is_no_cancel_notice(connect, queue):
    reader, deleter = connect(capabilities={}).channel(), connect().channel()
    reader.consume(queue)
    deleter.call("queue.delete", queue=queue)
    assert reader.drain("basic.cancel") == []
    reader.sync()


def test_a_notified_tag_may_be_used_again(connect, channel, name):
    queue = channel.queue(name("q2"))
    reader = connect().channel()
    reader.consume(queue, tag="again")
    channel.call("queue.delete", queue=queue)
    reader.wait("basic.cancel")
    channel.queue(queue)
    reader.consume(queue, tag="again")


def test_no_local_is_ignored(channel, queue):
    channel.consume(queue, no_local=True, no_ack=True)
    channel.publish("", queue, b"own")
    assert channel.delivery().body == b"own"


def test_a_single_active_consumer_gets_everything(connection, channel, name):
    queue = channel.queue(name("sac"), arguments={"x-single-active-consumer": True})
    first, second = connection.channel(), connection.channel()
    first_tag = first.consume(queue)
    second.consume(queue)
    for body in "abc":
        channel.publish("", queue, body)
    assert [m.body for m in first.deliveries(3)] == [b"a", b"b", b"c"]
    assert second.drain("basic.deliver") == []
    first.cancel(first_tag)
    channel.publish("", queue, b"d")
    assert second.delivery().body == b"d"
    first.ack(0, multiple=True)
    first.sync()


def test_a_single_active_consumer_cannot_be_exclusive(channel, name):
    queue = channel.queue(name("sac"), arguments={"x-single-active-consumer": True})
    channel.refused("basic.consume", 403, f"ACCESS_REFUSED - queue '{queue}' in vhost '/' in exclusive use",
                    queue=queue, exclusive=True)
