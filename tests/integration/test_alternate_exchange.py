"""Alternate exchanges take what an exchange cannot route."""
import pytest


@pytest.fixture
def confirming(channel):
    channel.call("confirm.select")
    channel.tag = 0
    return channel


def outcome(channel, exchange, key, mandatory=True, **properties):
    """What a publish led to: 'routed' or the returned (exchange, key); it is acked either way."""
    channel.tag += 1
    channel.publish(exchange, key, str(channel.tag), mandatory=mandatory, **properties)
    reply = channel.wait("basic.return", "basic.ack", "basic.nack")
    result = "routed"
    if reply.name == "basic.return":
        assert (reply.reply_code, reply.reply_text) == (312, "NO_ROUTE")
        result = (reply.exchange, reply.routing_key)
        reply = channel.wait("basic.return", "basic.ack", "basic.nack")
    assert (reply.name, reply.delivery_tag) == ("basic.ack", channel.tag)
    return result


def exchange_with(channel, name, alternate, type_="direct"):
    return channel.exchange(name("x"), type_, arguments={"alternate-exchange": alternate})


def test_an_unroutable_message_goes_to_the_alternate_exchange_unchanged(confirming, name):
    alternate, queue = confirming.exchange(name("ae"), "fanout"), confirming.queue(exclusive=True)
    confirming.bind(queue, alternate)
    exchange = exchange_with(confirming, name, alternate)
    assert outcome(confirming, exchange, "nowhere", headers={"a": 1}) == "routed"
    message = confirming.get_soon(queue)
    assert (message.exchange, message.routing_key, message.properties) == (exchange, "nowhere", {"headers": {"a": 1}})


def test_a_routed_message_does_not_reach_the_alternate_exchange(confirming, name):
    alternate, spare, queue = confirming.exchange(name("ae"), "fanout"), confirming.queue(exclusive=True), \
        confirming.queue(exclusive=True)
    confirming.bind(spare, alternate)
    exchange = exchange_with(confirming, name, alternate)
    confirming.bind(queue, exchange, "k")
    assert outcome(confirming, exchange, "k") == "routed"
    assert (len(confirming.empty(queue)), len(confirming.empty(spare))) == (1, 0)


def test_an_alternate_exchange_that_matches_nothing_leads_to_a_return(confirming, name):
    exchange = exchange_with(confirming, name, confirming.exchange(name("ae")))
    assert outcome(confirming, exchange, "k") == (exchange, "k")


def test_an_alternate_exchange_that_does_not_exist_leads_to_a_return(confirming, name):
    exchange = exchange_with(confirming, name, name("missing"))
    assert outcome(confirming, exchange, "k") == (exchange, "k")
    assert outcome(confirming, exchange, "k", mandatory=False) == "routed"


def test_an_alternate_exchange_declared_later_is_used(confirming, name):
    alternate = name("ae")
    exchange, queue = exchange_with(confirming, name, alternate), confirming.queue(exclusive=True)
    confirming.exchange(alternate, "fanout")
    confirming.bind(queue, alternate)
    assert outcome(confirming, exchange, "k") == "routed"


def test_alternate_exchanges_form_chains(confirming, name):
    last, queue = confirming.exchange(name("last")), confirming.queue(exclusive=True)
    confirming.bind(queue, last, "k")
    first = exchange_with(confirming, name, exchange_with(confirming, name, last), "topic")
    assert outcome(confirming, first, "k") == "routed"
    assert [message.exchange for message in confirming.empty(queue)] == [first]
    assert outcome(confirming, first, "other") == (first, "other")


def test_a_cycle_of_alternate_exchanges_ends(confirming, name):
    first, second = name("a"), name("b")
    confirming.exchange(first, arguments={"alternate-exchange": second})
    confirming.exchange(second, arguments={"alternate-exchange": first})
    assert outcome(confirming, first, "k") == (first, "k")
    queue = confirming.queue(exclusive=True)
    confirming.bind(queue, second, "k")
    assert outcome(confirming, first, "k") == "routed"
    assert len(confirming.empty(queue)) == 1


def test_an_exchange_may_be_its_own_alternate(confirming, name):
    exchange = name("x")
    confirming.exchange(exchange, arguments={"alternate-exchange": exchange})
    assert outcome(confirming, exchange, "k") == (exchange, "k")


def test_an_internal_alternate_exchange_works(confirming, name):
    alternate, queue = confirming.exchange(name("ae"), "fanout", internal=True), confirming.queue(exclusive=True)
    confirming.bind(queue, alternate)
    assert outcome(confirming, exchange_with(confirming, name, alternate), "k") == "routed"


def test_the_default_exchange_as_alternate_does_not_route(confirming, name):
    queue = confirming.queue(exclusive=True)
    exchange = exchange_with(confirming, name, "")
    assert outcome(confirming, exchange, queue) == (exchange, queue)


def test_a_match_that_leads_to_an_exchange_without_bindings_is_no_case_for_the_alternate(confirming, name):
    alternate, queue = confirming.exchange(name("ae"), "fanout"), confirming.queue(exclusive=True)
    confirming.bind(queue, alternate)
    exchange = exchange_with(confirming, name, alternate)
    confirming.bind_exchange(confirming.exchange(name("empty"), "fanout"), exchange, "k")
    assert outcome(confirming, exchange, "k") == (exchange, "k")
    assert outcome(confirming, exchange, "other") == "routed"


def test_the_alternate_of_a_bound_exchange_is_used(confirming, name):
    alternate, queue = confirming.exchange(name("ae"), "fanout"), confirming.queue(exclusive=True)
    confirming.bind(queue, alternate)
    source = confirming.exchange(name("s"), "fanout")
    confirming.bind_exchange(exchange_with(confirming, name, alternate), source)
    assert outcome(confirming, source, "nowhere") == "routed"
    assert len(confirming.empty(queue)) == 1


def test_the_alternate_exchange_takes_its_turn_for_every_type(confirming, name):
    alternate, queue = confirming.exchange(name("ae"), "fanout"), confirming.queue(exclusive=True)
    confirming.bind(queue, alternate)
    for type_ in ("direct", "fanout", "topic", "headers"):
        assert outcome(confirming, exchange_with(confirming, name, alternate, type_), "k") == "routed"
    assert len(confirming.empty(queue)) == 4
