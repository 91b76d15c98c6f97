"""The queue for the threads of one process: callers take turns, and the longest queue is cut when all is full."""

import asyncio
from collections import Counter, deque

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
        self._running_count = 0
        self._waiting: dict[Caller, deque[_Waiter]] = {}
        """In the order of turns."""
        self._waiting_count = 0

    def turn(self, caller: Caller) -> "Turn":
        """Return a block that waits for a thread, which is the caller's until the end of the block."""
        return Turn(self, caller)

    async def enter(self, caller: Caller) -> None:
        """Wait for a thread; raise ServerFull when all is full."""
        if not self._waiting and self._may_start(caller, self._busy()):
            self._start(caller)
            return
        self._make_room(caller)
        waiter: _Waiter = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(waiter)
        self._count_waiting(1)
        self._start_next()
        try:
            await waiter
        except BaseException:
            self._give_up(caller, waiter)
            raise

    def leave(self, caller: Caller) -> None:
        """Let another request have the thread of the caller."""
        self._running_count -= 1
        self._running[caller] -= 1
        if not self._running[caller]:
            del self._running[caller]
        metrics.RUNNING.set(self._running_count)
        self._start_next()

    def charge(self, caller: Caller, seconds: float, size: int) -> None:
        """Count what a request cost: its processor time, and the bytes of its body and of its answer."""
        self._spending.add(caller, seconds, size)

    def _make_room(self, caller: Caller) -> None:
        """Refuse the newest request of the longest queue: the new one, unless another caller's queue is longer."""
        if self._running_count + self._waiting_count < self._capacity:
            return
        longest = max(self._waiting.values(), key=len, default=None)
        if longest is None or len(longest) <= len(self._waiting.get(caller, ())) + 1:
            raise ServerFull
        longest.pop().set_exception(ServerFull())
        self._count_waiting(-1)

    def _start(self, caller: Caller) -> None:
        self._running[caller] += 1
        self._running_count += 1
        metrics.RUNNING.set(self._running_count)

    def _start_next(self) -> None:
        while self._waiting and self._running_count < self._threads:
            caller = self._next()
            if caller is None:
                break
            queue = self._waiting.pop(caller)
            queue.popleft().set_result(None)
            self._count_waiting(-1)
            self._start(caller)
            if queue:
                self._waiting[caller] = queue

    def _next(self) -> Caller | None:
        """Return the caller that starts the next request: of those that may, the one that has spent the least."""
        busy = self._busy()
        ready = [caller for caller in self._waiting if self._may_start(caller, busy)]
        return min(ready, key=self._spending.of, default=None)

    def _busy(self) -> int:
        """Return how many threads work for callers of expensive requests."""
        is_expensive = self._spending.is_expensive
        return sum(count for caller, count in self._running.items() if is_expensive(caller))

    def _may_start(self, caller: Caller, busy: int) -> bool:
        return (
            self._running_count < self._threads
            and self._running[caller] < self._threads_of_caller
            and (busy < self._threads_of_expensive or not self._spending.is_expensive(caller))
        )

    def _count_waiting(self, change: int) -> None:
        self._waiting_count += change
        metrics.WAITING.set(self._waiting_count)

    def _give_up(self, caller: Caller, waiter: _Waiter) -> None:
        """Forget a request that was refused, or whose client is gone."""
        if not waiter.cancelled() and waiter.exception() is None:
            self.leave(caller)
            return
        queue = self._waiting.get(caller, deque())
        if waiter in queue:
            queue.remove(waiter)
            self._count_waiting(-1)
        if not queue:
            self._waiting.pop(caller, None)
        self._start_next()


class Turn:
    """A request that has a thread within ``async with``."""

    __slots__ = ("_admission", "_caller")

    def __init__(self, admission: Admission, caller: Caller) -> None:
        self._admission = admission
        self._caller = caller

    async def __aenter__(self) -> None:
        await self._admission.enter(self._caller)

    async def __aexit__(self, *error: object) -> None:
        self._admission.leave(self._caller)
