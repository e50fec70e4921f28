"""The headers CC and BCC add routing keys."""
import pytest
from amqp_codec import Typed


def test_cc_and_bcc_add_routing_keys(channel):
    to, copy, blind, other = (channel.queue(exclusive=True) for _ in range(4))
    channel.publish("", to, b"x", headers={"CC": [copy], "BCC": [blind]})
    for queue in (to, copy, blind):
        message = channel.get_soon(queue)
        assert message.routing_key == to, "every copy carries the key of the publish"
        assert message.properties["headers"] == {"CC": [copy]}, "BCC is hidden, CC is kept"
    assert channel.get(other) is None


def test_a_queue_named_several_times_gets_one_copy(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"x", headers={"CC": [queue, queue], "BCC": [queue]})
    channel.sync()
    assert channel.bodies(queue) == ["x"]


def test_bcc_alone_leaves_an_empty_header_table(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", "no-such-queue-here", b"x", headers={"BCC": [queue]})
    assert channel.get_soon(queue).properties == {"headers": {}}


@pytest.mark.parametrize("header", ["CC", "BCC"])
def test_a_mandatory_message_is_routed_by_any_of_its_keys(channel, header):
    queue = channel.queue(exclusive=True)
    channel.publish("", "no-such-queue-here", b"x", mandatory=True, headers={header: ["neither-this", queue]})
    assert channel.get_soon(queue)
    assert channel.drain("basic.return") == []


def test_a_returned_message_still_has_cc(channel):
    channel.publish("", "no-such-queue-here", b"x", mandatory=True, headers={"CC": ["nor-this"]})
    assert channel.wait("basic.return").properties["headers"] == {"CC": ["nor-this"]}


@pytest.mark.parametrize("type_,key", [("direct", "k2"), ("topic", "k.2")])
def test_extra_keys_work_for_other_exchanges(channel, name, type_, key):
    exchange, queue = channel.exchange(name("x"), type_), channel.queue(exclusive=True)
    channel.bind(queue, exchange, key)
    channel.publish(exchange, "first", b"x", headers={"CC": [key]})
    assert channel.get_soon(queue).routing_key == "first"


@pytest.mark.parametrize("header", ["CC", "BCC"])
@pytest.mark.parametrize("value,type_", [("text", "longstr"), (5, "signedint"), ({"a": 1}, "table"), (True, "bool")])
def test_a_value_that_is_no_array_is_refused(channel, header, value, type_):
    channel.publish("", "nowhere", b"x", headers={header: value})
    channel.closed_with(406, f'PRECONDITION_FAILED - invalid message: {{unacceptable_type_in_header,"{header}",'
                        f"{type_}}}", "basic.publish")


def test_elements_that_are_no_strings_are_ignored(channel):
    queue = channel.queue(exclusive=True)
    channel.publish("", "no-such-queue-here", b"x", headers={"CC": [1, queue, None, Typed("t", b"\x01")]})
    assert channel.get_soon(queue).body == b"x"
