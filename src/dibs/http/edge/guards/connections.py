"""The limit on open connections of one process, in total and from one address."""

from collections import Counter

from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.guards.proxies import UNIX, TrustedProxies


class Connections:
    """Counts connections by address. Needs no lock: only the event loop uses it."""

    def __init__(self, limits: Limits, proxies: TrustedProxies) -> None:
        self._limit = limits.connection_limit
        self._limit_of_address = limits.connections_of_address
        self._proxies = proxies
        self._open: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count a connection; return False when it is one too many. A proxy carries many clients: only the total."""
        shared = address == UNIX or self._proxies.trusts(address)
        full = self._open.total() >= self._limit or (not shared and self._open[address] >= self._limit_of_address)
        self._open[address] += 1
        return not full

    def leave(self, address: str) -> None:
        """Stop counting a connection."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]
