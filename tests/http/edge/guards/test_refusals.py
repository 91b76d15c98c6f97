import asyncio

import pytest

from dibs.http.edge.guards import refusals
from dibs.http.edge.guards.limits import REFUSAL_PAUSE_SECONDS, REFUSALS_PER_SECOND_MAX
from dibs.http.edge.guards.refusals import Refusals, pause_seconds


def test_refused_clients_are_not_answered_all_at_the_same_time() -> None:
    pauses = sorted(pause_seconds(1) for _ in range(100))
    assert pauses[0] >= REFUSAL_PAUSE_SECONDS
    assert pauses[-1] - pauses[0] > REFUSAL_PAUSE_SECONDS / 2


def test_more_connections_do_not_get_more_refusals_per_second() -> None:
    assert all(number / pause_seconds(number) <= REFUSALS_PER_SECOND_MAX for number in (25, 100, 400))


def test_refusal_waits_for_those_of_its_own_address_only(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[int] = []
    monkeypatch.setattr(refusals, "pause_seconds", lambda count: waiting.append(count) or 0.0)

    async def run() -> None:
        delays = Refusals()
        await asyncio.gather(*(delays.delay(address) for address in ("a", "a", "b")))
        await delays.delay("a")

    asyncio.run(run())
    assert waiting == [1, 2, 1, 1]
