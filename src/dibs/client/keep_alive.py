"""Keep allocations alive by heartbeats, as long as this process lives."""

import contextlib
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from dibs.client.errors import AllocationFailed, Conflict, DibsError, NotFound

KEEP_ALIVE_SECONDS = 300
"""How long a borrowed node stays allocated after its client has disappeared, unless the caller says otherwise."""
HEARTBEATS_PER_PERIOD = 3
RETRY_SECONDS = 5.0
"""The longest pause after a heartbeat that failed."""


class HeartbeatAnswer(Protocol):
    """An allocation, as the server answers a heartbeat."""

    state: str
    last_error: str | None


Heartbeat = Callable[[float], HeartbeatAnswer]
"""Sends one heartbeat, within a number of seconds."""


class KeepAlive(contextlib.AbstractContextManager["KeepAlive"]):
    """Sends heartbeats in a thread until the end of the ``with`` block.

    Connection failures do not end it: the server may be back before the time is over. If the server has ended the
    allocation meanwhile, the end of the block raises AllocationFailed with the reason.
    """

    def __init__(self, allocation: str, seconds: float, heartbeat: Heartbeat) -> None:
        self.failure: AllocationFailed | None = None
        self._allocation = allocation
        self._pause = seconds / HEARTBEATS_PER_PERIOD
        self._heartbeat = heartbeat
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._when_ended: Callable[[], None] | None = None
        self._thread = threading.Thread(target=self._run, name=f"heartbeats of {allocation}", daemon=True)

    def __enter__(self) -> "KeepAlive":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # The thread is not joined: a heartbeat that is under way may take long, and its answer no longer matters.
        self._stopped.set()
        if kind is None and self.failure is not None:
            raise self.failure

    def when_ended(self, callback: Callable[[], None]) -> None:
        """Call back from the thread when the server has ended the allocation; at once if it has already."""
        with self._lock:
            self._when_ended = callback
            ended = self.failure is not None
        if ended:
            callback()

    def _run(self) -> None:
        pause = self._pause
        while not self._stopped.wait(pause):
            pause = self._pause
            try:
                answer = self._heartbeat(self._pause)
            except NotFound:
                return self._end("it was deleted")
            except Conflict:
                return None  # It needs no heartbeats any more.
            except DibsError:
                pause = min(self._pause, RETRY_SECONDS)
                continue
            if answer.state == "error":
                return self._end(answer.last_error or "the server gave no reason")
        return None

    def _end(self, reason: str) -> None:
        if self._stopped.is_set():
            return
        with self._lock:
            self.failure = AllocationFailed(f"Allocation {self._allocation} has ended: {reason}")
            callback = self._when_ended
        if callback is not None:
            callback()
