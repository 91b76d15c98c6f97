"""Work that a conductor repeats in a thread of its own, so that slow work of one kind does not delay the others."""

import logging
import threading
from collections.abc import Callable

from dibs.database.errors import StoreContended, StoreUnavailable

logger = logging.getLogger(__name__)


class PeriodicTask:
    """Calls a function every few seconds while the conductor is registered."""

    def __init__(
        self, name: str, run: Callable[[], object], *, registered: Callable[[], bool], poll_seconds: float
    ) -> None:
        self._name = name
        self._run = run
        self._registered = registered
        self._poll_seconds = poll_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run_until_stopped, name=f"dibs-{name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Wait for the current call, and begin no other."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run_until_stopped(self) -> None:
        while not self._stopping.wait(self._poll_seconds):
            if not self._registered():
                continue
            try:
                self._run()
            except (StoreUnavailable, StoreContended):
                # The store logs the lost connection, once for all threads.
                continue
            except Exception:
                logger.exception("periodic task %s failed", self._name)
