"""Transactions: publishes and settlements take effect at commit."""
import pytest

NOT_TRANSACTIONAL = "PRECONDITION_FAILED - channel is not transactional"


@pytest.fixture
def transactional(channel):
    channel.call("tx.select")
    return channel


@pytest.mark.parametrize("method", ["tx.commit", "tx.rollback"])
def test_commit_and_rollback_need_select(channel, method):
    channel.refused(method, 406, NOT_TRANSACTIONAL)


@pytest.mark.parametrize("method", ["tx.commit", "tx.rollback"])
def test_commit_and_rollback_do_not_exist_in_confirm_mode(channel, method):
    channel.call("confirm.select")
    channel.refused(method, 406, NOT_TRANSACTIONAL)


def test_select_may_be_repeated(transactional):
    transactional.call("tx.select")


def test_publishes_appear_at_commit_in_order(transactional, connection):
    queue = transactional.queue(exclusive=True)
    for body in "abc":
        transactional.publish("", queue, body)
    transactional.sync()
    assert connection.channel().ready(queue) == 0
    transactional.call("tx.commit")
    other = connection.channel()
    other.await_ready(queue, 3)
    assert other.bodies(queue) == ["a", "b", "c"]


def test_rollback_forgets_publishes(transactional, connection):
    queue = transactional.queue(exclusive=True)
    transactional.publish("", queue, b"no")
    transactional.call("tx.rollback")
    transactional.publish("", queue, b"yes")
    transactional.call("tx.commit")
    assert connection.channel().bodies(queue) == ["yes"]


def test_closing_the_channel_forgets_publishes(connection, name):
    channel = connection.channel()
    queue = channel.queue(name("q"))
    channel.call("tx.select")
    channel.publish("", queue, b"no")
    channel.close()
    assert connection.channel().ready(queue) == 0


def test_acks_take_effect_at_commit(transactional, connection, name):
    queue, plain = transactional.queue(name("q")), connection.channel()
    for body in "ab":
        plain.publish("", queue, body)
    plain.await_ready(queue, 2)
    transactional.ack(transactional.get(queue, no_ack=False).delivery_tag)
    transactional.call("tx.commit")
    transactional.ack(transactional.get(queue, no_ack=False).delivery_tag)
    transactional.close()
    plain.await_ready(queue, 1)
    assert plain.bodies(queue) == ["b"]


def test_rollback_gives_acked_messages_back_to_the_channel_without_redelivery(transactional, connection, name):
    queue, plain = transactional.queue(name("q")), connection.channel()
    plain.publish("", queue, b"a")
    plain.await_ready(queue, 1)
    tag = transactional.get(queue, no_ack=False).delivery_tag
    transactional.ack(tag)
    transactional.call("tx.rollback")
    assert plain.ready(queue) == 0
    transactional.ack(tag)
    transactional.call("tx.commit")
    transactional.close()
    assert plain.ready(queue) == 0


def test_nacks_requeue_at_commit(transactional, connection, name):
    queue, plain = transactional.queue(name("q")), connection.channel()
    plain.publish("", queue, b"a")
    plain.await_ready(queue, 1)
    transactional.nack(transactional.get(queue, no_ack=False).delivery_tag)
    transactional.sync()
    assert plain.ready(queue) == 0
    transactional.call("tx.commit")
    plain.await_ready(queue, 1)


def test_an_unknown_tag_is_refused_at_once(transactional):
    transactional.refused("basic.ack", 406, "PRECONDITION_FAILED - unknown delivery tag 9", delivery_tag=9)


def test_settling_all_of_nothing_is_no_error(transactional):
    transactional.ack(0, multiple=True)
    transactional.nack(0, multiple=True)
    transactional.call("tx.commit")


def test_settling_all_settles_all_at_commit(transactional, connection, name):
    queue, plain = transactional.queue(name("q")), connection.channel()
    for body in "abc":
        plain.publish("", queue, body)
    plain.await_ready(queue, 3)
    for _ in range(3):
        transactional.get(queue, no_ack=False)
    transactional.ack(0, multiple=True)
    transactional.call("tx.commit")
    transactional.close()
    assert plain.ready(queue) == 0


def test_a_missing_exchange_is_told_at_publish(transactional, name):
    exchange = name("missing")
    transactional.publish(exchange, "k", b"x")
    transactional.closed_with(404, f"NOT_FOUND - no exchange '{exchange}' in vhost '/'", "basic.publish")


def test_returns_come_before_commit_ok(transactional):
    transactional.publish("", "no-such-queue-here", b"x", mandatory=True)
    transactional.send("tx.commit")
    assert [transactional.next().name for _ in range(2)] == ["basic.return", "tx.commit-ok"]


def test_routing_is_decided_at_publish(transactional, connection, name):
    exchange, queue = transactional.exchange(name("x")), transactional.queue(exclusive=True)
    transactional.publish(exchange, "k", b"before the binding")
    transactional.bind(queue, exchange, "k")
    transactional.publish(exchange, "k", b"after")
    transactional.call("tx.commit")
    assert connection.channel().bodies(queue) == ["after"]


def test_an_empty_commit_and_rollback_are_answered(transactional):
    transactional.call("tx.commit")
    transactional.call("tx.rollback")
    transactional.call("tx.commit")


def test_persistent_publishes_are_committed(transactional, connection, name):
    queue = transactional.queue(name("q"), durable=True)
    for _ in range(100):
        transactional.publish("", queue, b"x" * 100, delivery_mode=2)
    transactional.call("tx.commit")
    assert connection.channel().ready(queue) == 100
