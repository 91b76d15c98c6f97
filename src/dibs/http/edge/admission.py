"""How many requests are let in at once."""

from dibs.http.edge import metrics


class Admission:
    """Counts requests that run or wait for a thread. Used from the event loop only, so it needs no lock."""

    def __init__(self, threads: int, queue_limit: int) -> None:
        self._threads = threads
        self._capacity = threads + queue_limit
        self._present = 0

    @property
    def full(self) -> bool:
        """True when the next request would have to be turned away."""
        return self._present >= self._capacity

    def enter(self) -> None:
        """Count one more."""
        self._present += 1
        self._publish()

    def leave(self) -> None:
        """Count one less."""
        self._present -= 1
        self._publish()

    def _publish(self) -> None:
        metrics.RUNNING.set(min(self._present, self._threads))
        metrics.WAITING.set(max(0, self._present - self._threads))
