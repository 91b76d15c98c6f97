"""What the requests of each caller cost lately, and which callers send expensive requests."""

import time
from collections.abc import Callable

from msgspec import Struct

from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import EXPENSIVE_SECONDS

HALVING_SECONDS = 5.0
"""After this time a request counts half as much."""
_BYTE_SECONDS = 5e-9
"""What a byte of a body costs the event loop, which reads, copies and sends it: 10 ms for 2 MB."""
_EXPENSIVE_SECONDS_MAX = 0.2
"""What a caller may spend on expensive requests, about 4 % of a processor: one of them now and then is no burden."""
_FORGOTTEN_SECONDS = 0.001


class _Account(Struct):
    """Sums over the requests of one caller."""

    seconds: float = 0.0
    expensive_seconds: float = 0.0
    """The part of the expensive requests."""


class Spending:
    """Processor seconds by caller; old requests count less and less. Needs no lock: only the event loop uses it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._accounts: dict[Caller, _Account] = {}
        self._halved_at = clock()

    def add(self, caller: Caller, seconds: float, size: int) -> None:
        """Count a request with its processor time, and with the bytes that were received and will be sent."""
        self._halve()
        cost = seconds + size * _BYTE_SECONDS
        account = self._accounts.setdefault(caller, _Account())
        account.seconds += cost
        if cost >= EXPENSIVE_SECONDS:
            account.expensive_seconds += cost

    def of(self, caller: Caller) -> float:
        """Return the processor seconds of a caller."""
        account = self._accounts.get(caller)
        return account.seconds if account is not None else 0.0

    def is_expensive(self, caller: Caller) -> bool:
        """Return True when a caller sends many expensive requests. Cheap ones between them do not hide them."""
        account = self._accounts.get(caller)
        return account is not None and account.expensive_seconds > _EXPENSIVE_SECONDS_MAX

    def _halve(self) -> None:
        """Halve every sum once for each period that has passed, and drop what has become small."""
        periods = (self._clock() - self._halved_at) // HALVING_SECONDS
        if not periods:
            return
        self._halved_at += periods * HALVING_SECONDS
        factor = 0.5**periods
        self._accounts = {
            caller: _Account(account.seconds * factor, account.expensive_seconds * factor)
            for caller, account in self._accounts.items()
            if account.seconds * factor > _FORGOTTEN_SECONDS
        }
