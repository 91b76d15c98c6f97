"""Proof that a call comes from one of ours, was meant for this conductor, is fresh, and is heard only once.

The signature covers the incarnation of the conductor that is called, so a recorded call is of no use at another one or
at the next start of the same one; within one life the conductor remembers what it has heard. The answer is signed over
the nonce of its call, so nobody else can answer in the conductor's place.
"""

import hashlib
import hmac
import itertools
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

FRESH_SECONDS = 30
"""How far the time of a call may be from the conductor's own clock."""

TIME = "x-dibs-time"
NONCE = "x-dibs-nonce"
SIGNATURE = "x-dibs-signature"

_FRESH = FRESH_SECONDS * 1_000_000

Clock = Callable[[], int]


class Unproven(Exception):
    """The message says what is wrong with the proof."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What goes with a call, as headers."""

    time: int
    nonce: str
    signature: str

    def headers(self) -> dict[str, str]:
        """The headers that carry it."""
        return {TIME: str(self.time), NONCE: self.nonce, SIGNATURE: self.signature}


def prove_call(secret: str, incarnation: str, now: int, body: bytes) -> Proof:
    """Sign a call to one conductor."""
    nonce = secrets.token_hex(16)
    return Proof(now, nonce, _sign(secret, "call", incarnation, str(now), nonce, body))


def sign_answer(secret: str, nonce: str, body: bytes) -> str:
    """Sign the answer to the call that had this nonce."""
    return _sign(secret, "answer", nonce, body)


def is_answer(secret: str, nonce: str, body: bytes, signature: str) -> bool:
    """True when the answer was signed by somebody who knows the secret, for this call."""
    return _same(sign_answer(secret, nonce, body), signature)


class CallVerifier:
    """Checks the calls to one conductor process. Any number of threads may use it."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._secret = secret
        self._clock = clock
        self._heard: dict[str, int] = {}
        """Nonces, and the moment from which a call with each is too old anyway; in that order, nearly."""
        self._lock = threading.Lock()

    def check(self, headers: Mapping[str, str], incarnation: str, body: bytes) -> str:
        """Give the nonce of a call that is proven; raise Unproven otherwise."""
        time, nonce, signature = (headers.get(name, "") for name in (TIME, NONCE, SIGNATURE))
        expected = _sign(self._secret, "call", incarnation, time, nonce, body)
        if not _same(expected, signature):
            raise Unproven("The signature is missing or wrong.")
        now = self._clock()
        if not time.isascii() or not time.isdigit() or abs(now - int(time)) > _FRESH:
            raise Unproven(f"The call is more than {FRESH_SECONDS} seconds old, or the clocks differ by that much.")
        self._hear(nonce, int(time) + _FRESH, now)
        return nonce

    def _hear(self, nonce: str, until: int, now: int) -> None:
        with self._lock:
            if nonce in self._heard:
                raise Unproven("The call was made before.")
            self._heard[nonce] = until
            # The oldest are in front; stopping at the first that still counts keeps this short.
            for old in list(itertools.islice(self._heard, 4)):
                if self._heard[old] < now:
                    del self._heard[old]


def _sign(secret: str, *parts: str | bytes) -> str:
    """Each part goes with its length, so that no two lists of parts give the same text."""
    encoded = [part if isinstance(part, bytes) else part.encode() for part in parts]
    text = b"".join(b"%d:%b" % (len(part), part) for part in encoded)
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


def _same(expected: str, given: str) -> bool:
    return hmac.compare_digest(expected.encode(), given.encode())
