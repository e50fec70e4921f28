"""What the Python interop programs share: where the broker is, unique names, running checks."""

import os
import sys
import time
import uuid

HOST = os.environ.get("AMQP_HOST", "127.0.0.1")
PORT = int(os.environ.get("AMQP_PORT", "5672"))
QUEUE_FEATURES = os.environ.get("LEVERET_QUEUE_FEATURES") == "1"

BIG_BODY = bytes(range(256)) * 12288  # 3 MB, far above one frame


def unique(kind):
    return f"interop-{kind}-{uuid.uuid4().hex[:12]}"


def same(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}: got {str(got)[:200]!r}, wanted {str(wanted)[:200]!r}")


def eventually(what, attempt, seconds=5.0):
    """Calls attempt() until it returns something other than None or False."""
    end = time.monotonic() + seconds
    while True:
        got = attempt()
        if got is not None and got is not False:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def report(name, error=None):
    if error is None:
        print(f"ok {name}", flush=True)
    else:
        text = f"{type(error).__name__}: {error}".replace("\n", " ")
        print(f"FAILED {name}: {text}", flush=True)


def run(version, checks, queue_features):
    """Runs check functions, named for what they check, and ends the program."""
    print(f"version {version}", flush=True)
    failed = 0
    for check in checks + (queue_features if QUEUE_FEATURES else []):
        name = check.__name__.replace("_", "-")
        try:
            check()
            report(name)
        except Exception as error:  # whatever a client raises is a failed check
            failed += 1
            report(name, error)
    sys.exit(1 if failed else 0)
