"""The queue for the threads of one process: callers take turns, and the longest queue is cut when all is full."""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator

from dibs.http.edge import metrics
from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.guards.spending import Spending

_Waiter = asyncio.Future[None]


class ServerFull(Exception):
    """Too many requests wait for a thread."""


class Admission:
    """Admits requests to the threads. Needs no lock: only the event loop uses it.

    Each caller has a queue of its own, and one caller gets only a part of the threads: a client with hundreds of
    requests delays its own requests, not those of others. The caller that has used the least processor time is next.

    Callers of expensive requests share few threads. Threads that compute take turns with the interpreter, and so does
    the event loop: each of them makes every other request slower, and more of them do not compute more.
    """

    def __init__(self, limits: Limits) -> None:
        self._threads = limits.threads
        self._threads_of_caller = limits.threads_of_caller
        self._capacity = limits.threads + limits.queue_limit
        self._threads_of_expensive = limits.threads_of_expensive
        self._spending = Spending()
        self._running: Counter[Caller] = Counter()
        self._waiting: dict[Caller, deque[_Waiter]] = {}
        """In the order of turns."""
        self._present = 0

    @contextlib.asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncIterator[None]:
        """Wait for a thread, which is the caller's until the end of the block; raise ServerFull when all is full."""
        self._make_room(caller)
        waiter: _Waiter = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(waiter)
        self._present += 1
        self._start_next()
        try:
            await waiter
            yield
        finally:
            self._leave(caller, waiter)
            self._start_next()

    def charge(self, caller: Caller, seconds: float, size: int) -> None:
        """Count what a request cost: its processor time, and the bytes of its body and of its answer."""
        self._spending.add(caller, seconds, size)

    def _make_room(self, caller: Caller) -> None:
        """Refuse the newest request of the longest queue: the new one, unless another caller's queue is longer."""
        if self._present < self._capacity:
            return
        longest = max(self._waiting.values(), key=len, default=None)
        if longest is None or len(longest) <= len(self._waiting.get(caller, ())) + 1:
            raise ServerFull
        longest.pop().set_exception(ServerFull())

    def _start_next(self) -> None:
        while self._running.total() < self._threads:
            caller = self._next()
            if caller is None:
                break
            queue = self._waiting.pop(caller)
            queue.popleft().set_result(None)
            self._running[caller] += 1
            if queue:
                self._waiting[caller] = queue
        running = self._running.total()
        metrics.RUNNING.set(running)
        metrics.WAITING.set(self._present - running)

    def _next(self) -> Caller | None:
        """Return the caller that starts the next request: of those that may, the one that has spent the least."""
        is_expensive = self._spending.is_expensive
        busy = sum(count for caller, count in self._running.items() if is_expensive(caller))
        ready = [
            caller
            for caller in self._waiting
            if self._running[caller] < self._threads_of_caller
            and (busy < self._threads_of_expensive or not is_expensive(caller))
        ]
        return min(ready, key=self._spending.of, default=None)

    def _leave(self, caller: Caller, waiter: _Waiter) -> None:
        self._present -= 1
        if not waiter.cancelled() and waiter.exception() is None:
            self._running[caller] -= 1
            if not self._running[caller]:
                del self._running[caller]
            return
        queue = self._waiting.get(caller, deque())
        if waiter in queue:
            queue.remove(waiter)
        if not queue:
            self._waiting.pop(caller, None)
