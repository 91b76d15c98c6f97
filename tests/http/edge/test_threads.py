"""Threads that answer requests."""

import asyncio
import contextvars
import threading

import pytest

from dibs.http.edge.threads import Threads

NUMBER = contextvars.ContextVar("number", default=0)


def test_result_and_error_of_a_call_reach_the_event_loop() -> None:
    async def script() -> None:
        threads = Threads(2, "test")
        assert await threads.run(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await threads.run(divmod, 7, 0)
        threads.close()
        threads.join()

    asyncio.run(script())


def test_call_has_the_context_of_its_caller() -> None:
    async def script() -> None:
        threads = Threads(1, "test")
        NUMBER.set(42)
        assert await threads.run(NUMBER.get) == 42
        threads.close()

    asyncio.run(script())


def test_threads_start_when_they_are_needed_and_never_more_than_the_count() -> None:
    async def script() -> None:
        threads, gate, names = Threads(2, "test"), threading.Event(), set()

        def work() -> None:
            names.add(threading.current_thread().name)
            gate.wait(10)

        await threads.run(names.add, "first")
        assert len(threads._threads) == 1
        calls = [threads.run(work) for _ in range(3)]
        gate.set()
        await asyncio.gather(*calls)
        assert len(threads._threads) == 2
        assert names <= {"first", "test_0", "test_1"}
        threads.close()

    asyncio.run(script())


def test_call_whose_caller_has_given_up_does_not_harm_the_next_one() -> None:
    async def script() -> None:
        threads, gate = Threads(1, "test"), threading.Event()
        abandoned = threads.run(gate.wait, 10)
        abandoned.cancel()
        gate.set()
        assert await threads.run(len, "next") == 4
        threads.close()

    asyncio.run(script())


def test_call_that_ends_after_its_event_loop_ends_its_thread() -> None:
    threads, gate = Threads(1, "test"), threading.Event()

    async def script() -> None:
        threads.run(gate.wait, 10)

    asyncio.run(script())
    gate.set()
    threads.close()
    threads.join()
