"""Count failed attempts to authenticate, and make clients that fail too often wait."""

import time
from collections.abc import Callable
from typing import TypeVar

from dibs.http.edge.guards.limits import FAILED_CHECKS_MAX, FAILED_CHECKS_WINDOW_SECONDS

_KEYS_MAX = 10_000
"""Counters kept; the oldest is dropped."""

_Key = tuple[str, str]
_Value = TypeVar("_Value")


class Attempts:
    """Failures per address and per name, in windows. Needs no lock: only the event loop uses it.

    The count per name stops guesses that come from many addresses. An address from which the name was once proven is
    not bound by it, so that guessers cannot lock a user out of the machines that the user works on.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[_Key, tuple[float, int]] = {}
        """Start of the window and number of failures in it."""
        self._proven: dict[_Key, None] = {}

    def wait_seconds(self, address: str, name: str) -> int:
        """Return how long the client must wait before its next attempt; 0 when it need not."""
        ends = [
            began + FAILED_CHECKS_WINDOW_SECONDS
            for began, count in (self._current(key) for key in self._keys(address, name))
            if count >= FAILED_CHECKS_MAX
        ]
        return int(max(ends) - self._clock()) + 1 if ends else 0

    def failed(self, address: str, name: str) -> None:
        """Count a failure."""
        for key in self._keys(address, name):
            began, count = self._current(key)
            _put(self._failures, key, (began, count + 1))

    def succeeded(self, address: str, name: str) -> None:
        """Remember that the name was proven from this address."""
        _put(self._proven, (address, name), None)

    def _keys(self, address: str, name: str) -> list[_Key]:
        own = [(address, "")]
        return own if not name or (address, name) in self._proven else [*own, ("", name)]

    def _current(self, key: _Key) -> tuple[float, int]:
        now = self._clock()
        began, count = self._failures.get(key, (now, 0))
        return (began, count) if now < began + FAILED_CHECKS_WINDOW_SECONDS else (now, 0)


def _put(entries: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    entries.pop(key, None)
    entries[key] = value
    if len(entries) > _KEYS_MAX:
        del entries[next(iter(entries))]
