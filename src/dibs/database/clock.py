"""The clock of a process: it shows the time of the database, and does not follow the clock of the machine.

Processes compare times that other processes wrote: heartbeats, expiry, due work. So they all take the time from the
database that they share. Between two readings a process measures with its monotonic clock, so that setting the clock of
its machine changes nothing.
"""

import logging
import threading
import time

from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.store import Store

INTERVAL_SECONDS = 10.0
"""How often the time of the database is read."""
AHEAD_MAX = 1_000_000
BEHIND_MAX = 100_000
"""Smaller differences, in microseconds, are left: most of it is the time that the reading took."""

logger = logging.getLogger(__name__)


class DatabaseClock:
    """Returns microseconds since 1970 UTC. Until the database was read, this is the time of the machine."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._offset = time.time_ns() // 1_000 - _monotonic()
        self._read = False
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self) -> int:
        return _monotonic() + self._offset

    def start(self) -> None:
        """Read the time of the database now and from time to time; a second start does nothing."""
        if self._thread is None:
            self._try_to_read()
            self._thread = threading.Thread(target=self._read_until_stopped, name="dibs-clock", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Read the time of the database no more."""
        self._stopping.set()

    def read(self) -> None:
        """Take over the time of the database, unless the difference is small."""
        before = _monotonic()
        (now,) = self._store.read(lambda tx: tx.values(self._store.engine.clock))
        offset = int(now) - (before + _monotonic()) // 2
        difference = offset - self._offset
        if self._read and -AHEAD_MAX < difference < BEHIND_MAX:
            return
        if abs(difference) > AHEAD_MAX:
            logger.warning("the clock is set by %+.1f seconds, to the time of the database", difference / 1e6)
        self._offset, self._read = offset, True

    def _read_until_stopped(self) -> None:
        while not self._stopping.wait(INTERVAL_SECONDS):
            self._try_to_read()

    def _try_to_read(self) -> None:
        try:
            self.read()
        except (StoreUnavailable, StoreContended):
            # The store logs the lost connection; the monotonic clock goes on meanwhile.
            return
        except Exception:
            logger.exception("cannot read the time of the database")


def _monotonic() -> int:
    return time.monotonic_ns() // 1_000
