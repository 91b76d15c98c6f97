"""Tell open pages that something has changed, so that they load what they show again.

The stream says only that something changed: what a page shows then is decided when it loads again. One thread asks for
the last position of the events for all pages of this process; there is no thread while there are none.
"""

import logging
import threading
import time

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.events.operations.listing import last_position

POLL_SECONDS = 0.3
HEARTBEAT_SECONDS = 15.0
LIFE_SECONDS = 3_600.0
"""After this, a stream ends: the browser connects again, and its session is checked again."""

logger = logging.getLogger(__name__)


class Changes:
    """Knows the position of the last event while pages are open."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._lock = threading.Lock()
        self._pages = 0
        self._thread: threading.Thread | None = None
        self.position = 0

    def open(self, seen: int | None = None) -> "ChangeStream":
        """Begin a stream for a page that shows everything up to a position; None: up to the last one."""
        with self._lock:
            self._pages += 1
            if self._thread is None:
                self.position = self._runner.read(last_position, SERVICE, None)
                self._thread = threading.Thread(target=self._run, name="dibs-changes", daemon=True)
                self._thread.start()
        return ChangeStream(self, self.position if seen is None else seen)

    def close(self) -> None:
        """End a stream; the thread ends with the last one."""
        with self._lock:
            self._pages -= 1

    def _run(self) -> None:
        while self._is_needed():
            try:
                self.position = self._runner.read(last_position, SERVICE, None)
            except (StoreUnavailable, StoreContended):
                pass  # The store logs the lost connection.
            except Exception:
                logger.exception("cannot read the position of the events")
            time.sleep(POLL_SECONDS)

    def _is_needed(self) -> bool:
        with self._lock:
            if not self._pages:
                self._thread = None
            return self._thread is not None


class ChangeStream:
    """One page. Its methods run on the event loop and do not block."""

    def __init__(self, changes: Changes, seen: int) -> None:
        self._changes = changes
        self._seen = seen
        self._began = self._spoke = time.monotonic()

    def take(self) -> bytes | None:
        """Return a message when something has changed; a heartbeat when nothing has for a while; None at the end."""
        now = time.monotonic()
        if now - self._began > LIFE_SECONDS:
            return None
        position = self._changes.position
        if position != self._seen:
            self._seen, self._spoke = position, now
            return b"id: %d\ndata: changed\n\n" % position
        if now - self._spoke > HEARTBEAT_SECONDS:
            self._spoke = now
            return b": heartbeat\n\n"
        return b""

    def close(self) -> None:
        """The page was closed."""
        self._changes.close()
