"""basic.get."""


def test_an_empty_queue_gives_get_empty(channel):
    channel.send("basic.get", queue=channel.queue(exclusive=True))
    assert channel.wait("basic.get-empty").cluster_id == ""


def test_get_ok_tells_tag_origin_and_what_is_left(channel, name):
    exchange, queue = channel.exchange(name("x"), "topic"), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "#")
    for body in "abc":
        channel.publish(exchange, "k." + body, body)
    channel.await_ready(queue, 3)
    for number, body in enumerate("abc"):
        message = channel.get(queue, no_ack=bool(number))
        assert (message.delivery_tag, message.redelivered, message.exchange, message.routing_key,
                message.message_count, message.body) == (number + 1, False, exchange, "k." + body, 2 - number,
                                                         body.encode())


def test_message_count_does_not_include_unacked_messages(channel):
    queue = channel.queue(exclusive=True)
    for _ in range(3):
        channel.publish("", queue, b"x")
    channel.await_ready(queue, 3)
    assert channel.get(queue, no_ack=False).message_count == 2
    assert channel.get(queue, no_ack=False).message_count == 1
    assert channel.ready(queue) == 1


def test_a_no_ack_get_settles_the_message(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    channel.publish("", queue, b"x")
    channel.get_soon(queue, no_ack=True)
    channel.close()
    assert connection.channel().get(queue) is None


def test_pipelined_gets_are_answered_in_order(channel):
    queue = channel.queue(exclusive=True)
    for number in range(50):
        channel.publish("", queue, str(number))
    channel.await_ready(queue, 50)
    for _ in range(60):
        channel.send("basic.get", queue=queue, no_ack=True)
    replies = [channel.next() for _ in range(60)]
    assert [int(m.body) for m in replies[:50]] == list(range(50))
    assert {m.name for m in replies[50:]} == {"basic.get-empty"}


def test_get_and_consume_share_one_queue(connection, name):
    channel, reader = connection.channel(), connection.channel()
    queue = channel.queue(name("q"))
    for body in "abc":
        channel.publish("", queue, body)
    channel.await_ready(queue, 3)
    reader.call("basic.qos", prefetch_count=1)
    reader.consume(queue)
    assert reader.delivery().body == b"a"
    assert channel.get(queue).body == b"b"
    reader.ack(1)
    assert reader.delivery().body == b"c"
