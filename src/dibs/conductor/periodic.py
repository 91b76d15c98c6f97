"""Work that a conductor repeats in a thread of its own, so that slow work of one kind does not delay the others."""

import logging
import threading
import time
from collections.abc import Callable

from dibs.conductor.threads import WatchedThread
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.machines.model.errors import ConductorReplaced

logger = logging.getLogger(__name__)


class PeriodicTask:
    """Calls a function every few seconds and at each wake-up, while the conductor is registered.

    At a wake-up it calls ``woken`` instead, if there is one: what only time brings need not be looked for then.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[], object],
        *,
        registered: Callable[[], bool],
        poll_seconds: float,
        woken: Callable[[], object] | None = None,
    ) -> None:
        self._name = name
        self._run = run
        self._run_woken = woken or run
        self._registered = registered
        self._poll_seconds = poll_seconds
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self.thread = WatchedThread(name, self._run_until_stopped)

    def start(self) -> None:
        """Start the thread."""
        self.thread.start()

    def wake(self) -> None:
        """Call the function now, or once more after the current call: there may be work for it."""
        self._woken.set()

    def stop(self) -> None:
        """Begin no other call; the thread ends after the one that is running."""
        self._stopping.set()
        self._woken.set()

    def _run_until_stopped(self) -> None:
        poll_at = time.monotonic() + self._poll_seconds
        while not self._stopping.is_set():
            self._woken.wait(max(0.0, poll_at - time.monotonic()))
            self._woken.clear()
            polls = time.monotonic() >= poll_at
            if self._registered() and not self._stopping.is_set():
                self.thread.note_progress()
                self._run_once(self._run if polls else self._run_woken)
                self.thread.rest()
            if polls:
                poll_at = time.monotonic() + self._poll_seconds

    def _run_once(self, run: Callable[[], object]) -> None:
        try:
            run()
        except (StoreUnavailable, StoreContended, ConductorReplaced):
            # The store logs the lost connection, once for all threads; the next heartbeat logs the replacement.
            self._stopping.wait(self._poll_seconds)
        except Exception:
            logger.exception("periodic task %s failed", self._name)
            self._stopping.wait(self._poll_seconds)
