"""The client in an API process: one call to one conductor."""

import http.client
import json
import ssl
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from dibs.access.actor import Actor
from dibs.access.request_id import HEADER as REQUEST_ID_HEADER
from dibs.access.request_id import REQUEST_ID
from dibs.rpc.signing import SIGNATURE, is_answer, prove_call
from dibs.rpc.wire import REFUSED, Json, read_refusal, write_actor

CLOCKS_DIFFER_SECONDS = 2
"""How far the clocks of two processes may be apart; see ``database.runner.DatabaseClock``, which allows half of it."""

_MICROSECONDS = 1_000_000


class NoAnswer(Exception):
    """The conductor gave no usable answer, and does not carry the call out from now on.

    ``maybe_carried_out`` is False only when it cannot have carried it out before.
    """

    def __init__(self, reason: str, *, maybe_carried_out: bool) -> None:
        super().__init__(reason)
        self.maybe_carried_out = maybe_carried_out


class _Answer(NamedTuple):
    status: int
    signature: str
    body: bytes
    retry_after: bool
    """The answer has a Retry-After header."""

    @property
    def maybe_carried_out(self) -> bool:
        """Return False for refusals before the call ran.

        A conductor that is overloaded or not registered answers 503 with Retry-After before it reads the call.
        """
        return self.status >= 500 and not (self.status == 503 and self.retry_after)

    @property
    def maybe_running(self) -> bool:
        """Return True for a conductor that stops during the call: it answers 503 without Retry-After."""
        return self.status == 503 and not self.retry_after


class Caller:
    """Calls conductors with the secret that all processes share. Any number of threads may use it."""

    def __init__(self, secret: str, clock: Callable[[], int], *, timeout_seconds: float, ca_file: str = "") -> None:
        self._secret = secret
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._tls = ssl.create_default_context(cafile=ca_file or None)

    def call(self, url: str, incarnation: str, method: str, actor: Actor, **params: Any) -> Any:
        """Return the result of a procedure; raise the error that the operation raised at the conductor, or NoAnswer."""
        now = self._clock()
        over_at = time.monotonic() + self._timeout_seconds + CLOCKS_DIFFER_SECONDS
        params = {"actor": write_actor(actor), "deadline": now + round(self._timeout_seconds * _MICROSECONDS), **params}
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode()
        proof = prove_call(self._secret, incarnation, now, body)
        answer = self._post(url, body, proof.headers(), over_at)
        if answer.status != 200:
            if answer.maybe_running:
                _wait_until(over_at)
            raise NoAnswer(f"{url} answered {answer.status}", maybe_carried_out=answer.maybe_carried_out)
        if not is_answer(self._secret, proof.nonce, answer.body, answer.signature):
            raise NoAnswer(f"{url} sent an answer without a valid signature", maybe_carried_out=True)
        return _result(url, json.loads(answer.body))

    def _post(self, url: str, body: bytes, headers: dict[str, str], over_at: float) -> "_Answer":
        """Return the answer. Without one, raise NoAnswer when the deadline of the call is over for the conductor."""
        connection = self._connect(url)
        try:
            # The id of the client's request goes along, so that one search finds the log lines of both processes.
            headers = {"content-type": "application/json", REQUEST_ID_HEADER: REQUEST_ID.get(), **headers}
            connection.request("POST", urlsplit(url).path, body, headers)
            response = connection.getresponse()
            signature, retry_after = response.headers.get(SIGNATURE, ""), "retry-after" in response.headers
            return _Answer(response.status, signature, response.read(), retry_after)
        except (OSError, http.client.HTTPException) as error:
            _wait_until(over_at)
            raise NoAnswer(
                f"{url} closed the connection: {error or type(error).__name__}", maybe_carried_out=True
            ) from error
        finally:
            connection.close()

    def _connect(self, url: str) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        connection = (
            http.client.HTTPSConnection(host, port, timeout=self._timeout_seconds, context=self._tls)
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=self._timeout_seconds)
        )
        try:
            connection.connect()
        except OSError as error:
            raise NoAnswer(f"{url} cannot be reached: {error}", maybe_carried_out=False) from error
        return connection


def _wait_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))


def _result(url: str, document: Json) -> Any:
    error = document.get("error")
    if error is None:
        return document["result"]
    if error["code"] == REFUSED:
        raise read_refusal(error)
    raise NoAnswer(f"{url} rejected the call: {error['message']}", maybe_carried_out=True)
