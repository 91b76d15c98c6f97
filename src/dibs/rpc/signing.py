"""Prove that a call was made with the shared secret, for this conductor, just now, and only once.

The signature covers the incarnation of the called conductor, so a recorded call is useless at another conductor and
after a restart; within one incarnation the conductor remembers the nonces of recent calls. The answer is signed over
the nonce of its call, so only a process with the secret can answer.
"""

import hashlib
import hmac
import itertools
import secrets
import threading
from collections.abc import Callable, Mapping

from msgspec import Struct

FRESH_SECONDS = 30
"""How far the time of a call may differ from the conductor's clock."""

TIME = "x-dibs-time"
NONCE = "x-dibs-nonce"
SIGNATURE = "x-dibs-signature"

_FRESH = FRESH_SECONDS * 1_000_000

Clock = Callable[[], int]


class Unproven(Exception):
    """A call whose proof is not valid; the message says why."""


class Proof(Struct, frozen=True):
    """The proof of a call."""

    time: int
    nonce: str
    signature: str

    def headers(self) -> dict[str, str]:
        """Return the headers of the call."""
        return {TIME: str(self.time), NONCE: self.nonce, SIGNATURE: self.signature}


def prove_call(secret: str, incarnation: str, now: int, body: bytes) -> Proof:
    """Return the proof of a call to one conductor."""
    nonce = secrets.token_hex(16)
    return Proof(now, nonce, _sign(secret, "call", incarnation, str(now), nonce, body))


def sign_answer(secret: str, nonce: str, body: bytes) -> str:
    """Return the signature of the answer to the call with this nonce."""
    return _sign(secret, "answer", nonce, body)


def is_answer(secret: str, nonce: str, body: bytes, signature: str) -> bool:
    """Return True when the answer was signed with the secret, for the call with this nonce."""
    return _same(sign_answer(secret, nonce, body), signature)


class CallVerifier:
    """Verifies the calls to one conductor process. Any number of threads may use it."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._secret = secret
        self._clock = clock
        self._seen: dict[str, int] = {}
        """Nonces with the time at which their calls are too old anyway, nearly in the order of these times."""
        self._lock = threading.Lock()

    def check(self, headers: Mapping[str, str], incarnation: str, body: bytes) -> str:
        """Return the nonce of a call with a valid proof; raise Unproven otherwise."""
        time, nonce, signature = (headers.get(name, "") for name in (TIME, NONCE, SIGNATURE))
        expected = _sign(self._secret, "call", incarnation, time, nonce, body)
        if not _same(expected, signature):
            raise Unproven("The signature is missing or wrong.")
        now = self._clock()
        if not time.isascii() or not time.isdigit() or abs(now - int(time)) > _FRESH:
            raise Unproven(f"The call is more than {FRESH_SECONDS} seconds old, or the clocks differ by that much.")
        self._remember(nonce, int(time) + _FRESH, now)
        return nonce

    def _remember(self, nonce: str, until: int, now: int) -> None:
        with self._lock:
            if nonce in self._seen:
                raise Unproven("The call is a repetition of an earlier one.")
            self._seen[nonce] = until
            # The oldest come first: dropping a few at each call keeps the dictionary small without a scan.
            for old in list(itertools.islice(self._seen, 4)):
                if self._seen[old] < now:
                    del self._seen[old]


def _sign(secret: str, *parts: str | bytes) -> str:
    """Sign the parts with their lengths, so that no two lists of parts give the same text."""
    encoded = [part if isinstance(part, bytes) else part.encode() for part in parts]
    text = b"".join(b"%d:%b" % (len(part), part) for part in encoded)
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


def _same(expected: str, given: str) -> bool:
    return hmac.compare_digest(expected.encode(), given.encode())
