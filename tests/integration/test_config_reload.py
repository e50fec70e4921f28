"""The configuration file: checking it, reading it again on SIGHUP, and ending on SIGTERM."""
import re
import signal
import subprocess
import time

import pytest
from amqp_wire import ClosedByBroker
from daemon import CONFIG, binary

SHUTDOWN = "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'"
RELOADED, NOT_RELOADED = "configuration reloaded", "configuration not reloaded"

# What is wrong: replacement in the configuration, and the line the mistake is on (None: any line).
MISTAKES = {
    "unclosed list": ("tags: [administrator]", "tags: [administrator", None),
    "unknown section": ("policies:", "polices:", "polices:"),
    "unknown key": ("    password: secret", "    pasword: secret", "pasword"),
    "port is text": ("    port: 0", "    port: many", "port: many"),
    "port too high": ("    port: 0", "    port: 70000", "port: 70000"),
    "duration without unit": ("handshake_timeout: 10s", "handshake_timeout: ten", "ten"),
    "broken expression": ('configure: "^lim-c"', 'configure: "^lim-(c"', "lim-(c"),
    "permission for nobody": ("{user: limited, vhost: /, configure", "{user: limted, vhost: /, configure", "limted"),
    "permission in no vhost": ("{user: guest, vhost: other", "{user: guest, vhost: nowhere", "nowhere"),
    "unknown exchange type": ("type: topic", "type: topics", "type: topics"),
    "binding to nothing": ("destination: lim-r-q", "destination: lim-r-z", "lim-r-z"),
    "unknown apply-to": ("apply-to: exchanges", "apply-to: everything", "everything"),
}


@pytest.fixture
def daemon(start_daemon):
    return start_daemon()


def damaged(mistake):
    old, new, _ = MISTAKES[mistake]
    assert CONFIG.count(old) == 1
    return CONFIG.replace(old, new)


def position(text, path, mistake, after=""):
    """The text names the file and the place of the mistake; `after` is what must follow."""
    found = re.search(re.escape(str(path)) + r":(\d+):(\d+)" + after, text)
    assert found, text
    shown = MISTAKES[mistake][2]
    if shown:
        lines = damaged(mistake).splitlines()
        assert shown in lines[int(found[1]) - 1], text
        assert 1 <= int(found[2]) <= len(lines[int(found[1]) - 1]) + 1


def check_config(path):
    return subprocess.run([str(binary()), "--check-config", "--config", str(path)], capture_output=True, text=True,
                          timeout=20, stdin=subprocess.DEVNULL)


@pytest.mark.usefixtures("configured")
def test_check_config_accepts_a_good_file(tmp_path):
    path = tmp_path / "good.yaml"
    path.write_text(CONFIG)
    result = check_config(path)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_check_config_tells_where_a_mistake_is(tmp_path, mistake):
    path = tmp_path / "bad.yaml"
    path.write_text(damaged(mistake))
    result = check_config(path)
    assert result.returncode == 1
    position(result.stderr, path, mistake, r": \S")


@pytest.mark.usefixtures("configured")
def test_check_config_refuses_a_missing_file(tmp_path):
    result = check_config(tmp_path / "none.yaml")
    assert result.returncode == 1 and str(tmp_path / "none.yaml") in result.stderr


