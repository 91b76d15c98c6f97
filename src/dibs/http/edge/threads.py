"""The threads that answer requests.

A ThreadPoolExecutor makes a future for threads and one for the event loop, each with its locks, and connects them. To
hand over a request and its answer that way takes three times the CPU time of a queue and a callback.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")
_Task = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class Threads:
    """At most ``count`` threads, which are started when they are needed. Only one event loop uses them."""

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._threads: list[threading.Thread] = []
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._unfinished = 0

    def run(self, act: Callable[..., Result], *arguments: Any) -> "asyncio.Future[Result]":
        """Call a function in a thread, in the context of the caller; return a future of the running event loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._unfinished += 1
        if len(self._threads) < min(self._unfinished, self._count):
            self._start_one()
        self._tasks.put((loop, future, partial(contextvars.copy_context().run, act, *arguments)))
        return future

    def close(self) -> None:
        """Let each thread end after its current call."""
        for _ in self._threads:
            self._tasks.put(None)

    def join(self) -> None:
        """Wait until the threads have ended."""
        for thread in self._threads:
            thread.join()

    def _start_one(self) -> None:
        name = f"{self._name}_{len(self._threads)}"
        # A daemon does not keep a process alive that never closes its threads.
        thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            loop, future, act = task
            result, error = None, None
            try:
                result = act()
            except BaseException as raised:
                error = raised
            # A loop that is closed has nobody who waits for the result.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._finish, future, result, error)
            del task, future, act, result, error

    def _finish(self, future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
        self._unfinished -= 1
        if future.cancelled():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
