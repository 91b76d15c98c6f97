"""A database behind proxies: what can happen to the connections of Dibs."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from faults.plan import AT_COMMIT, Fault
from tests.bed.proxy import Proxy

DELAY_SECONDS = 0.05
"""How much longer each message to and from the database takes."""

Break = Callable[[Fault], contextlib.AbstractContextManager[None]]


class Proxied:
    """A proxy in front of each server. Subclasses add what can happen to the servers, by kind."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.proxies = [Proxy(port) for port in ports]
        self.breaks: dict[str, Break] = {
            "cut": self._at_once,
            "truncate": self._at_once,
            "delay": self._delayed,
            "swallow": self._swallowed,
            **dict.fromkeys(AT_COMMIT, self._at_once),
        }

    def broken(self, fault: Fault) -> contextlib.AbstractContextManager[None]:
        """Return the context in which a fault lasts."""
        return self.breaks[fault.kind](fault)

    def hosts(self, process: int) -> str:
        """Return the addresses of the proxies for a URL, in another order for each process."""
        first = process % len(self.proxies)
        return ",".join(f"127.0.0.1:{proxy.port}" for proxy in (*self.proxies[first:], *self.proxies[:first]))

    def close_proxies(self) -> None:
        """Close every connection."""
        for proxy in self.proxies:
            proxy.close()

    def _target(self, fault: Fault) -> Proxy:
        return self.proxies[fault.target % len(self.proxies)]

    @contextlib.contextmanager
    def _at_once(self, fault: Fault) -> Iterator[None]:
        """Break connections to every server: it is not known to which of them Dibs is connected."""
        for proxy in self.proxies:
            if fault.kind in AT_COMMIT:
                proxy.at(b"COMMIT", AT_COMMIT[fault.kind])
            elif fault.kind == "cut":
                proxy.cut()
            else:
                proxy.truncate()
        yield

    @contextlib.contextmanager
    def _delayed(self, fault: Fault) -> Iterator[None]:
        self._target(fault).delay(DELAY_SECONDS)
        yield
        self._target(fault).forward()

    @contextlib.contextmanager
    def _swallowed(self, fault: Fault) -> Iterator[None]:
        self._target(fault).swallow()
        yield
        # Bytes are missing in the middle of these connections; TCP would never deliver what follows.
        self._target(fault).cut()
        self._target(fault).forward()
