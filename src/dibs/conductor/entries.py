"""Which queue entries a conductor works on, and which of them pause before the next attempt."""

import threading
import time
from collections.abc import Callable

from msgspec import Struct

from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry

LOCK_RETRIES = 3
LOCK_RETRY_SECONDS = 1.0
"""Specification 000: an allocation does not fail because its nodes are locked for a moment."""

WAITING_CHECK_SECONDS = 60.0
"""How often a waiting batch is matched to see whether enough nodes of its kind still exist."""


class _Pause(Struct, frozen=True, kw_only=True):
    until: float
    attempts: int = 0
    """How many attempts found only locked or promised nodes."""
    waiting: bool = False
    """The entry waits in the queue; past its deadline it does not pause."""


class EntryTracker:
    """Remembers the entries in work and the pauses of the others. Any number of threads may use it."""

    def __init__(self, entries_max: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries_max = entries_max
        self._clock = clock
        self._in_work: set[str] = set()
        self._pauses: dict[str, _Pause] = {}
        self._lock = threading.Lock()

    def begin(self, entry: QueueEntry) -> bool:
        """Note that work on an entry begins; return False when it is in work, or enough others are."""
        with self._lock:
            if entry.key in self._in_work or len(self._in_work) >= self._entries_max:
                return False
            self._in_work.add(entry.key)
            return True

    def finish(self, entry: QueueEntry, outcome: Outcome | None) -> None:
        """Note the outcome of an attempt; None stands for an attempt that an error ended."""
        now = self._clock()
        with self._lock:
            attempts = self._attempts(entry)
            self._in_work.discard(entry.key)
            if outcome is Outcome.SETTLED:
                self._pauses.pop(entry.key, None)
            elif outcome is Outcome.WAITING:
                self._pauses[entry.key] = _Pause(until=now + WAITING_CHECK_SECONDS, waiting=True)
            else:
                attempts += outcome is Outcome.RETRY
                self._pauses[entry.key] = _Pause(until=now + LOCK_RETRY_SECONDS, attempts=attempts)

    def is_paused(self, entry: QueueEntry) -> bool:
        """Return True while the entry is not to be tried."""
        with self._lock:
            pause = self._pauses.get(entry.key)
        if pause is None or pause.until <= self._clock():
            return False
        return entry.waits or not pause.waiting

    def may_retry(self, entry: QueueEntry) -> bool:
        """Return True while locked nodes are a reason to retry rather than to fail."""
        with self._lock:
            return self._attempts(entry) < LOCK_RETRIES

    def forget_old_pauses(self) -> int:
        """Drop pauses that ended long ago, whose allocations may be deleted; return how many remain."""
        long_ago = self._clock() - WAITING_CHECK_SECONDS
        with self._lock:
            self._pauses = {key: pause for key, pause in self._pauses.items() if pause.until > long_ago}
            return len(self._pauses)

    def _attempts(self, entry: QueueEntry) -> int:
        pause = self._pauses.get(entry.key)
        return pause.attempts if pause else 0
