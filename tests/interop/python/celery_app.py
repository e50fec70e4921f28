"""The Celery application that the worker and celery_checks.py share."""

import os

from celery import Celery
from checks import HOST, PORT

app = Celery("interop", broker=f"amqp://guest:guest@{HOST}:{PORT}//", backend="rpc://")
app.conf.update(
    task_default_queue=os.environ.get("CELERY_QUEUE", "interop-celery"),
    task_queue_max_priority=None,
    result_expires=60,
    worker_hijack_root_logger=False,
)


@app.task
def add(a, b):
    return a + b


@app.task
def fail():
    raise ValueError("on purpose")


@app.task(bind=True, max_retries=2)
def second_time_lucky(self):
    if self.request.retries == 0:
        raise self.retry(countdown=0)
    return self.request.retries


@app.task(acks_late=True)
def echo(value):
    return value
