"""Deliver events to webhooks.

One thread adds deliveries for published events and hands webhooks that are due to a pool. A thread of the pool posts
the messages of one webhook, a bounded number for a bounded time, so a receiver that is slow or does not answer holds
one thread, and then pauses. When all threads are busy, the others wait for the next free one; nothing else in the
conductor does.
"""

import logging
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Protocol

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.webhooks.model.messages import Message
from dibs.webhooks.model.webhooks import Attempt
from dibs.webhooks.operations.delivering import (
    DueMessage,
    DueWebhook,
    RecordAttempt,
    drop_delivery,
    list_due_webhooks,
    record_attempt,
    release_webhook,
    take_webhook,
)
from dibs.webhooks.operations.routing import has_events_to_route, route_events

THREADS = 8
RUN_SECONDS = 15
"""After this time a thread begins no other message of its webhook, and turns to the next one."""
ROUTINGS_MAX = 50
"""How many transactions one round uses to add deliveries."""

logger = logging.getLogger(__name__)


class Sender(Protocol):
    """Posts messages."""

    def post(self, message: Message) -> Attempt:
        """Post a message; return the status of the answer, or why there is none."""


class WebhookWorker:
    """Delivers events, at most ``THREADS`` messages at a time and one message of a webhook at a time."""

    def __init__(self, runner: Runner, sender: Sender, hostname: str) -> None:
        self._runner = runner
        self._sender = sender
        self._in_work: set[str] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._running: set[Future[None]] = set()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=f"dibs-webhooks-{hostname}")

    def run(self) -> None:
        """Add deliveries for new events, and start on the webhooks that are due, as far as there are threads."""
        self._route()
        with self._lock:
            in_work = set(self._in_work)
        due = self._runner.read(list_due_webhooks, SERVICE, THREADS + len(in_work))
        for each in due:
            if each.webhook not in in_work and len(in_work) < THREADS:
                in_work.add(each.webhook)
                with self._lock:
                    self._in_work.add(each.webhook)
                running = self._pool.submit(self._deliver, each)
                self._running.add(running)
                running.add_done_callback(self._running.discard)

    def close(self, seconds: float) -> bool:
        """Begin no other message, and wait for those that are being posted; return False when one goes on."""
        self._closing.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not wait(set(self._running), timeout=seconds).not_done

    def _route(self) -> None:
        for _ in range(ROUTINGS_MAX):
            if not self._runner.read(has_events_to_route, SERVICE, None):
                return
            if not self._runner.write(route_events, SERVICE, None):
                return

    def _deliver(self, due: DueWebhook) -> None:
        try:
            messages = self._runner.write(take_webhook, SERVICE, due)
            if messages is not None:
                self._post_all(due.webhook, messages)
                self._runner.write(release_webhook, SERVICE, due.webhook)
        except (StoreUnavailable, StoreContended):
            logger.debug("the deliveries of webhook %s are retried when the database is available", due.webhook)
        except Exception:
            logger.exception("the deliveries of webhook %s failed unexpectedly", due.webhook)
        finally:
            with self._lock:
                self._in_work.discard(due.webhook)

    def _post_all(self, webhook: str, messages: list[DueMessage]) -> None:
        end = time.monotonic() + RUN_SECONDS
        for each in messages:
            if self._closing.is_set() or time.monotonic() > end or not self._post(webhook, each):
                return

    def _post(self, webhook: str, due: DueMessage) -> bool:
        """Post one message and record the result; return True when the next one may be posted."""
        if due.message is None:
            self._runner.write(drop_delivery, SERVICE, due.delivery)
            return True
        attempt = self._sender.post(due.message)
        command = RecordAttempt(webhook=webhook, delivery=due.delivery, attempt=attempt)
        return self._runner.write(record_attempt, SERVICE, command)