@pytest.mark.usefixtures("configured")
def test_the_daemon_does_not_start_with_a_wrong_file(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(damaged("unknown section"))
    command = [str(binary()), "--config", str(path), "--port", "0", "--data-dir", str(tmp_path / "data")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
    assert result.returncode != 0
    position(result.stderr + result.stdout, path, "unknown section")


def test_open_connections_survive_a_reload(daemon, connect):
    channel = connect(daemon.address).channel()
    queue = channel.queue(exclusive=True)
    channel.consume(queue, no_ack=True)
    daemon.reload(CONFIG, RELOADED)
    channel.publish("", queue, b"x")
    assert channel.delivery().body == b"x"


def test_a_new_user_and_password_count_at_once(daemon, connect):
    daemon.reload(CONFIG.replace("password: secret", "password: changed"), RELOADED)
    connect(daemon.address, user="limited", password="changed").check()
    old = connect(daemon.address, user="limited", password="secret", until="start-ok")
    assert old.wait(0, "connection.close").reply_code == 403


def test_a_removed_user_can_no_longer_log_in(daemon, connect):
    without = CONFIG.replace("  - name: limited\n    password: secret\n", "")
    without = "".join(line for line in without.splitlines(True) if "user: limited" not in line)
    without = without.replace("topic_permissions:\n", "")
    daemon.reload(without, RELOADED)
    connection = connect(daemon.address, user="limited", password="secret", until="start-ok")
    assert connection.wait(0, "connection.close").reply_code == 403


def test_new_permissions_count_for_new_channels(daemon, connect):
    connection = connect(daemon.address, user="limited", password="secret")
    connection.channel().refused("queue.declare", 403, queue="free-q")
    daemon.reload(CONFIG.replace('configure: "^lim-c"', 'configure: "^free-"'), RELOADED)
    connection.channel().queue("free-q")
    connection.channel().refused("queue.declare", 403, queue="lim-c-q")


def test_a_new_vhost_can_be_used(daemon, connect):
    connection = connect(daemon.address, vhost="third", until="open-sent")
    connection.closed_with(530, "NOT_ALLOWED - vhost third not found", "connection.open")
    daemon.reload(CONFIG.replace("  - name: other\n", "  - name: other\n  - name: third\n").replace(
        "permissions:\n", 'permissions:\n  - {user: guest, vhost: third, configure: ".*", write: ".*", read: ".*"}\n',
        1), RELOADED)
    channel = connect(daemon.address, vhost="third").channel()
    assert channel.exists("exchange", "amq.topic")


def test_new_objects_are_declared_and_old_ones_keep_their_messages(daemon, connect):
    channel = connect(daemon.address).channel()
    channel.publish("lim-w-topic", "a.b", b"kept")
    channel.await_ready("lim-r-q", 1)
    daemon.reload(CONFIG.replace("queues:\n", "queues:\n  - {name: added, vhost: /, durable: true}\n", 1).replace(
        "bindings:\n", 'bindings:\n  - {source: lim-w-topic, vhost: /, destination: added, routing_key: "new.*"}\n',
        1), RELOADED)
    channel.publish("lim-w-topic", "new.b", b"x")
    assert channel.get_soon("added").body == b"x"
    assert channel.bodies("lim-r-q") == ["kept"]


def test_a_new_policy_applies_to_existing_exchanges(daemon, connect):
    channel = connect(daemon.address).channel()
    channel.exchange("pol-ae", "fanout")
    exchange, queue = channel.exchange("later-x"), channel.queue(exclusive=True)
    channel.bind(queue, "pol-ae")
    channel.publish(exchange, "k", b"before", mandatory=True)
    assert channel.wait("basic.return").reply_code == 312
    daemon.reload(CONFIG.replace('pattern: "^pol-"', 'pattern: "^later-"'), RELOADED)
    channel.publish(exchange, "k", b"after", mandatory=True)
    assert channel.get_soon(queue).body == b"after"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_file_is_not_loaded_and_the_old_configuration_stays(daemon, connect, mistake):
    wrong = damaged(mistake).replace("password: guest", "password: other")
    log = daemon.reload(wrong, NOT_RELOADED)
    position(log, daemon.config, mistake)
    connect(daemon.address).check()
    daemon.reload(CONFIG, RELOADED)


def test_a_missing_file_is_not_loaded(daemon, connect):
    before = len(daemon.output())
    daemon.config.unlink()
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_log(NOT_RELOADED, start=before)
    connect(daemon.address).check()


def test_many_reloads_while_messages_flow(daemon, connect):
    channel = connect(daemon.address).channel()
    channel.call("confirm.select")
    queue = channel.queue(exclusive=True)
    for number in range(1, 11):
        for _ in range(50):
            channel.publish("", queue, b"x")
        daemon.reload(CONFIG, RELOADED)
    channel.await_ready(queue, 500)


def test_sigterm_closes_every_connection_and_ends_with_code_0(daemon, connect):
    opened = [connect(daemon.address) for _ in range(10)]
    for connection in opened:
        connection.channel().queue(exclusive=True)
    daemon.terminate()
    for connection in opened:
        connection.closed_with(320, SHUTDOWN)
        connection.wait_end(5)
    daemon.wait_exit()


def test_sigterm_does_not_wait_for_clients_that_do_not_answer(daemon, connect):
    opened = [connect(daemon.address), connect(daemon.address, until="tune")]
    begin = time.monotonic()
    daemon.terminate()
    daemon.wait_exit()
    assert time.monotonic() - begin < 10
    assert opened[0].wait(0, "connection.close").reply_code == 320


def test_nobody_can_connect_after_sigterm(daemon, connect):
    daemon.terminate()
    daemon.wait_exit()
    with pytest.raises((OSError, ClosedByBroker)):
        connect(daemon.address)
