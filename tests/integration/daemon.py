"""Starts and stops the broker daemon for the tests."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

DEFAULT_BINARY = Path(__file__).resolve().parents[2] / "build/release/server/leveret"
SANITIZER_REPORT = re.compile(r"ERROR: AddressSanitizer|ThreadSanitizer|runtime error")

CONFIG = r"""listeners:
  - address: 127.0.0.1
    port: 0
limits:
  handshake_timeout: 10s
vhosts:
  - name: /
  - name: other
users:
  - name: guest
    password: guest
    tags: [administrator]
  - name: limited
    password: secret
permissions:
  - {user: guest, vhost: /, configure: ".*", write: ".*", read: ".*"}
  - {user: guest, vhost: other, configure: ".*", write: ".*", read: ".*"}
  - {user: limited, vhost: /, configure: "^lim-c", write: "^lim-w", read: "^lim-r"}
topic_permissions:
  - {user: limited, vhost: /, exchange: lim-w-topic, write: "^a\\.", read: "^b\\."}
policies:
  - {name: ae, vhost: /, pattern: "^pol-", apply-to: exchanges, priority: 1, definition: {alternate-exchange: pol-ae}}
exchanges:
  - {name: lim-w-topic, vhost: /, type: topic, durable: true}
queues:
  - {name: lim-r-q, vhost: /, durable: true}
bindings:
  - {source: lim-w-topic, vhost: /, destination: lim-r-q, routing_key: "a.#"}
"""


def binary():
    return Path(os.environ.get("LEVERET_BINARY") or DEFAULT_BINARY)


class Daemon:
    """One broker process with its configuration file, data directory and log."""

    def __init__(self, directory, config=CONFIG):
        self.directory = Path(directory)
        self.config = self.directory / "leveret.yaml"
        self.log = self.directory / "log.txt"
        self.data = self.directory / "data"
        self.process = None
        self.address = None
        self.write_config(config)

    def write_config(self, text):
        self.config.write_text(text, encoding="utf-8")

    def start(self, timeout=20):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(binary()), "--config", str(self.config), "--port", "0", "--data-dir", str(self.data),
                 "--loops", os.environ.get("LEVERET_LOOPS", "1")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            self.wait_log("Server startup complete", timeout)
            port = re.search(r"listening on 127\.0\.0\.1:(\d+)", self.output())
            assert port, f"the log names no port:\n{self.output()}"
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        self.address = ("127.0.0.1", int(port[1]))
        return self

    def output(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_log(self, text, timeout=5, start=0):
        """Wait until the log, from offset `start` on, contains the text; returns that part."""
        limit = time.monotonic() + timeout
        while text not in (part := self.output()[start:]):
            assert self.process.poll() is None, f"the daemon ended early:\n{self.output()}"
            assert time.monotonic() < limit, f"no {text!r} in the log:\n{part}"
            time.sleep(0.02)
        return part

    def reload(self, config, answer):
        """Write a new configuration, send SIGHUP and wait for the answer in the log."""
        before = len(self.output())
        self.write_config(config)
        self.process.send_signal(signal.SIGHUP)
        return self.wait_log(answer, start=before)

    def check_alive(self):
        assert self.process.poll() is None, f"the daemon died:\n{self.output()[-5000:]}"

    def wait_exit(self, timeout=10):
        """The daemon ends by itself with code 0, and no sanitizer complained."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the daemon did not end within {timeout} s") from None
        assert code == 0, f"exit code {code}:\n{self.output()[-5000:]}"
        assert not SANITIZER_REPORT.search(self.output()), self.output()[-20000:]

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        if self.process.poll() is None:
            self.terminate()
        self.wait_exit()
