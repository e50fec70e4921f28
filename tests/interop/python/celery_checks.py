"""Interop checks with Celery: a worker process runs tasks, results come back over rpc://."""

import os
import subprocess
import sys
import tempfile
import time

from checks import run, same, unique

# Read by celery_app, here and in the worker.
os.environ["CELERY_QUEUE"] = unique("celery")

import celery  # noqa: E402
from celery_app import add, app, echo, fail, second_time_lucky  # noqa: E402

WAIT = 15


def worker_answers():
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if app.control.inspect(timeout=0.5).ping():
            return
    raise AssertionError("no worker answered within 30 s")


def result():
    same("sum", add.delay(2, 3).get(timeout=WAIT), 5)


def failure():
    try:
        fail.delay().get(timeout=WAIT)
    except ValueError as error:
        same("text", str(error), "on purpose")
    else:
        raise AssertionError("the task did not fail")


def retry():
    same("retries", second_time_lucky.delay().get(timeout=WAIT), 1)


def countdown():
    start = time.monotonic()
    same("sum", add.apply_async((1, 1), countdown=1).get(timeout=WAIT), 2)
    same("waited", time.monotonic() - start > 0.8, True)


def many_results():
    pending = [echo.delay(number) for number in range(50)]
    same("values", [one.get(timeout=WAIT) for one in pending], list(range(50)))


def chain():
    same("sum", celery.chain(add.s(1, 2), add.s(3), add.s(4))().get(timeout=WAIT), 10)


def group():
    same("sums", celery.group(add.s(n, n) for n in range(5))().get(timeout=WAIT),
         [0, 2, 4, 6, 8])


def big_argument():
    text = "0123456789abcdef" * 65536
    same("same text", echo.delay(text).get(timeout=WAIT) == text, True)


def remote_control():
    replies = app.control.inspect(timeout=2).registered()
    same("tasks", all("celery_app.add" in tasks for tasks in replies.values()), True)


def purge():
    app.control.cancel_consumer(os.environ["CELERY_QUEUE"], reply=True, timeout=2)
    for number in range(3):
        echo.delay(number)
    time.sleep(0.2)
    same("purged", app.control.purge(), 3)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryFile() as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "celery_app", "worker", "--concurrency=1",
             "--pool=solo", "--loglevel=warning"], cwd=here, stdout=log, stderr=log,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        try:
            run(celery.__version__, [
                worker_answers, result, failure, retry, countdown, many_results, chain, group,
                big_argument, remote_control, purge,
            ], [])
        finally:
            with app.connection_for_write() as connection:
                connection.default_channel.queue_delete(os.environ["CELERY_QUEUE"])
                connection.default_channel.exchange_delete(os.environ["CELERY_QUEUE"])
            worker.terminate()
            try:
                worker.wait(timeout=15)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
            if sys.exc_info()[1] is not None and sys.exc_info()[1].args != (0,):
                log.seek(0)
                sys.stderr.write(log.read().decode(errors="replace"))
