"""Work that a conductor repeats in a thread of its own, so that slow work of one kind does not delay the others."""

import logging
import threading
from collections.abc import Callable

from dibs.conductor.threads import WatchedThread
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.machines.model.errors import ConductorReplaced

logger = logging.getLogger(__name__)


class PeriodicTask:
    """Calls a function at each wake-up and every few seconds, while the conductor is registered."""

    def __init__(
        self, name: str, run: Callable[[], object], *, registered: Callable[[], bool], poll_seconds: float
    ) -> None:
        self._name = name
        self._run = run
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
        while not self._stopping.is_set():
            self._woken.wait(self._poll_seconds)
            self._woken.clear()
            if self._registered() and not self._stopping.is_set():
                self.thread.note_progress()
                self._run_once()
                self.thread.rest()

    def _run_once(self) -> None:
        try:
            self._run()
        except (StoreUnavailable, StoreContended, ConductorReplaced):
            # The store logs the lost connection, once for all threads; the next heartbeat logs the replacement.
            self._stopping.wait(self._poll_seconds)
        except Exception:
            logger.exception("periodic task %s failed", self._name)
            self._stopping.wait(self._poll_seconds)
