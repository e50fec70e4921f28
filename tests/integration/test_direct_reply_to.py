"""Direct reply-to: answers without a queue, through amq.rabbitmq.reply-to."""
import re

import pytest

REPLY_TO = "amq.rabbitmq.reply-to"


@pytest.fixture
def requester(connection):
    channel = connection.channel()
    channel.consume(REPLY_TO, no_ack=True)
    return channel


def ask(requester, queue, server):
    """Publish a request and return the reply address that the server side sees."""
    requester.publish("", queue, b"question", reply_to=REPLY_TO, correlation_id="c1")
    message = server.get_soon(queue)
    assert message.properties["correlation_id"] == "c1"
    return message.properties["reply_to"]


def test_a_reply_reaches_the_requester(requester, connect):
    server = connect().channel()
    queue = server.queue(exclusive=True)
    address = ask(requester, queue, server)
    assert re.fullmatch(r"amq\.rabbitmq\.reply-to\..+", address)
    server.publish("", address, b"answer", correlation_id="c1")
    reply = requester.delivery()
    assert (reply.body, reply.exchange, reply.routing_key, reply.redelivered) == (b"answer", "", address, False)
    assert reply.properties == {"correlation_id": "c1"}


def test_the_consumer_tag_of_the_client_is_used(connection):
    channel = connection.channel()
    assert channel.consume(REPLY_TO, tag="answers", no_ack=True) == "answers"
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"q", reply_to=REPLY_TO)
    channel.publish("", channel.get_soon(queue).properties["reply_to"], b"a")
    assert channel.delivery().consumer_tag == "answers"


def test_many_replies_arrive_in_order(requester, connect):
    server = connect().channel()
    address = ask(requester, server.queue(exclusive=True, name=""), server)
    for number in range(100):
        server.publish("", address, str(number))
    assert [m.body for m in requester.deliveries(100)] == [str(n).encode() for n in range(100)]


def test_a_consumer_that_acknowledges_is_refused(channel):
    channel.refused("basic.consume", 406, "PRECONDITION_FAILED - reply consumer cannot acknowledge", queue=REPLY_TO)


def test_a_second_reply_consumer_is_refused(requester):
    requester.refused("basic.consume", 406, "PRECONDITION_FAILED - reply consumer already set", queue=REPLY_TO,
                      no_ack=True)


def test_a_request_without_reply_consumer_is_refused(channel):
    channel.publish("", channel.queue(exclusive=True), b"q", reply_to=REPLY_TO)
    channel.closed_with(406, "PRECONDITION_FAILED - fast reply consumer does not exist", "basic.publish")


def test_after_cancel_a_request_is_refused_and_a_new_consumer_is_possible(connection):
    channel = connection.channel()
    channel.cancel(channel.consume(REPLY_TO, no_ack=True))
    channel.cancel(channel.consume(REPLY_TO, no_ack=True))
    channel.publish("", channel.queue(exclusive=True), b"q", reply_to=REPLY_TO)
    channel.closed_with(406, "PRECONDITION_FAILED - fast reply consumer does not exist", "basic.publish")


def test_declaring_a_live_reply_address_tells_that_it_is_there(requester, connect):
    server = connect().channel()
    address = ask(requester, server.queue(exclusive=True), server)
    for passive in (True, False):
        reply = server.call("queue.declare", queue=address, passive=passive)
        assert (reply.queue, reply.message_count, reply.consumer_count) == (address, 0, 1)


def test_declaring_a_dead_reply_address_is_not_found(connect):
    gone = connect()
    channel = gone.channel()
    channel.consume(REPLY_TO, no_ack=True)
    server = connect().channel()
    address = ask(channel, server.queue(exclusive=True), server)
    gone.close()
    server.refused("queue.declare", 404, queue=address, passive=True)


def test_a_reply_to_someone_who_left_is_dropped(connect):
    gone = connect()
    channel = gone.channel()
    channel.consume(REPLY_TO, no_ack=True)
    server = connect().channel()
    address = ask(channel, server.queue(exclusive=True), server)
    gone.close()
    server.publish("", address, b"too late")
    server.sync()


@pytest.mark.parametrize("method,arguments", [
    ("basic.get", {}), ("queue.bind", {"exchange": "amq.direct", "routing_key": "k"}),
])
def test_the_bare_name_is_no_queue(channel, method, arguments):
    channel.refused(method, 404, f"NOT_FOUND - no queue '{REPLY_TO}' in vhost '/'", queue=REPLY_TO, **arguments)


def test_other_reply_to_values_are_left_alone(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x", reply_to="some.queue")
    assert channel.get_soon(queue).properties == {"reply_to": "some.queue"}


def test_an_invented_reply_address_routes_nowhere(channel):
    channel.publish("", REPLY_TO + ".invented", b"x", mandatory=True)
    assert channel.wait("basic.return").reply_code == 312
