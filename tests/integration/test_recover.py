"""basic.recover requeues everything the channel holds."""


def test_recover_requeues_gets_and_deliveries_of_cancelled_consumers(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    for body in "abc":
        channel.publish("", queue, body)
    channel.await_ready(queue, 3)
    channel.get(queue, no_ack=False)
    tag = channel.consume(queue)
    channel.deliveries(2)
    channel.cancel(tag)
    channel.call("basic.recover", requeue=True)
    channel.await_ready(queue, 3)
    assert [(m.body, m.redelivered) for m in channel.empty(queue)] == [(b"a", True), (b"b", True), (b"c", True)]


def test_recover_redelivers_to_a_live_consumer_with_new_tags(channel):
    queue = channel.queue(exclusive=True)
    for body in "ab":
        channel.publish("", queue, body)
    channel.consume(queue)
    channel.deliveries(2)
    channel.call("basic.recover", requeue=True)
    again = channel.deliveries(2)
    assert [(m.body, m.redelivered, m.delivery_tag) for m in again] == [(b"a", True, 3), (b"b", True, 4)]
    channel.ack(4, multiple=True)
    channel.sync()


def test_recover_async_requeues_without_an_answer(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x")
    channel.get_soon(queue, no_ack=False)
    channel.send("basic.recover-async", requeue=True)
    channel.await_ready(queue, 1)
    assert channel.drain("basic.recover-ok") == []


def test_recover_with_nothing_held_is_answered(channel):
    channel.call("basic.recover", requeue=True)


def test_recover_leaves_the_messages_of_other_channels_alone(connection, name):
    first, second = connection.channel(), connection.channel()
    queue = first.queue(name("q"))
    for body in "ab":
        first.publish("", queue, body)
    first.await_ready(queue, 2)
    first.get(queue, no_ack=False)
    second.get(queue, no_ack=False)
    first.call("basic.recover", requeue=True)
    first.await_ready(queue, 1)
    assert first.bodies(queue) == ["a"]
    second.ack(1)
    second.sync()


def test_old_tags_are_unknown_after_recover(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x")
    tag = channel.get_soon(queue, no_ack=False).delivery_tag
    channel.call("basic.recover", requeue=True)
    channel.refused("basic.ack", 406, f"PRECONDITION_FAILED - unknown delivery tag {tag}", delivery_tag=tag)
