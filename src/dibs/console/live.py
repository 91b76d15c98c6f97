"""Tell open pages that something has changed, so that they load what they show again.

The stream says only that something changed: what a page shows then is decided when it loads again. It counts events
instead of waiting for their positions, so that a page need not wait for a conductor to publish them.
"""

import time

from dibs.access.access import SERVICE
from dibs.database.runner import Runner
from dibs.events.operations.listing import count_events
from dibs.http.polling import Poller

POLL_SECONDS = 0.2
HEARTBEAT_SECONDS = 15.0
LIFE_SECONDS = 3_600.0
"""After this, a stream ends: the browser connects again, and its session is checked again."""


class Changes:
    """Knows how many changes there were while pages are open."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._poller = Poller("dibs-changes", self._read, POLL_SECONDS)
        self.count = 0

    def open(self, seen: int | None = None) -> "ChangeStream":
        """Begin a stream for a page that shows this many changes; None: all there are."""
        self._read()
        self._poller.open()
        return ChangeStream(self, self.count if seen is None else seen)

    def close(self) -> None:
        """End a stream."""
        self._poller.close()

    def _read(self) -> None:
        self.count = self._runner.read(count_events, SERVICE, None)


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
        count = self._changes.count
        if count != self._seen:
            self._seen, self._spoke = count, now
            return b"id: %d\ndata: changed\n\n" % count
        if now - self._spoke > HEARTBEAT_SECONDS:
            self._spoke = now
            return b": heartbeat\n\n"
        return b""

    def close(self) -> None:
        """The page was closed."""
        self._changes.close()
