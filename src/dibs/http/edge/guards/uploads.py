"""The limit on the large bodies that one caller sends at the same time."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator

from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import Limits


class Uploads:
    """Lets requests with large bodies of one caller wait for each other. Needs no lock: only the event loop uses it.

    The server does not read from a connection that waits, so the bytes stay with the client. Bodies that were read
    side by side would occupy the event loop, and each would be kept until its request gets a thread.
    """

    def __init__(self, limits: Limits) -> None:
        self._limit = limits.uploads_of_caller
        self._turns: dict[Caller, asyncio.Semaphore] = {}
        self._present: Counter[Caller] = Counter()

    @contextlib.asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncIterator[None]:
        """Wait until the caller may send another large body; its turn lasts until the end of the block."""
        turns = self._turns.setdefault(caller, asyncio.Semaphore(self._limit))
        self._present[caller] += 1
        try:
            async with turns:
                yield
        finally:
            self._present[caller] -= 1
            if not self._present[caller]:
                del self._present[caller], self._turns[caller]
