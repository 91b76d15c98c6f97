"""Who sent a request, and how often that is verified."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Mapping

import pytest

from dibs.access.actor import Actor
from dibs.http.auth import Refusal
from dibs.http.edge.guards import refusals
from dibs.http.edge.guards.identity import Identity
from dibs.http.edge.guards.limits import FAILED_CHECKS_MAX, PENDING_CHECKS_OF_ADDRESS_MAX


class SlowCheck:
    """Knows one password, and counts how often it was asked."""

    credential_headers = ("authorization",)
    threads = 2
    remembered_seconds = 60.0

    def __init__(self) -> None:
        self.checks = 0
        self.priority = 0
        self.stamp = 1
        self.gate = threading.Event()
        self.gate.set()

    def edition(self) -> object:
        return self.stamp

    def claimed_name(self, headers: Mapping[str, str]) -> str:
        return "eva"

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        if "authorization" not in headers:
            return Refusal(401, "Who are you?")
        self.checks += 1
        self.priority = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        self.gate.wait(20)
        return Actor(user="eva") if headers["authorization"] == "right" else Refusal(401, "wrong")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def check() -> SlowCheck:
    return SlowCheck()


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "pause_seconds", lambda waiting: 0)


async def ask(who: Identity, password: str, address: str = "a") -> Actor | Refusal:
    return await who.identify({"authorization": password}, address, anonymous_is_admin=False)


def test_verified_credentials_are_remembered_for_a_while(check: SlowCheck) -> None:
    async def run() -> None:
        clock = Clock()
        who = Identity(check, clock)
        assert await ask(who, "right") == await ask(who, "right", "b") == Actor(user="eva")
        assert check.checks == 1
        clock.now = 61
        await ask(who, "right")
        assert check.checks == 2

    asyncio.run(run())


def test_wrong_credentials_are_not_remembered(check: SlowCheck) -> None:
    async def run() -> None:
        who = Identity(check)
        await ask(who, "right")
        assert isinstance(await ask(who, "wrong"), Refusal)
        assert isinstance(await ask(who, "wrong"), Refusal)
        assert check.checks == 3

    asyncio.run(run())


def test_new_edition_forgets_everything(check: SlowCheck) -> None:
    async def run() -> None:
        who = Identity(check)
        await ask(who, "right")
        check.stamp = 2
        await ask(who, "right")
        assert check.checks == 2

    asyncio.run(run())


def test_memory_has_no_password_in_clear(check: SlowCheck) -> None:
    async def run() -> None:
        who = Identity(check)
        await ask(who, "right")
        assert "right" not in repr(vars(who))

    asyncio.run(run())


def test_request_without_credentials_is_not_verified(check: SlowCheck) -> None:
    found = asyncio.run(Identity(check).identify({}, "a", anonymous_is_admin=False))
    assert isinstance(found, Refusal)
    assert check.checks == 0


def test_requests_with_the_same_credentials_share_one_check(check: SlowCheck) -> None:
    async def run() -> None:
        check.gate.clear()
        who = Identity(check)
        asked = [asyncio.create_task(ask(who, "right")) for _ in range(50)]
        await asyncio.sleep(0)
        check.gate.set()
        assert set(await asyncio.gather(*asked)) == {Actor(user="eva")}
        assert check.checks == 1

    asyncio.run(run())


def test_address_with_many_pending_checks_gets_429_and_others_do_not(check: SlowCheck) -> None:
    async def run() -> None:
        check.gate.clear()
        who = Identity(check)
        asked = [asyncio.create_task(ask(who, f"wrong-{n}")) for n in range(PENDING_CHECKS_OF_ADDRESS_MAX)]
        await asyncio.sleep(0.01)
        refused = await ask(who, "another")
        assert isinstance(refused, Refusal)
        assert refused.status == 429
        other = asyncio.create_task(ask(who, "right", "b"))
        check.gate.set()
        assert await other == Actor(user="eva")
        await asyncio.gather(*asked)

    asyncio.run(run())


def test_guesser_gets_429_without_a_check_and_the_log_has_the_name(
    check: SlowCheck, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> Actor | Refusal:
        who = Identity(check)
        await ask(who, "right", "home")
        for number in range(FAILED_CHECKS_MAX):
            await ask(who, f"wrong-{number}")
        refused = await ask(who, "guess")
        assert await ask(who, "right", "home") == Actor(user="eva")
        return refused

    caplog.set_level(logging.WARNING)
    refused = asyncio.run(run())
    assert isinstance(refused, Refusal)
    assert (refused.status, dict(refused.headers)["retry-after"]) == (429, "60")
    assert check.checks == FAILED_CHECKS_MAX + 1
    assert "Authentication as 'eva' from a failed." in caplog.text
    assert "wrong-1" not in caplog.text


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority for each thread")
def test_credentials_are_verified_when_no_other_thread_needs_the_processor(check: SlowCheck) -> None:
    verifier = Identity(check)
    asyncio.run(verifier.identify({"authorization": "wrong"}, "127.0.0.1", anonymous_is_admin=False))
    verifier.close()
    assert check.priority > os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
