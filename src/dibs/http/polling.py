"""One thread that reads the database for all open streams of a kind; there is none while no stream is open."""

import logging
import threading
import time
from collections.abc import Callable

from dibs.database.errors import StoreContended, StoreUnavailable

logger = logging.getLogger(__name__)


class Poller:
    """Calls a function every few seconds while streams are open. A failed call is repeated with the next one."""

    def __init__(self, name: str, poll: Callable[[], object], seconds: float) -> None:
        self._name = name
        self._poll = poll
        self._seconds = seconds
        self._lock = threading.Lock()
        self._streams = 0
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None

    def open(self) -> None:
        """Count a stream; the first one starts the thread."""
        with self._lock:
            self._streams += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Count a stream less; the thread ends with the last one."""
        with self._lock:
            self._streams -= 1

    def _run(self) -> None:
        while self._is_needed():
            try:
                self._poll()
            except (StoreUnavailable, StoreContended):
                pass  # The store logs the lost connection.
            except Exception:
                logger.exception("%s cannot read the database", self._name)
            time.sleep(self._seconds)

    def _is_needed(self) -> bool:
        with self._lock:
            if not self._streams:
                self._thread = None
            return self._thread is not None
