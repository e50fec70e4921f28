"""Topic routing: words are what stands between dots, and may be empty."""
import pytest

# Pattern: keys that match, keys that do not.
PATTERNS = {
    "#": (["", "a", "a.b.c", ".", ".."], []),
    "#.#": (["", "a", "a.b", "a.b.c"], []),
    "*": (["a", "*", "#"], ["", "a.b", "."]),
    "*.*": (["a.b", ".", "a.", ".b"], ["a", "a.b.c", ""]),
    "*.#": (["a", "a.b", "a.b.c"], [""]),
    "#.*": (["a", "a.b", "a.b.c"], [""]),
    "*.#.*": (["a.b", "a.b.c", "a.b.c.d"], ["", "a"]),
    "a.*": (["a.b", "a."], ["a", "", "a.b.c", "b.a", "ab"]),
    "*.a": (["b.a", ".a"], ["a", "a.b"]),
    "a.#": (["a", "a.", "a.b", "a.b.c"], ["", "b", "ab", "b.a"]),
    "#.a": (["a", "b.a", "c.b.a", ".a"], ["a.b", "ba"]),
    "#.#.a": (["a", "b.a"], ["a.b"]),
    "a.#.b": (["a.b", "a..b", "a.x.b", "a.x.y.b", "a.b.b"], ["a", "ab", "a.b.c"]),
    "a.*.c.#": (["a.b.c", "a.b.c.d", "a.b.c.d.e"], ["a.c", "a.b.d.c"]),
    "#.b.#": (["b", "a.b", "b.c", "a.b.c", "x.y.b.z"], ["", "a", "a.c", "ab"]),
    "#.a.#.a.#": (["a.a", "a.x.a", "x.a.a.y"], ["a", "a.b"]),
    "a.b": (["a.b"], ["a", "a.*", "a.#", "A.B", "a.b.", ".a.b", "a..b"]),
    "a..b": (["a..b"], ["a.b", "a.x.b"]),
    ".": (["."], ["", "a", ".."]),
    "": ([""], ["a", "."]),
    "a*.b": (["a*.b"], ["ax.b", "a.b"]),
    "a#": (["a#"], ["a", "ab", "a.b"]),
    "\u00e9.*": (["\u00e9.x"], ["e.x"]),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_the_right_keys_only(channel, name, pattern):
    matching, other = PATTERNS[pattern]
    exchange, queue = channel.exchange(name("x"), "topic"), channel.queue(exclusive=True)
    channel.bind(queue, exchange, pattern)
    for key in matching + other:
        channel.publish(exchange, key, b"x")
    channel.sync()
    assert [message.routing_key for message in channel.empty(queue)] == matching


def test_overlapping_patterns_give_one_copy_until_the_last_is_unbound(channel, name):
    exchange, queue = channel.exchange(name("x"), "topic"), channel.queue(exclusive=True)
    patterns = ["#", "a.#", "*.b", "a.b", "#.b", "a.*", "#.a.b", "a.b.#"]
    for pattern in patterns:
        channel.bind(queue, exchange, pattern)
    while patterns:
        channel.publish(exchange, "a.b", patterns[0])
        channel.sync()
        assert channel.bodies(queue) == [patterns[0]]
        channel.unbind(queue, exchange, patterns.pop(0))
    channel.publish(exchange, "a.b", b"gone")
    channel.sync()
    assert channel.bodies(queue) == []


def test_unbinding_a_pattern_keeps_its_longer_and_shorter_relatives(channel, name):
    exchange, queue = channel.exchange(name("x"), "topic"), channel.queue(exclusive=True)
    for pattern in ("a", "a.b", "a.b.c"):
        channel.bind(queue, exchange, pattern)
    channel.unbind(queue, exchange, "a.b")
    for key in ("a", "a.b", "a.b.c"):
        channel.publish(exchange, key, key)
    channel.sync()
    assert channel.bodies(queue) == ["a", "a.b.c"]


def test_the_same_pattern_routes_to_every_queue_bound_with_it(channel, name):
    exchange = channel.exchange(name("x"), "topic")
    queues = [channel.queue(exclusive=True) for _ in range(5)]
    for queue in queues:
        channel.bind(queue, exchange, "log.*.#")
    channel.unbind(queues[2], exchange, "log.*.#")
    channel.publish(exchange, "log.error.disk", b"x")
    channel.sync()
    assert [len(channel.empty(queue)) for queue in queues] == [1, 1, 0, 1, 1]


@pytest.mark.better
def test_a_key_of_many_words_is_matched_in_reasonable_time(channel, name):
    exchange, queue = channel.exchange(name("x"), "topic"), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "#.a.#.a.#.a.#.a.#.b")
    channel.publish(exchange, ".".join(["a"] * 120), b"no")
    channel.publish(exchange, ".".join(["a"] * 20 + ["b"]), b"yes")
    channel.sync()
    assert channel.bodies(queue) == ["yes"]
