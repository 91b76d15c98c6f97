"""Delay refusals, so that a client that ignores Retry-After cannot occupy the event loop with them."""

import asyncio
import random
from collections import Counter

from dibs.http.edge.guards.limits import REFUSAL_PAUSE_SECONDS, REFUSALS_PER_SECOND_MAX


class Refusals:
    """Delays the refusals of each address. Needs no lock: only the event loop uses it."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()

    async def delay(self, address: str) -> None:
        """Wait before a refusal is sent: the longer, the more refusals of this address wait."""
        self._waiting[address] += 1
        try:
            await asyncio.sleep(pause_seconds(self._waiting[address]))
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]


def pause_seconds(waiting: int) -> float:
    """Return how long a refusal waits: not all equally long, or a crowd would be refused and return all at once."""
    longest = max(REFUSAL_PAUSE_SECONDS, waiting / REFUSALS_PER_SECOND_MAX)
    return random.uniform(1, 2) * longest  # noqa: S311 - not a secret
