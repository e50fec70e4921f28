"""Declaring and deleting exchanges, and when they go by themselves."""
import pytest


@pytest.mark.parametrize("exchange,type_", [
    ("amq.direct", "direct"), ("amq.fanout", "fanout"), ("amq.topic", "topic"), ("amq.headers", "headers"),
    ("amq.match", "headers"),
])
def test_predeclared_exchanges_exist_and_can_be_redeclared(channel, exchange, type_):
    channel.exchange(exchange, type_, passive=True)
    channel.exchange(exchange, type_, durable=True)


def test_the_trace_exchange_is_an_internal_topic_exchange(channel):
    channel.exchange("amq.rabbitmq.trace", "topic", durable=True, internal=True)


def test_an_exchange_lives_until_it_is_deleted(connect, name):
    exchange = name("x")
    first = connect()
    first.channel().exchange(exchange)
    first.close()
    channel = connect().channel()
    assert channel.exists("exchange", exchange)
    channel.call("exchange.delete", exchange=exchange)
    assert not channel.exists("exchange", exchange)


def test_deleting_a_missing_exchange_succeeds(channel, name):
    exchange = name("x")
    channel.call("exchange.delete", exchange=exchange)
    channel.call("exchange.delete", exchange=exchange, if_unused=True)


def test_a_passive_declare_ignores_type_and_flags(channel, name):
    exchange = channel.exchange(name("x"), "fanout")
    channel.exchange(exchange, "topic", passive=True, durable=True)


def test_if_unused_counts_only_bindings_with_the_exchange_as_source(channel, name):
    source, destination = channel.exchange(name("s")), channel.exchange(name("d"))
    channel.bind_exchange(destination, source, "k")
    channel.call("exchange.delete", exchange=destination, if_unused=True)
    assert not channel.exists("exchange", destination)


def test_if_unused_deletes_an_exchange_whose_bindings_are_gone(channel, name):
    exchange, queue = channel.exchange(name("x")), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "k")
    channel.unbind(queue, exchange, "k")
    channel.call("exchange.delete", exchange=exchange, if_unused=True)


def test_deleting_an_exchange_removes_its_bindings(channel, name):
    exchange, queue = channel.exchange(name("x"), "fanout"), channel.queue(exclusive=True)
    channel.bind(queue, exchange)
    channel.call("exchange.delete", exchange=exchange)
    channel.exchange(exchange, "fanout")
    channel.publish(exchange, "", b"x")
    channel.sync()
    assert channel.get(queue) is None


def test_an_auto_delete_exchange_goes_with_its_last_binding(channel, name):
    exchange, queue = channel.exchange(name("x"), auto_delete=True), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "a")
    channel.bind(queue, exchange, "b")
    channel.unbind(queue, exchange, "a")
    assert channel.exists("exchange", exchange)
    channel.unbind(queue, exchange, "b")
    assert not channel.exists("exchange", exchange)


def test_an_auto_delete_exchange_never_bound_stays(channel, name):
    exchange = channel.exchange(name("x"), auto_delete=True)
    channel.unbind(channel.queue(exclusive=True), exchange, "a")
    assert channel.exists("exchange", exchange)


def test_an_auto_delete_exchange_that_is_only_a_destination_stays(channel, name):
    source, destination = channel.exchange(name("s")), channel.exchange(name("d"), auto_delete=True)
    channel.bind_exchange(destination, source, "k")
    channel.call("exchange.unbind", source=source, destination=destination, routing_key="k")
    assert channel.exists("exchange", destination)


def test_a_chain_of_auto_delete_exchanges_goes_with_its_queue(channel, name):
    first, second, third = (channel.exchange(name(n), "fanout", auto_delete=True) for n in "abc")
    channel.bind_exchange(second, first)
    channel.bind_exchange(third, second)
    queue = channel.queue(name("q"))
    channel.bind(queue, third)
    channel.call("queue.delete", queue=queue)
    assert [channel.exists("exchange", exchange) for exchange in (first, second, third)] == [False] * 3


def test_an_auto_delete_exchange_goes_with_the_auto_delete_queue_bound_to_it(channel, name):
    exchange, queue = channel.exchange(name("x"), auto_delete=True), channel.queue(name("q"), auto_delete=True)
    channel.bind(queue, exchange, "k")
    channel.cancel(channel.consume(queue))
    assert not channel.exists("queue", queue)
    assert not channel.exists("exchange", exchange)


def test_an_auto_delete_exchange_goes_when_its_bound_exchange_is_deleted(channel, name):
    source, destination = channel.exchange(name("s"), auto_delete=True), channel.exchange(name("d"))
    channel.bind_exchange(destination, source, "k")
    channel.call("exchange.delete", exchange=destination)
    assert not channel.exists("exchange", source)


def test_an_auto_delete_exchange_goes_with_the_connection_of_an_exclusive_queue(connect, name):
    owner, observer = connect(), connect().channel()
    channel = owner.channel()
    exchange = channel.exchange(name("x"), auto_delete=True)
    channel.bind(channel.queue(exclusive=True), exchange, "k")
    owner.close()
    assert not observer.exists("exchange", exchange)


def test_an_internal_exchange_passes_on_what_other_exchanges_send(channel, name):
    outer, inner = channel.exchange(name("o"), "fanout"), channel.exchange(name("i"), "fanout", internal=True)
    queue = channel.queue(exclusive=True)
    channel.bind_exchange(inner, outer)
    channel.bind(queue, inner)
    channel.publish(outer, "", b"x")
    assert channel.get_soon(queue).exchange == outer


def test_cr_and_lf_are_stripped_from_exchange_names(channel, name):
    exchange = name("x")
    channel.exchange(exchange[:5] + "\r\n" + exchange[5:] + "\n")
    assert channel.exists("exchange", exchange)


@pytest.mark.parametrize("text", ["x" * 255, "\u20ac" * 85, "a/b?c#d*e.f:'\"%", "\u00e5 \u4f60\u597d \U0001f407"],
                         ids=["255 octets", "255 octets of euro signs", "punctuation", "mixed"])
def test_any_utf_8_name_of_up_to_255_octets_works(channel, name, text):
    name.also(text)
    exchange, queue = channel.exchange(text, "fanout"), channel.queue(text)
    assert queue == text
    channel.bind(queue, exchange, text)
    channel.publish(exchange, text, b"x")
    message = channel.get_soon(queue)
    assert (message.exchange, message.routing_key) == (text, text)


def test_255_octet_keys_pass_through_bound_exchanges(channel, name):
    first, second = channel.exchange(name("a")), channel.exchange(name("b"), "topic")
    queue, key = channel.queue(exclusive=True), ".".join(["w" * 31] * 8)
    assert len(key) == 255
    channel.bind(queue, second, "#." + "w" * 31)
    channel.bind_exchange(second, first, key)
    channel.publish(first, key, b"x")
    assert channel.get_soon(queue).routing_key == key
