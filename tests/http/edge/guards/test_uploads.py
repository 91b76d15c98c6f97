"""Turns for the large bodies of one caller."""

import asyncio
import contextlib

from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.guards.uploads import Uploads

ONE = Caller("127.0.0.1", "one")
OTHER = Caller("127.0.0.1", "other")


async def _begins(uploads: Uploads, caller: Caller, stack: contextlib.AsyncExitStack) -> bool:
    """Return True when a further body may be sent now; its turn lasts as long as the stack."""
    try:
        async with asyncio.timeout(0.01):
            await stack.enter_async_context(uploads.turn(caller))
    except TimeoutError:
        return False
    return True


def test_large_bodies_of_one_caller_wait_for_each_other() -> None:
    async def script() -> None:
        uploads = Uploads(Limits())
        async with contextlib.AsyncExitStack() as later:
            async with contextlib.AsyncExitStack() as first:
                assert await _begins(uploads, ONE, first)
                assert await _begins(uploads, ONE, first)
                assert not await _begins(uploads, ONE, later)
                assert await _begins(uploads, OTHER, later)
            assert await _begins(uploads, ONE, later)

    asyncio.run(script())


def test_callers_without_a_limit_do_not_wait() -> None:
    async def script() -> None:
        uploads = Uploads(Limits(caller_limit=0))
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(10):
                assert await _begins(uploads, ONE, stack)

    asyncio.run(script())
