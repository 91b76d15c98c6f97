"""The caller of a request, and the limit on the requests that one caller has at the same time."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from dibs.access.actor import Actor


class Caller(NamedTuple):
    """A user of a project at one address: several hosts of one service account are several callers."""

    address: str
    user: str | None = None
    project: str | None = None

    @classmethod
    def of(cls, address: str, actor: Actor) -> "Caller":
        """Return the caller of an authenticated request."""
        return cls(address, actor.user, actor.project)


class CallerBusy(Exception):
    """The caller has as many requests as one caller may have."""


class CallerLimit:
    """Counts the requests of each caller. Needs no lock: only the event loop uses it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._present: Counter[Caller] = Counter()

    @contextlib.contextmanager
    def counted(self, caller: Caller) -> Iterator[None]:
        """Count a request of the caller until the end of the block; raise CallerBusy at the limit."""
        if self._limit and self._present[caller] >= self._limit:
            raise CallerBusy
        self._present[caller] += 1
        try:
            yield
        finally:
            self._present[caller] -= 1
            if not self._present[caller]:
                del self._present[caller]
