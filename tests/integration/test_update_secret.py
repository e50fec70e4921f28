"""connection.update-secret."""
from amqp_wire import ClosedByBroker


def test_a_new_secret_is_acknowledged(connection):
    connection.method(0, "connection.update-secret", new_secret="guest", reason="renewal")
    connection.wait(0, "connection.update-secret-ok")
    connection.check()


def test_channels_go_on_meanwhile(connection):
    channel = connection.channel()
    queue = channel.queue(exclusive=True)
    channel.consume(queue, no_ack=True)
    connection.method(0, "connection.update-secret", new_secret="guest", reason="")
    channel.publish("", queue, b"x")
    connection.wait(0, "connection.update-secret-ok")
    assert channel.delivery().body == b"x"


def test_a_wrong_secret_leads_to_an_answer_and_harms_nobody(connect):
    connection = connect()
    connection.method(0, "connection.update-secret", new_secret="wrong", reason="renewal")
    try:
        connection.wait(0, "connection.update-secret-ok")
    except ClosedByBroker as closed:
        assert closed.method.reply_code == 530
    connect().check()
