"""Authenticate a request by its headers, before its body is read.

Verifying a password or a token takes long, so it runs in a small pool of its own, and verified credentials are
remembered for a while: under a digest with a random key, so that the memory of the process holds no password in clear.
"""

import asyncio
import concurrent.futures
import hashlib
import hmac
import logging
import os
import secrets
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping

from dibs.access.actor import Actor
from dibs.http.auth import Authenticator, Refusal
from dibs.http.edge.guards.attempts import Attempts
from dibs.http.edge.guards.limits import (
    PENDING_CHECKS_MAX,
    PENDING_CHECKS_OF_ADDRESS_MAX,
    REFUSAL_PAUSE_SECONDS,
)
from dibs.http.edge.guards.refusals import Refusals

LOG = logging.getLogger(__name__)

_REMEMBERED_MAX = 10_000
_NAME_LOGGED_MAX = 100
_NICENESS = 10

_Found = Actor | Refusal


class Identity:
    """Finds the caller of a request. Needs no lock: only the event loop uses it, except for the authenticator."""

    def __init__(self, authenticator: Authenticator, clock: Callable[[], float] = time.monotonic) -> None:
        self._authenticator = authenticator
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._attempts = Attempts(clock)
        self._refusals = Refusals()
        self._remembered: dict[bytes, tuple[Actor, float]] = {}
        self._pending: dict[bytes, asyncio.Task[_Found]] = {}
        self._pending_of: Counter[str] = Counter()
        self._pool = concurrent.futures.ThreadPoolExecutor(
            authenticator.threads, thread_name_prefix="authenticate", initializer=_yield_processors
        )

    async def identify(self, headers: Mapping[str, str], address: str, *, anonymous_is_admin: bool) -> _Found:
        """Return the caller or a refusal."""
        if not any(name in headers for name in self._authenticator.credential_headers):
            return self._authenticator.authenticate(headers, anonymous_is_admin=anonymous_is_admin)
        proof = self._digest(headers)
        remembered = self._remembered.get(proof)
        if remembered is not None and self._clock() < remembered[1]:
            return remembered[0]
        # Requests that arrive together with the same credentials wait for one check.
        task = self._pending.get(proof)
        if task is None:
            name = self._authenticator.claimed_name(headers)[:_NAME_LOGGED_MAX]
            refusal = self._refusal(address, name)
            if refusal is not None:
                await self._refusals.delay(address)
                return refusal
            task = asyncio.create_task(self._verify(headers, proof, address, name, anonymous_is_admin))
            self._pending[proof] = task
        return await asyncio.shield(task)

    def close(self) -> None:
        """Stop the pool."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _digest(self, headers: Mapping[str, str]) -> bytes:
        values = (headers.get(name, "") for name in self._authenticator.credential_headers)
        text = repr((self._authenticator.edition(), *values))
        return hmac.digest(self._key, text.encode("utf-8", "surrogateescape"), hashlib.sha256)

    def _refusal(self, address: str, name: str) -> Refusal | None:
        seconds = self._attempts.wait_seconds(address, name)
        if seconds:
            LOG.warning("Refused an attempt to authenticate as %r from %s: too many have failed.", name, address)
            return _refused(429, "Too many attempts to authenticate have failed.", seconds)
        if self._pending_of[address] >= PENDING_CHECKS_OF_ADDRESS_MAX:
            return _refused(429, "Too many attempts to authenticate at the same time.", REFUSAL_PAUSE_SECONDS)
        if len(self._pending) >= PENDING_CHECKS_MAX:
            return _refused(503, "The server verifies too many credentials.", REFUSAL_PAUSE_SECONDS)
        return None

    async def _verify(
        self, headers: Mapping[str, str], proof: bytes, address: str, name: str, anonymous_is_admin: bool
    ) -> _Found:
        self._pending_of[address] += 1
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                self._pool,
                lambda: self._authenticator.authenticate(headers, anonymous_is_admin=anonymous_is_admin),
            )
        finally:
            del self._pending[proof]
            self._pending_of[address] -= 1
            if not self._pending_of[address]:
                del self._pending_of[address]
        if isinstance(found, Actor):
            self._attempts.succeeded(address, name)
            self._remember(proof, found)
        elif found.status == 401:
            LOG.warning("Authentication as %r from %s failed.", name, address)
            self._attempts.failed(address, name)
        return found

    def _remember(self, proof: bytes, actor: Actor) -> None:
        self._remembered[proof] = (actor, self._clock() + self._authenticator.remembered_seconds)
        if len(self._remembered) > _REMEMBERED_MAX:
            del self._remembered[next(iter(self._remembered))]


def _yield_processors() -> None:
    """Let every other thread run first: guessed passwords must not take the processors from known callers."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)


def _refused(status: int, reason: str, seconds: int) -> Refusal:
    return Refusal(status, f"{reason} Please try again in {seconds} seconds.", (("retry-after", str(seconds)),))
