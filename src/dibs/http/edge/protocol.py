"""Limits that uvicorn's HTTP/1.1 protocol lacks: connections, header size, time to send headers or read a response.

As of uvicorn 0.54 its httptools protocol accepts headers of any size, waits for them without a timeout (the first byte
cancels its keep-alive timer), and keeps a response in memory for as long as the client does not read it. Its limit on
connections makes no difference between clients: one client that opens them all would lock the others out.
"""

import asyncio
import sys
from asyncio import TimerHandle
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from dibs.access.request_id import new_request_id
from dibs.http.edge.guards.connections import Connections
from dibs.http.edge.guards.limits import REFUSAL_PAUSE_SECONDS, Limits
from dibs.http.edge.guards.proxies import UNIX, TrustedProxies
from dibs.http.edge.joining import JoiningTransport
from dibs.http.edge.sending import encode_headers
from dibs.http.failures import Headers, plain_failure

STREAMING = "dibs.streaming"
"""The key of a scope whose response has no end."""

_CLOSE_SECONDS = 1


class _HeadTooLarge(Exception):
    """Raised into the parser, which stops and makes uvicorn send its response to unreadable requests."""


class LimitedProtocol(HttpToolsProtocol):
    """Limits connections, the size of a request's head, and the time for head, unread body and unread response."""

    def __init__(self, *args: Any, limits: Limits, open_connections: Connections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._open_connections = open_connections
        self._head_open = True
        """True until the head of the request is complete."""
        self._head_parsed_bytes = 0
        self._head_received_bytes = 0
        self._head_too_large = False
        self._head_timer: TimerHandle | None = None
        self._rest_timer: TimerHandle | None = None
        self._write_timer: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer of the first head, or turn the connection away when there are too many."""
        self._joining = JoiningTransport(transport)
        super().connection_made(cast(asyncio.Transport, self._joining))
        if self._open_connections.enter(self._address):
            self._await_head()
        else:
            headers = (("retry-after", str(REFUSAL_PAUSE_SECONDS)),)
            self._refuse(503, "The server has too many connections. Please try again.", headers)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop every timer."""
        for timer in (self._head_timer, self._rest_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        self._open_connections.leave(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of an incomplete head, which the parser does not report."""
        head_was_open = self._head_open
        super().data_received(data)
        # A chunk in which an earlier request ended is not counted, because the size of its head part is unknown.
        if head_was_open and self._head_open:
            self._head_received_bytes += len(data)
            if self._head_received_bytes > self._limits.header_limit_bytes and not self.transport.is_closing():
                self._head_too_large = True
                self.send_400_response("")

    def on_message_begin(self) -> None:
        """Reset the counters; on a kept-alive connection, start the timer of the head."""
        super().on_message_begin()
        self._head_open = True
        self._head_parsed_bytes = 0
        self._head_received_bytes = 0
        if self._head_timer is None:
            self._await_head()

    def on_url(self, url: bytes) -> None:
        """Count a part of the request line."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header with its colon, space and line end."""
        self._count(len(name) + len(value) + 4)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop the timer of the head."""
        self._head_open = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the timer of the rest."""
        self._stop_rest_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Read the rest of a refused body, so that the client gets the response, but only for a limited time."""
        self._joining.flush()
        super().on_response_complete()
        if self.transport.is_closing():
            self._close_soon()
        elif self.cycle.more_body:
            self._stop_rest_timer()
            self._rest_timer = self.loop.call_later(self._limits.body_timeout_seconds, self.transport.abort)

    def shutdown(self) -> None:
        """Close at once, or after the current response; a stream has no end, so it is closed too."""
        super().shutdown()
        if self.cycle is not None and self.cycle.scope.get(STREAMING):
            self.transport.close()
        if self.transport.is_closing():
            self._close_soon()

    def pause_writing(self) -> None:
        """Abort a client that does not read its response within the time for a body."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(self._limits.body_timeout_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer of a client that reads again."""
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be parsed with JSON and a request id, like every other response."""
        if self._head_too_large:
            self._refuse(431, f"The request line and headers exceed {self._limits.header_limit_bytes} bytes.")
        else:
            self._refuse(400, _describe(sys.exception()))

    def _refuse(self, status: int, message: str, headers: Headers = ()) -> None:
        request_id = new_request_id()
        response = plain_failure(status, message, (("connection", "close"), *headers), request_id)
        lines = [b"%b: %b\r\n" % header for header in encode_headers(response, request_id)]
        self.transport.write(b"".join([STATUS_LINE[status], *lines, b"\r\n", response.body]))
        self.transport.close()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else UNIX

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: an upgrade request is answered with HTTP/1.1, which the standard allows."""

    def _count(self, size: int) -> None:
        self._head_parsed_bytes += size
        if self._head_parsed_bytes > self._limits.header_limit_bytes:
            self._head_too_large = True
            raise _HeadTooLarge

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self._limits.header_timeout_seconds, self._head_overdue)

    def _head_overdue(self) -> None:
        """Close, unless an earlier request of the same connection is still being answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._await_head()
        else:
            self.transport.close()

    def _close_soon(self) -> None:
        """Abort soon: a TLS connection waits 30 s for the client's close, and a stopping server with it."""
        if self.transport.get_write_buffer_size() == 0:
            self.loop.call_later(_CLOSE_SECONDS, self.transport.abort)

    def _stop_rest_timer(self) -> None:
        if self._rest_timer is not None:
            self._rest_timer.cancel()
            self._rest_timer = None


def _describe(error: BaseException | None) -> str:
    """Return the reason of a parser error; clients of Placement match one of them by its words."""
    reason = "content-length header must be an integer" if "Content-Length" in str(error) else ""
    return f"The request is not valid HTTP/1.1: {reason}." if reason else "The request is not valid HTTP/1.1."


def limited_protocol(limits: Limits, proxies: TrustedProxies) -> Callable[..., asyncio.Protocol]:
    """Return the protocol factory for uvicorn; it can be pickled for a spawned worker."""
    return partial(LimitedProtocol, limits=limits, open_connections=Connections(limits, proxies))
