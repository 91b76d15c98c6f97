"""Read the parts of a Request from an ASGI scope and its body."""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, unquote_to_bytes

from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import LARGE_BODY_BYTES, REFUSAL_PAUSE_SECONDS, Limits
from dibs.http.edge.guards.proxies import Peer

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

QUERY_FIELDS_MAX = 1000
_HOST = re.compile(r"[A-Za-z0-9._~\-:\[\]]+")


class Unreadable(Exception):
    """The request cannot be read; ``status`` and ``message`` are for the response."""

    def __init__(
        self, status: int, message: str, *, close: bool = False, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = (("connection", "close"), *headers) if close else headers


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


def read_headers(scope: Scope) -> dict[str, str]:
    """Return the headers by name in lower case; several of one name are joined with ", "."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def read_path(raw_path: bytes) -> str:
    """Return the percent-decoded path. Bytes that are not UTF-8 become U+FFFD: see check_path."""
    return unquote_to_bytes(raw_path).decode("utf-8", "replace") or "/"


def check_path(raw_path: bytes) -> None:
    """Raise Unreadable for a path that cannot be stored: with NUL characters or invalid UTF-8."""
    decoded = unquote_to_bytes(raw_path)
    if b"\0" in decoded:
        raise Unreadable(400, "The path contains a NUL character.")
    try:
        decoded.decode()
    except UnicodeDecodeError:
        raise Unreadable(400, "The path is not valid UTF-8.") from None


def read_query(query: bytes) -> tuple[tuple[str, str], ...]:
    """Return the query parameters in the order sent, including empty ones."""
    if not query:
        return ()
    try:
        fields = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=QUERY_FIELDS_MAX,
        )
    except UnicodeDecodeError:
        raise Unreadable(400, "The query string is not valid UTF-8.") from None
    except ValueError:
        raise Unreadable(400, f"The query string has more than {QUERY_FIELDS_MAX} parameters.") from None
    for name, value in fields:
        if "\0" in name or "\0" in value:
            raise Unreadable(400, f"The query parameter {name[:100]!r} contains a NUL character.")
    return tuple(fields)


def read_origin(scope: Scope, peer: Peer) -> str:
    """Return scheme and host as the client sent them, the prefix of every link."""
    host = peer.host
    if not host:
        name, port = scope.get("server") or ("localhost", None)
        host = name if port is None else f"{name}:{port}"
    elif not _HOST.fullmatch(host):
        raise Unreadable(400, "The Host header is not a host name with an optional port.")
    return f"{peer.scheme}://{host}"


def announces_body(headers: Mapping[str, str]) -> bool:
    """Return True when a body follows the headers."""
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def announces_large_body(headers: Mapping[str, str]) -> bool:
    """Return True when the body that follows is large, or may be."""
    return "transfer-encoding" in headers or int(headers.get("content-length", 0)) > LARGE_BODY_BYTES


class BodyBudget:
    """The total size of the bodies of all current requests, and of those of one caller."""

    def __init__(self, limits: Limits) -> None:
        self._limit = limits.buffered_bytes_max
        self._limit_of_caller = limits.buffered_bytes_of_caller
        self._held: Counter[Caller] = Counter()
        self._used = 0

    def hold(self, caller: Caller, size: int) -> None:
        """Count received bytes; raise Unreadable with 429 or 503 when they are too many."""
        self._held[caller] += size
        self._used += size
        if self._held[caller] > self._limit_of_caller:
            raise _refused(429, "You are sending too many large request bodies at the same time; please try again.")
        if self._used > self._limit:
            raise _refused(503, "The server holds too many request bodies right now; please try again.")

    def release(self, caller: Caller, size: int) -> None:
        """Stop counting bytes."""
        self._used -= size
        self._held[caller] -= size
        if not self._held[caller]:
            del self._held[caller]


class BodyReader:
    """Reads one body within its size limit, its timeout and the budget of its caller, until ``release``."""

    def __init__(self, limits: Limits, budget: BodyBudget, caller: Caller) -> None:
        self._limits = limits
        self._budget = budget
        self._caller = caller
        self._held = 0

    async def read(self, headers: Mapping[str, str], receive: Receive) -> bytes:
        """Return the complete body; raise Unreadable with 408, 413, 429 or 503."""
        if not announces_body(headers):
            return b""
        if int(headers.get("content-length", 0)) > self._limits.body_limit_bytes:
            # After "Expect: 100-continue" the client may not send the body, so the connection cannot be reused.
            raise self._too_large(close="expect" in headers)
        try:
            async with asyncio.timeout(self._limits.body_timeout_seconds):
                return await self._collect(receive)
        except TimeoutError:
            seconds = self._limits.body_timeout_seconds
            raise Unreadable(
                408,
                f"The request body did not arrive within {seconds:g} seconds.",
                close=True,
            ) from None

    def release(self) -> None:
        """Return the bytes to the budget after the response."""
        self._budget.release(self._caller, self._held)
        self._held = 0

    async def _collect(self, receive: Receive) -> bytes:
        pieces: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            piece = message.get("body", b"")
            self._hold(len(piece))
            pieces.append(piece)
            if not message.get("more_body", False):
                return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _hold(self, size: int) -> None:
        self._held += size
        self._budget.hold(self._caller, size)
        if self._held > self._limits.body_limit_bytes:
            raise self._too_large(close=False)

    def _too_large(self, close: bool) -> Unreadable:
        return Unreadable(
            413,
            f"The request body is larger than {self._limits.body_limit_bytes} bytes.",
            close=close,
        )


def _refused(status: int, message: str) -> Unreadable:
    return Unreadable(status, message, close=True, headers=(("retry-after", str(REFUSAL_PAUSE_SECONDS)),))
