"""Turns for the threads of a process."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from dibs.http.edge.guards.admission import Admission, ServerFull
from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import Limits

CROWD = Caller("127.0.0.1", "crowd")
SECOND_CROWD = Caller("127.0.0.1", "second crowd")
OTHER = Caller("127.0.0.1", "other")


class Requests:
    """Requests that run until they are told to end."""

    def __init__(self, limits: Limits) -> None:
        self.admission = Admission(limits)
        self.running: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def send(self, name: str, caller: Caller) -> None:
        self._ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._run(name, caller))
        await _settle()

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await _settle()

    async def _run(self, name: str, caller: Caller) -> None:
        async with self.admission.turn(caller):
            self.running.append(name)
            await self._ends[name].wait()
            self.running.remove(name)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def scenario(limits: Limits, script: Callable[[Requests], Awaitable[None]]) -> None:
    async def run() -> None:
        await script(Requests(limits))

    asyncio.run(run())


def test_callers_take_turns() -> None:
    async def script(requests: Requests) -> None:
        for number in range(4):
            await requests.send(f"crowd-{number}", CROWD)
        await requests.send("other", OTHER)
        assert requests.running == ["crowd-0"]
        await requests.end("crowd-0")
        assert requests.running == ["crowd-1"]
        await requests.end("crowd-1")
        assert requests.running == ["other"]

    scenario(Limits(threads=1), script)


def test_one_caller_gets_a_quarter_of_the_threads() -> None:
    async def script(requests: Requests) -> None:
        for number in range(4):
            await requests.send(f"crowd-{number}", CROWD)
        assert requests.running == ["crowd-0", "crowd-1"]
        await requests.send("other", OTHER)
        assert requests.running == ["crowd-0", "crowd-1", "other"]

    scenario(Limits(threads=8), script)


def test_callers_of_expensive_requests_share_one_thread() -> None:
    async def script(requests: Requests) -> None:
        for caller in (CROWD, SECOND_CROWD):
            requests.admission.charge(caller, 1.0, 0)
        for name, caller in (("crowd-0", CROWD), ("crowd-1", CROWD), ("second", SECOND_CROWD), ("other", OTHER)):
            await requests.send(name, caller)
        assert requests.running == ["crowd-0", "other"]
        await requests.end("crowd-0")
        assert requests.running == ["other", "crowd-1"]

    scenario(Limits(threads=16), script)


def test_caller_that_used_the_least_processor_time_is_next() -> None:
    async def script(requests: Requests) -> None:
        await requests.send("first", CROWD)
        requests.admission.charge(CROWD, 0.002, 0)
        requests.admission.charge(SECOND_CROWD, 0.001, 0)
        for name, caller in (("crowd", CROWD), ("second", SECOND_CROWD), ("other", OTHER)):
            await requests.send(name, caller)
        for name in ("other", "second", "crowd"):
            await requests.end(requests.running[0])
            assert requests.running == [name]

    scenario(Limits(threads=1), script)


def test_one_caller_gets_all_threads_when_callers_have_no_limit() -> None:
    async def script(requests: Requests) -> None:
        for number in range(4):
            await requests.send(f"crowd-{number}", CROWD)
        assert len(requests.running) == 4

    scenario(Limits(threads=4, caller_limit=0), script)


def test_full_queue_refuses_the_newest_request_of_the_longest_queue() -> None:
    async def script(requests: Requests) -> None:
        for number in range(4):
            await requests.send(f"crowd-{number}", CROWD)
        await requests.send("other", OTHER)
        with pytest.raises(ServerFull):
            await requests.tasks["crowd-3"]
        await requests.send("crowd-4", CROWD)
        with pytest.raises(ServerFull):
            await requests.tasks["crowd-4"]
        for name in ("crowd-0", "crowd-1"):
            await requests.end(name)
        assert requests.running == ["other"]

    scenario(Limits(threads=1, queue_limit=3), script)


def test_request_that_is_cancelled_while_it_waits_leaves_the_queue() -> None:
    async def script(requests: Requests) -> None:
        for name in ("first", "second", "third"):
            await requests.send(name, CROWD)
        requests.tasks["second"].cancel()
        await _settle()
        await requests.end("first")
        assert requests.running == ["third"]
        await requests.end("third")
        await requests.send("fourth", CROWD)
        assert requests.running == ["fourth"]

    scenario(Limits(threads=1), script)


def test_request_that_is_cancelled_with_a_thread_passes_it_on() -> None:
    async def script(requests: Requests) -> None:
        await requests.send("first", CROWD)
        await requests.send("waiting", CROWD)
        requests.tasks["first"].cancel()
        await _settle()
        assert "waiting" in requests.running

    scenario(Limits(threads=1), script)
