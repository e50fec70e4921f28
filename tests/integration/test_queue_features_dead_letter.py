"""Dead lettering: where messages go, and what their headers tell."""
import time

import pytest

DLX, DLK, TTL = "x-dead-letter-exchange", "x-dead-letter-routing-key", "x-message-ttl"


@pytest.fixture
def dead(channel):
    return channel.queue(exclusive=True)


def rejecting(channel, dead, **extra):
    return channel.queue(exclusive=True, arguments={DLX: "", DLK: dead} | extra)


def reject_next(channel, queue):
    channel.reject(channel.get_soon(queue, no_ack=False).delivery_tag, requeue=False)


def deaths(message):
    return message.properties["headers"]["x-death"]


def test_a_rejected_message_tells_its_story(channel, name):
    exchange, dlx = channel.exchange(name("x"), "topic"), channel.exchange(name("dlx"), "fanout")
    queue, dead = channel.queue(exclusive=True, arguments={DLX: dlx}), channel.queue(exclusive=True)
    channel.bind(queue, exchange, "a.#")
    channel.bind(dead, dlx)
    before = int(time.time())
    channel.publish(exchange, "a.b", b"x", headers={"own": 1}, message_id="m")
    reject_next(channel, queue)
    message = channel.get_soon(dead)
    assert (message.exchange, message.routing_key, message.body, message.redelivered) == (dlx, "a.b", b"x", False)
    headers = message.properties.pop("headers")
    assert message.properties == {"message_id": "m"}
    [death] = headers.pop("x-death")
    assert headers == {"own": 1, "x-first-death-exchange": exchange, "x-first-death-queue": queue,
                       "x-first-death-reason": "rejected"}
    assert before <= death.pop("time") <= time.time() + 1
    assert death == {"count": 1, "reason": "rejected", "queue": queue, "exchange": exchange, "routing-keys": ["a.b"]}


def test_the_death_table_has_the_types_of_the_protocol(channel, dead):
    queue = rejecting(channel, dead)
    channel.publish("", queue, b"x")
    reject_next(channel, queue)
    raw = channel.get_soon(dead).header_bytes
    for field in (b"\x05countl" + bytes(7) + b"\x01", b"\x06reasonS\x00\x00\x00\x08rejected", b"\x04timeT",
                  b"\x07x-deathA", b"\x0crouting-keysA"):
        assert field in raw


@pytest.mark.parametrize("method", ["reject", "nack"])
def test_only_messages_not_requeued_are_dead_lettered(channel, dead, method):
    queue = rejecting(channel, dead)
    channel.publish("", queue, b"x")
    tag = channel.get_soon(queue, no_ack=False).delivery_tag
    getattr(channel, method)(tag, requeue=True)
    tag = channel.get_soon(queue, no_ack=False).delivery_tag
    assert channel.ready(dead) == 0
    getattr(channel, method)(tag, requeue=False)
    assert channel.get_soon(dead)


def test_purge_and_delete_do_not_dead_letter(channel, dead):
    queue = rejecting(channel, dead)
    for _ in range(2):
        channel.publish("", queue, b"x")
        channel.await_ready(queue, 1)
        channel.call("queue.purge", queue=queue)
    channel.publish("", queue, b"x")
    channel.await_ready(queue, 1)
    channel.call("queue.delete", queue=queue)
    assert channel.ready(dead) == 0


def test_a_missing_dead_letter_exchange_drops_the_message(channel, name):
    queue = channel.queue(exclusive=True, arguments={DLX: name("missing")})
    channel.publish("", queue, b"x")
    reject_next(channel, queue)
    channel.sync()
    assert channel.ready(queue) == 0


def test_without_a_key_the_original_keys_are_used(channel, name):
    dlx, dead, copies = channel.exchange(name("dlx")), channel.queue(exclusive=True), channel.queue(exclusive=True)
    queue = channel.queue(exclusive=True, arguments={DLX: dlx})
    channel.bind(dead, dlx, queue)
    channel.bind(copies, dlx, "copy")
    channel.publish("", queue, b"x", headers={"CC": ["copy"], "BCC": ["blind"]})
    reject_next(channel, queue)
    for target in (dead, copies):
        message = channel.get_soon(target)
        assert message.routing_key == queue
        assert message.properties["headers"]["CC"] == ["copy"]
        assert deaths(message)[0]["routing-keys"] == [queue, "copy"]


def test_with_a_key_cc_is_removed_and_not_used(channel, dead):
    queue, copies = rejecting(channel, dead), channel.queue(exclusive=True)
    channel.publish("", queue, b"x", headers={"CC": [copies]})
    assert channel.get_soon(copies)
    reject_next(channel, queue)
    message = channel.get_soon(dead)
    assert message.routing_key == dead
    assert "CC" not in message.properties["headers"]
    assert deaths(message)[0]["routing-keys"] == [queue, copies]
    assert channel.ready(copies) == 0


