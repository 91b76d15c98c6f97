"""The limit on requests in one process."""

from dibs.http.edge import metrics


class Admission:
    """Counts requests that run or wait for a thread. Needs no lock: only the event loop uses it."""

    def __init__(self, threads: int, queue_limit: int) -> None:
        self._threads = threads
        self._capacity = threads + queue_limit
        self._present = 0

    @property
    def full(self) -> bool:
        """Return True when the next request must be refused."""
        return self._present >= self._capacity

    def enter(self) -> None:
        """Count a request."""
        self._present += 1
        self._publish()

    def leave(self) -> None:
        """Stop counting a request."""
        self._present -= 1
        self._publish()

    def _publish(self) -> None:
        metrics.RUNNING.set(min(self._present, self._threads))
        metrics.WAITING.set(max(0, self._present - self._threads))
