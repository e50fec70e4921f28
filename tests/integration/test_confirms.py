"""Publisher confirms: every publish is settled once, and returns come first."""
import pytest


def settled(channel, count):
    """Read confirms until `count` publishes are settled; returns the tags in order."""
    outstanding, order = set(range(1, count + 1)), []
    while outstanding:
        ack = channel.wait("basic.ack", "basic.nack")
        assert ack.name == "basic.ack"
        tags = {t for t in outstanding if t <= ack.delivery_tag} if ack.multiple else {ack.delivery_tag}
        assert tags <= outstanding and ack.delivery_tag in tags, "a tag was settled twice"
        outstanding -= tags
        order += sorted(tags)
    return order


@pytest.fixture
def confirming(channel):
    channel.call("confirm.select")
    return channel


def test_select_is_answered_and_may_be_repeated(confirming):
    confirming.call("confirm.select")


def test_tags_start_at_one_with_select(channel):
    queue = channel.queue(exclusive=True)
    for _ in range(3):
        channel.publish("", queue, b"before")
    channel.call("confirm.select")
    channel.publish("", queue, b"after")
    assert channel.wait("basic.ack").delivery_tag == 1


@pytest.mark.parametrize("durable,mode", [(False, 1), (True, 1), (True, 2), (False, 2)])
def test_every_publish_is_confirmed_once(confirming, name, durable, mode):
    queue = confirming.queue(name("q"), durable=durable)
    for _ in range(500):
        confirming.publish("", queue, b"x" * 50, delivery_mode=mode)
    settled(confirming, 500)
    assert confirming.ready(queue) == 500
    assert confirming.drain("basic.ack") == []


def test_an_unroutable_publish_is_confirmed_too(confirming):
    confirming.publish("", "no-such-queue-here", b"x")
    assert confirming.wait("basic.ack").delivery_tag == 1


def test_a_return_comes_before_the_confirm_of_its_message(confirming):
    queue = confirming.queue(exclusive=True)
    for number in range(1, 201):
        confirming.publish("", "no-such-queue-here" if number % 2 else queue, str(number), mandatory=True)
    outstanding, returned = set(range(1, 201)), []
    while outstanding:
        reply = confirming.wait("basic.return", "basic.ack")
        if reply.name == "basic.return":
            number = int(reply.body)
            assert number in outstanding, "the confirm came first"
            returned.append(number)
        else:
            outstanding -= set(range(reply.delivery_tag + 1)) if reply.multiple else {reply.delivery_tag}
    assert returned == list(range(1, 201, 2))


def test_return_method_and_confirm_follow_each_other(confirming):
    confirming.publish("", "no-such-queue-here", b"x", mandatory=True)
    assert [confirming.next().name for _ in range(2)] == ["basic.return", "basic.ack"]


def test_a_message_to_many_queues_is_confirmed_once(confirming, name):
    exchange = confirming.exchange(name("x"), "fanout")
    queues = [confirming.queue(name("q"), durable=bool(number % 2)) for number in range(6)]
    for queue in queues:
        confirming.bind(queue, exchange)
    for _ in range(20):
        confirming.publish(exchange, "", b"x", delivery_mode=2)
    settled(confirming, 20)
    assert [confirming.ready(queue) for queue in queues] == [20] * 6


def test_confirms_do_not_wait_for_consumers(confirming):
    queue = confirming.queue(exclusive=True)
    confirming.call("basic.qos", prefetch_count=1)
    confirming.consume(queue)
    for _ in range(10):
        confirming.publish("", queue, b"x")
    settled(confirming, 10)


def test_confirms_belong_to_their_channel(connection):
    first, second = connection.channel(), connection.channel()
    queue = first.queue(exclusive=True)
    first.call("confirm.select")
    second.publish("", queue, b"x")
    first.publish("", queue, b"y")
    assert first.wait("basic.ack").delivery_tag == 1
    assert second.drain("basic.ack") == []


def test_publishes_to_a_deleted_queue_are_confirmed(connection, name):
    channel = connection.channel()
    channel.call("confirm.select")
    queue = channel.queue(name("q"), durable=True)
    for _ in range(50):
        channel.publish("", queue, b"x", delivery_mode=2)
    connection.channel().call("queue.delete", queue=queue)
    settled(channel, 50)


def test_confirm_after_tx_is_refused(channel):
    channel.call("tx.select")
    channel.refused("confirm.select", 406, "PRECONDITION_FAILED - cannot switch from tx to confirm mode")


def test_tx_after_confirm_is_refused(confirming):
    confirming.refused("tx.select", 406, "PRECONDITION_FAILED - cannot switch from confirm to tx mode")


def test_without_select_nothing_is_confirmed(channel):
    channel.publish("", channel.queue(exclusive=True), b"x")
    assert channel.drain("basic.ack") == []