def test_counts_grow_when_a_message_goes_round(channel, name):
    work, delay = name("work"), name("delay")
    channel.queue(work, arguments={DLX: "", DLK: delay})
    channel.queue(delay, arguments={DLX: "", DLK: work, TTL: 30})
    channel.publish("", work, b"x", headers={"own": "kept"})
    for count in range(1, 5):
        reject_next(channel, work)
        message = channel.get_soon(work, no_ack=False)
        headers = message.properties["headers"]
        assert [(d["queue"], d["reason"], d["count"]) for d in headers["x-death"]] == \
            [(delay, "expired", count), (work, "rejected", count)], "the newest entry is first"
        assert {key: value for key, value in headers.items() if key != "x-death"} == {
            "own": "kept", "x-first-death-exchange": "", "x-first-death-queue": work,
            "x-first-death-reason": "rejected"}
        channel.nack(message.delivery_tag)
        channel.await_ready(work, 1)


def test_the_time_of_an_entry_is_that_of_its_first_death(channel, name):
    work = name("work")
    channel.queue(work, arguments={DLX: "", DLK: work})
    channel.publish("", work, b"x")
    reject_next(channel, work)
    first = deaths(channel.get_soon(work, no_ack=False))[0]["time"]
    channel.call("basic.recover", requeue=True)
    time.sleep(1.1)
    reject_next(channel, work)
    assert deaths(channel.get_soon(work)) == [{"count": 2, "reason": "rejected", "queue": work, "time": first,
                                               "exchange": "", "routing-keys": [work]}]


def test_a_republished_history_is_continued(channel, dead):
    queue, headers = rejecting(channel, dead), None
    for count in range(1, 4):
        channel.publish("", queue, b"x", headers=headers)
        reject_next(channel, queue)
        message = channel.get_soon(dead)
        headers = message.header_bytes
        assert [death["count"] for death in deaths(message)] == [count]


@pytest.mark.parametrize("history", ["text", 5, {"a": 1}, [{"queue": 5}], [{}],
                                     pytest.param(["no table"], marks=pytest.mark.better)])
def test_a_history_of_the_wrong_shape_does_no_harm(channel, dead, history):
    queue = rejecting(channel, dead)
    channel.publish("", queue, b"x", headers={"x-death": history})
    reject_next(channel, queue)
    death = deaths(channel.get_soon(dead))[0]
    assert (death["queue"], death["reason"], death["count"]) == (queue, "rejected", 1)


def test_a_delay_queue_works_again_for_the_same_message(channel, name):
    target, headers = channel.queue(exclusive=True), None
    delay = name("delay")
    for _ in range(3):
        channel.queue(delay, arguments={TTL: 80, "x-expires": 5000, DLX: "", DLK: target})
        channel.publish("", delay, b"x", headers=headers)
        message = channel.get_soon(target, timeout=2)
        headers = {"x-death": message.properties["headers"]["x-death"]}


def test_a_dead_lettered_message_leaves_its_expiration_behind(channel):
    last = channel.queue(exclusive=True)
    middle = channel.queue(exclusive=True, arguments={TTL: 500, DLX: "", DLK: last})
    first = channel.queue(exclusive=True, arguments={DLX: "", DLK: middle})
    channel.publish("", first, b"x", expiration="100")
    channel.await_ready(middle, 1)
    begin = time.monotonic()
    message = channel.get_soon(last)
    assert 0.35 < time.monotonic() - begin < 1.2, "the next queue starts its own clock"
    assert "expiration" not in message.properties
    newest, oldest = deaths(message)
    assert (oldest["queue"], oldest["reason"], oldest["original-expiration"]) == (first, "expired", "100")
    assert "original-expiration" not in newest


def test_a_cycle_of_expiry_drops_the_message(channel, name):
    one, two = name("one"), name("two")
    channel.queue(one, arguments={TTL: 30, DLX: "", DLK: two})
    channel.queue(two, arguments={TTL: 30, DLX: "", DLK: one})
    channel.publish("", one, b"x")
    time.sleep(0.5)
    assert (channel.ready(one), channel.ready(two)) == (0, 0)


def test_a_queue_may_dead_letter_to_itself_by_reject(channel, name):
    queue = name("self")
    channel.queue(queue, arguments={DLX: "", DLK: queue})
    channel.publish("", queue, b"x")
    for _ in range(3):
        reject_next(channel, queue)
    assert deaths(channel.get_soon(queue))[0]["count"] == 3


def test_many_rejected_messages_keep_their_order(channel, dead):
    queue = rejecting(channel, dead)
    for number in range(100):
        channel.publish("", queue, str(number))
    channel.consume(queue)
    tags = [message.delivery_tag for message in channel.deliveries(100)]
    channel.nack(tags[49], multiple=True, requeue=False)
    for tag in tags[50:]:
        channel.reject(tag, requeue=False)
    channel.await_ready(dead, 100)
    assert channel.bodies(dead) == [str(number) for number in range(100)]


def test_acked_messages_and_closed_channels_do_not_dead_letter(connection, channel, dead):
    queue = rejecting(channel, dead)
    for _ in range(2):
        channel.publish("", queue, b"x")
    other = connection.channel()
    other.ack(other.get_soon(queue, no_ack=False).delivery_tag)
    other.get_soon(queue, no_ack=False)
    other.close()
    channel.await_ready(queue, 1)
    assert channel.ready(dead) == 0
