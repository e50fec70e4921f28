"""Bindings between exchanges."""


def test_a_message_follows_bindings_between_exchanges(channel, name):
    source, destination = channel.exchange(name("s"), "topic"), channel.exchange(name("d"))
    queue = channel.queue(exclusive=True)
    channel.bind_exchange(destination, source, "a.*")
    channel.bind(queue, destination, "a.b")
    for key in ("a.b", "a.c", "b.b"):
        channel.publish(source, key, key)
    channel.sync()
    assert [(m.exchange, m.routing_key) for m in channel.empty(queue)] == [(source, "a.b")]


def test_a_queue_reached_by_many_paths_gets_one_copy(channel, name):
    source = channel.exchange(name("s"), "fanout")
    queue = channel.queue(exclusive=True)
    channel.bind(queue, source)
    for letter in "abc":
        middle = channel.exchange(name(letter), "fanout")
        channel.bind_exchange(middle, source)
        channel.bind(queue, middle)
    channel.publish(source, "", b"x")
    channel.sync()
    assert channel.bodies(queue) == ["x"]


def test_cycles_are_harmless(channel, name):
    ring = [channel.exchange(name(letter), "fanout") for letter in "abc"]
    queues = [channel.queue(exclusive=True) for _ in ring]
    for place, exchange in enumerate(ring):
        channel.bind_exchange(ring[(place + 1) % 3], exchange)
        channel.bind(queues[place], exchange)
    channel.bind_exchange(ring[0], ring[0])
    channel.publish(ring[1], "", b"x")
    channel.sync()
    assert [len(channel.empty(queue)) for queue in queues] == [1, 1, 1]


def test_unbinding_exchanges_stops_the_flow(channel, name):
    source, destination = channel.exchange(name("s")), channel.exchange(name("d"), "fanout")
    queue = channel.queue(exclusive=True)
    channel.bind(queue, destination)
    channel.bind_exchange(destination, source, "k")
    channel.bind_exchange(destination, source, "k")
    channel.call("exchange.unbind", destination=destination, source=source, routing_key="other")
    channel.publish(source, "k", b"1")
    channel.sync()
    assert channel.bodies(queue) == ["1"]
    channel.call("exchange.unbind", destination=destination, source=source, routing_key="k")
    channel.publish(source, "k", b"2")
    channel.sync()
    assert channel.bodies(queue) == []


def test_unbinding_missing_exchanges_succeeds(channel, name):
    channel.call("exchange.unbind", destination=name("a"), source=name("b"), routing_key="k")
    channel.call("exchange.unbind", destination="amq.direct", source="amq.fanout", routing_key="never bound")


def test_headers_bindings_between_exchanges_compare_arguments(channel, name):
    source, destination = channel.exchange(name("s"), "headers"), channel.exchange(name("d"), "fanout")
    queue = channel.queue(exclusive=True)
    channel.bind(queue, destination)
    channel.bind_exchange(destination, source, "", {"x-match": "any", "colour": "red"})
    channel.publish(source, "", b"red", headers={"colour": "red"})
    channel.publish(source, "", b"blue", headers={"colour": "blue"})
    channel.sync()
    assert channel.bodies(queue) == ["red"]


def test_deleting_an_exchange_removes_its_bindings_on_both_sides(channel, name):
    source, middle, last = (channel.exchange(name(letter), "fanout") for letter in "sml")
    queue = channel.queue(exclusive=True)
    channel.bind_exchange(middle, source)
    channel.bind_exchange(last, middle)
    channel.bind(queue, last)
    channel.call("exchange.delete", exchange=middle)
    channel.exchange(middle, "fanout")
    channel.publish(source, "", b"x")
    channel.publish(middle, "", b"y")
    channel.sync()
    assert channel.bodies(queue) == []


def test_predeclared_exchanges_can_be_bound_and_unbound(channel, name):
    key, queue, exchange = name("key"), channel.queue(exclusive=True), channel.exchange(name("x"), "fanout")
    channel.bind(queue, exchange)
    channel.bind_exchange(exchange, "amq.direct", key)
    channel.publish("amq.direct", key, b"x")
    assert channel.get_soon(queue).body == b"x"
    channel.call("exchange.unbind", destination=exchange, source="amq.direct", routing_key=key)
