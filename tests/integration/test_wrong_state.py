"""Methods sent in a state of the connection or channel that does not allow them."""
import pytest
from amqp_codec import method_payload

RUNNING = "CHANNEL_ERROR - unexpected method in connection state running"
EXPECTED_OPEN = "CHANNEL_ERROR - expected 'channel.open'"


@pytest.mark.parametrize("method", ["connection.start-ok", "connection.secure-ok", "connection.tune-ok",
                                    "connection.open", "connection.close-ok"])
def test_connection_methods_of_the_handshake_are_errors_when_running(connection, method):
    connection.method(0, method)
    connection.closed_with(504, RUNNING, method)


@pytest.mark.parametrize("method", ["channel.open", "queue.declare", "basic.qos", "tx.select"])
def test_channel_methods_on_channel_0_are_errors(connection, method):
    connection.method(0, method)
    connection.closed_with(504, RUNNING, method)


@pytest.mark.parametrize("method", ["connection.open", "connection.close", "connection.close-ok",
                                    "connection.update-secret", "connection.tune-ok"])
def test_connection_methods_on_a_channel_are_errors(connection, method):
    connection.channel().send(method)
    connection.closed_with(503, "COMMAND_INVALID - unimplemented method", method)


def test_a_channel_method_before_connection_open_is_unexpected(connect):
    connection = connect(until="tune-ok")
    connection.method(1, "channel.open")
    connection.closed_with(505, "UNEXPECTED_FRAME - type 1, all octets = <<0,20,0,10,0>>")


@pytest.mark.parametrize("method", ["connection.start-ok", "connection.tune-ok", "connection.close-ok"])
def test_a_repeated_handshake_method_before_open_is_an_error(connect, method):
    connection = connect(until="tune-ok")
    connection.method(0, method)
    connection.closed_with(504, "CHANNEL_ERROR - unexpected method in connection state opening", method)


@pytest.mark.parametrize("method", ["queue.declare", "basic.qos", "basic.ack", "confirm.select", "channel.close",
                                    "channel.close-ok", "channel.flow"])
def test_a_method_on_a_channel_never_opened_is_an_error(connection, method):
    connection.method(500, method)
    connection.closed_with(504, EXPECTED_OPEN, method)


def test_a_publish_on_a_channel_never_opened_is_an_error(connection):
    connection.method(7, "basic.publish", routing_key="nowhere")
    connection.frame(2, 7, b"\x00\x3c\x00\x00" + bytes(10))
    connection.closed_with(504, EXPECTED_OPEN, "basic.publish")


def test_a_method_on_a_channel_after_its_close_is_an_error(connection):
    channel = connection.channel()
    channel.close()
    channel.send("basic.qos")
    connection.closed_with(504, EXPECTED_OPEN, "basic.qos")


def test_a_second_channel_open_is_an_error(connection):
    connection.channel().send("channel.open")
    connection.closed_with(504, "CHANNEL_ERROR - second 'channel.open' seen", "channel.open")


@pytest.mark.parametrize("method", ["channel.open-ok", "queue.declare-ok", "basic.consume-ok", "basic.get-empty",
                                    "exchange.unbind-ok", "tx.commit-ok", "confirm.select-ok", "channel.close-ok"])
def test_methods_of_the_server_are_refused_from_a_client(connection, method):
    connection.channel().send(method)
    connection.closed_with(503, "COMMAND_INVALID - unimplemented method", method)


@pytest.mark.parametrize("method", ["connection.start", "connection.tune", "connection.open-ok",
                                    "connection.blocked", "connection.unblocked", "connection.update-secret-ok"])
def test_connection_methods_of_the_server_are_refused_from_a_client(connection, method):
    connection.method(0, method)
    connection.closed_with(504, RUNNING, method)


def test_late_methods_on_a_channel_the_broker_closed_are_ignored(connection, name):
    channel = connection.channel(4)
    missing = name("missing")
    channel.send("queue.declare", queue=missing, passive=True)
    close = channel.wait("channel.close")
    assert close.reply_code == 404
    channel.ack(1)
    channel.nack(2)
    channel.publish("", missing, b"late")
    channel.send("queue.declare", queue=missing)
    channel.send("basic.consume", queue=missing)
    connection.check()
    channel.send("channel.close-ok")
    again = connection.channel(4)
    assert not again.exists("queue", missing)


def test_a_channel_close_that_crosses_the_brokers_is_answered(connection, name):
    channel = connection.channel()
    channel.send("queue.declare", queue=name("missing"), passive=True)
    channel.send("channel.close", reply_code=200)
    channel.wait("channel.close")
    channel.wait("channel.close-ok")
    channel.send("channel.close-ok")
    connection.check()


def test_a_channel_number_is_free_right_after_close_ok(connection, name):
    missing = name("missing")
    for _ in range(20):
        channel = connection.channel(3)
        channel.send("queue.declare", queue=missing, passive=True)
        channel.wait("channel.close")
        connection.send(b"".join([
            b"\x01\x00\x03\x00\x00\x00\x04" + method_payload("channel.close-ok") + b"\xce",
            b"\x01\x00\x03\x00\x00\x00\x05" + method_payload("channel.open") + b"\xce"]))
        channel.wait("channel.open-ok")
        channel.close()


def test_an_error_on_one_channel_leaves_the_others_alone(connection, name):
    good, bad = connection.channel(), connection.channel()
    queue = good.queue(exclusive=True)
    good.consume(queue, no_ack=True)
    bad.refused("queue.purge", 404, queue=name("missing"))
    good.publish("", queue, b"still here")
    assert good.delivery().body == b"still here"


def test_channel_flow_active_is_answered(channel):
    assert channel.call("channel.flow", active=True).active is True


def test_channel_flow_off_is_not_implemented(connection):
    connection.channel().send("channel.flow", active=False)
    connection.closed_with(540, "NOT_IMPLEMENTED - active=false", "channel.flow")


def test_access_request_is_answered_with_ticket_1(channel):
    assert channel.call("access.request", realm="/data", active=True, write=True, read=True).ticket == 1


def test_tickets_are_ignored(channel):
    queue = channel.call("queue.declare", exclusive=True, ticket=77).queue
    channel.call("queue.bind", queue=queue, exchange="amq.direct", routing_key=queue, ticket=12)


def busy_consumer(connection):
    """A channel whose consumer has far more deliveries coming than one read takes."""
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    for _ in range(2000):
        channel.publish("", queue, b"x" * 200)
    channel.sync()
    channel.send("basic.consume", queue=queue)
    return channel, queue


def assert_silent_after_close(connection, channel, code):
    seen = []
    while not seen or seen[-1].name != "channel.close":
        seen.append(connection.wait(channel.number, "channel.close", "basic.deliver", "basic.consume-ok"))
    assert seen[-1].reply_code == code
    connection.collect(0.3)
    assert [method.name for number, method in connection.inbox if number == channel.number] == []
    channel.send("channel.close-ok")
    connection.check()


@pytest.mark.better
def test_no_delivery_follows_the_close_that_a_publish_caused(connection):
    for _ in range(3):
        channel, queue = busy_consumer(connection)
        channel.publish("", queue, b"bad", user_id="somebody-else")
        assert_silent_after_close(connection, channel, 406)


@pytest.mark.better
def test_no_delivery_follows_the_close_that_a_method_caused(connection, name):
    for _ in range(3):
        channel, _ = busy_consumer(connection)
        channel.send("queue.purge", queue=name("missing"))
        assert_silent_after_close(connection, channel, 404)
