import itertools
import os
from dataclasses import dataclass

import pytest

pytest.register_assert_rewrite("amqp_codec", "amqp_wire", "daemon")

import amqp_wire  # noqa: E402
from daemon import CONFIG, Daemon  # noqa: E402

_counter = itertools.count(1)
EXTERNAL = os.environ.get("LEVERET_TEST_ADDRESS")
NEEDS_DAEMON = "needs a daemon with a configuration file of its own, but LEVERET_TEST_ADDRESS is set"


@dataclass
class Broker:
    """The broker under test; `daemon` is None when it was started by someone else."""
    address: tuple
    daemon: Daemon | None


@pytest.fixture(scope="session")
def broker(tmp_path_factory):
    """The broker that most tests share."""
    if EXTERNAL:
        host, _, port = EXTERNAL.rpartition(":")
        yield Broker((host, int(port)), None)
        return
    daemon = Daemon(tmp_path_factory.mktemp("broker")).start()
    yield Broker(daemon.address, daemon)
    daemon.stop()


@pytest.fixture(scope="session")
def observer(broker):
    """A connection that is open all the time and that no test may harm."""
    connection = amqp_wire.connect(broker.address)
    yield connection.channel()
    connection.close()


@pytest.fixture(autouse=True)
def alive(broker, observer):
    """No test may bring the broker down."""
    yield
    if broker.daemon:
        broker.daemon.check_alive()
    observer.sync()


@pytest.fixture
def configured(broker):
    """The shared broker, when it runs with the configuration of these tests."""
    if EXTERNAL:
        pytest.skip(NEEDS_DAEMON)
    return broker


@pytest.fixture
def start_daemon(tmp_path):
    """Starts daemons of the test's own, which are stopped at its end."""
    if EXTERNAL:
        pytest.skip(NEEDS_DAEMON)
    started = []

    def start(config=CONFIG):
        directory = tmp_path / f"daemon{len(started)}"
        directory.mkdir()
        daemon = Daemon(directory, config).start()
        started.append(daemon)
        return daemon

    yield start
    for daemon in started:
        daemon.stop()


@pytest.fixture
def name(broker):
    """Makes unique names; what was declared under them is deleted after the test."""
    given = []

    def make(suffix="x"):
        given.append(f"wire-{os.getpid()}-{next(_counter)}-{suffix}")
        return given[-1]

    make.also = given.append
    yield make
    if not given:
        return
    connection = amqp_wire.connect(broker.address)
    channel = connection.channel()
    for item in given:
        channel.send("queue.delete", queue=item, nowait=True)
        channel.send("exchange.delete", exchange=item, nowait=True)
    channel.sync()
    connection.close()


@pytest.fixture
def connect(broker, name):
    """Opens connections that are closed before the test's names are deleted."""
    opened = []

    def open_connection(address=None, **options):
        opened.append(amqp_wire.connect(address or broker.address, **options))
        return opened[-1]

    def open_socket():
        opened.append(amqp_wire.Connection(broker.address))
        return opened[-1]

    open_connection.socket = open_socket
    yield open_connection
    for connection in opened:
        try:
            if connection.opened and not connection.ended and not connection.closing:
                connection.close()
        except (amqp_wire.ClosedByBroker, amqp_wire.SocketClosed, amqp_wire.NoReply):
            pass
        finally:
            connection.drop()


@pytest.fixture
def connection(connect):
    return connect()


@pytest.fixture
def channel(connection):
    return connection.channel()
