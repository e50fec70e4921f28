"""Headers exchanges: x-match, value comparison and the special meaning of x- keys."""
import pytest
from amqp_codec import Typed

# Binding arguments: header tables that match, header tables that do not (None: no headers at all).
CASES = [
    ({"x-match": "all", "a": 1, "b": "x"}, [{"a": 1, "b": "x"}, {"a": 1, "b": "x", "c": 3}],
     [{"a": 1}, {"b": "x"}, {"a": 2, "b": "x"}, {}, None]),
    ({"a": 1, "b": 2}, [{"a": 1, "b": 2}], [{"a": 1}, {"b": 2}, None]),
    ({"x-match": "any", "a": 1, "b": 2}, [{"a": 1}, {"b": 2}, {"a": 1, "b": 3}], [{"a": 2, "b": 1}, {"c": 1}, None]),
    ({"x-match": "all"}, [{}, {"a": 1}, None], []),
    ({}, [{}, {"a": 1}, None], []),
    ({"x-match": "any"}, [], [{}, {"a": 1}, None]),
    ({"x-match": "all", "x-key": 1, "a": 1}, [{"a": 1}, {"a": 1, "x-key": 2}], [{"x-key": 1}]),
    ({"x-match": "any", "x-key": 1, "a": 1}, [{"a": 1}], [{"x-key": 1}]),
    ({"x-match": "all-with-x", "x-key": 1, "a": 1}, [{"a": 1, "x-key": 1}], [{"a": 1}, {"a": 1, "x-key": 2}]),
    ({"x-match": "any-with-x", "x-key": 1, "a": 1}, [{"x-key": 1}, {"a": 1}], [{"x-key": 2}, {}]),
    ({"a": None}, [{"a": 1}, {"a": "x"}, {"a": None}], [{"b": 1}, {}]),
    ({"x-match": "any", "a": None, "b": 1}, [{"a": 5}, {"b": 1}], [{"b": 2}]),
    ({"a": 1}, [{"a": 1}, {"a": Typed("l", b"\x00" * 7 + b"\x01")}, {"a": Typed("b", b"\x01")}],
     [{"a": "1"}, {"a": True}, {"a": None}]),
    ({"a": "text"}, [{"a": "text"}], [{"a": "Text"}, {"a": "text "}, {"a": 0}]),
    ({"a": True}, [{"a": True}], [{"a": False}, {"a": 1}]),
    ({"a": [1, "b"]}, [{"a": [1, "b"]}], [{"a": ["b", 1]}, {"a": 1}]),
    ({"a": {"k": "v"}}, [{"a": {"k": "v"}}], [{"a": {"k": "w"}}, {"a": {}}]),
]


@pytest.mark.parametrize("arguments,matching,other", CASES)
def test_binding_arguments_match_the_right_headers_only(channel, name, arguments, matching, other):
    exchange, queue = channel.exchange(name("x"), "headers"), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "the key is ignored", arguments)
    for number, headers in enumerate(matching + other):
        channel.publish(exchange, "", str(number), headers=headers)
    channel.sync()
    assert channel.bodies(queue) == [str(number) for number in range(len(matching))]


@pytest.mark.parametrize("value,shown", [("foo", '<<"foo">>'), ("ALL", '<<"ALL">>'), ("", '<<>>')])
def test_an_unknown_x_match_is_refused_at_bind(channel, value, shown):
    queue = channel.queue(exclusive=True)
    channel.refused("queue.bind", 406, f"PRECONDITION_FAILED - Invalid x-match field value {shown}; expected all, "
                    "any, all-with-x, or any-with-x", queue=queue, exchange="amq.headers",
                    arguments={"x-match": value})


def test_an_x_match_of_another_type_is_refused_at_bind(channel):
    queue = channel.queue(exclusive=True)
    channel.refused("queue.bind", 406, "PRECONDITION_FAILED - Invalid x-match field type signedint (value 1); "
                    "expected longstr", queue=queue, exchange="amq.headers", arguments={"x-match": 1})


def test_amq_match_and_amq_headers_are_headers_exchanges(channel, name):
    for exchange in ("amq.match", "amq.headers"):
        queue, key = channel.queue(exclusive=True), name("k")
        channel.bind(queue, exchange, "", {"k": key})
        channel.publish(exchange, "", b"x", headers={"k": key})
        assert channel.get_soon(queue)


def test_several_matching_bindings_give_one_copy(channel, name):
    exchange, queue = channel.exchange(name("x"), "headers"), channel.queue(exclusive=True)
    for arguments in ({"a": 1}, {"b": 2}, {"x-match": "any", "a": 1, "b": 2}):
        channel.bind(queue, exchange, "", arguments)
    channel.publish(exchange, "", b"x", headers={"a": 1, "b": 2})
    channel.sync()
    assert channel.bodies(queue) == ["x"]
