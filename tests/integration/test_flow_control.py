"""Memory: the watermark blocks publishers, and consumers that do not read cost little."""
import os
import time

import pytest
from daemon import CONFIG

# Figures of resident memory mean nothing under a sanitizer, which takes several times as much.
pytestmark = pytest.mark.memory
WATERMARK_MIB = 80


@pytest.fixture
def small(start_daemon):
    return start_daemon(config=CONFIG.replace("limits:\n", f"limits:\n  memory_watermark: {WATERMARK_MIB}MiB\n"))


def resident_mib(daemon):
    with open(f"/proc/{daemon.process.pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def fill(channel, queue, until, body=b"x" * 65536):
    """Publish until the condition holds; the socket is never left full."""
    for _ in range(40):
        for _ in range(50):
            channel.publish("", queue, body)
        channel.connection.collect(0.1)
        if until():
            return
    raise AssertionError("the condition never held")


def test_a_publisher_is_blocked_at_the_watermark_and_goes_on_below_it(small, connect):
    publisher, other = connect(small.address).channel(), connect(small.address).channel()
    queue = publisher.queue(exclusive=False, auto_delete=False)

    def blocked():
        return any(method.name == "connection.blocked" for _, method in publisher.connection.inbox)

    fill(publisher, queue, blocked)
    assert publisher.connection.wait(0, "connection.blocked").reason == "low on memory"
    # Who does not publish is served all the time.
    assert other.call("queue.declare", queue=queue, passive=True).message_count > 0
    assert other.get(queue)
    other.call("queue.purge", queue=queue)
    publisher.connection.wait(0, "connection.unblocked", timeout=10)
    publisher.sync()


def test_a_consumer_that_does_not_read_holds_little_memory(start_daemon, connect):
    daemon = start_daemon()
    reader, publisher = connect(daemon.address).channel(), connect(daemon.address).channel()
    queue = publisher.queue(exclusive=False, auto_delete=True)
    for _ in range(300):
        publisher.publish("", queue, b"y" * 100000)
    publisher.await_ready(queue, 300)
    before = resident_mib(daemon)
    reader.send("basic.consume", queue=queue, no_ack=True)
    time.sleep(1)
    # What waits for the reader is its socket's buffers and one output bound; the rest is still ready.
    assert publisher.call("queue.declare", queue=queue, passive=True).message_count > 100
    assert resident_mib(daemon) < before + 20
