"""Message properties pass through unchanged."""
import pytest

ALL = {
    "content_type": "text/plain", "content_encoding": "gzip", "headers": {"a": 1}, "delivery_mode": 2, "priority": 9,
    "correlation_id": "c", "reply_to": "r", "expiration": "100000", "message_id": "m", "timestamp": 1700000000,
    "type": "t", "user_id": "guest", "app_id": "ap", "cluster_id": "cl",
}


def echoed(channel, **properties):
    queue = channel.queue(exclusive=True)
    channel.publish("", queue, b"m", **properties)
    return channel.get_soon(queue).properties


@pytest.mark.parametrize("key", ALL)
def test_each_property_alone_comes_back(channel, key):
    assert echoed(channel, **{key: ALL[key]}) == {key: ALL[key]}


def test_all_fourteen_properties_come_back(channel):
    assert echoed(channel, **ALL) == ALL


def test_no_properties_stay_no_properties(channel):
    assert echoed(channel) == {}


def test_absent_headers_stay_absent_and_empty_ones_empty(channel):
    assert "headers" not in echoed(channel, type="t")
    assert echoed(channel, headers={}) == {"headers": {}}


@pytest.mark.parametrize("key", ["content_type", "correlation_id", "message_id", "type", "app_id", "cluster_id"])
def test_short_strings_of_255_octets_and_empty_ones_come_back(channel, key):
    assert echoed(channel, **{key: "p" * 255})[key] == "p" * 255
    queue = channel.queue(exclusive=True)
    flag = {"content_type": 15, "correlation_id": 10, "message_id": 7, "type": 5, "app_id": 3, "cluster_id": 2}[key]
    channel.send("basic.publish", routing_key=queue)
    channel.header(0, (1 << flag).to_bytes(2, "big") + b"\x00")
    assert channel.get_soon(queue).properties == {key: ""}


@pytest.mark.parametrize("timestamp", [0, 1, 2**32, 2**63 - 1, 2**64 - 1])
def test_timestamps_of_all_sizes_come_back(channel, timestamp):
    assert echoed(channel, timestamp=timestamp) == {"timestamp": timestamp}


@pytest.mark.parametrize("priority", [0, 10, 255])
def test_priorities_come_back_on_plain_queues(channel, priority):
    assert echoed(channel, priority=priority) == {"priority": priority}


@pytest.mark.parametrize("mode", [1, 2])
def test_delivery_modes_come_back(channel, mode):
    assert echoed(channel, delivery_mode=mode) == {"delivery_mode": mode}


def test_content_encoding_with_non_ascii_text_comes_back(channel):
    assert echoed(channel, correlation_id="\u4f60\u597d", type="caf\u00e9") == \
        {"correlation_id": "\u4f60\u597d", "type": "caf\u00e9"}


def test_a_valid_expiration_comes_back(channel):
    assert echoed(channel, expiration="315360000000") == {"expiration": "315360000000"}
