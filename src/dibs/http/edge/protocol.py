"""Clients that are slow or send too much before any request exists: what uvicorn's HTTP/1.1 protocol leaves open.

As of uvicorn 0.54 its httptools protocol takes headers of any size, waits for them for ever (its keep-alive timer is
cancelled by the first byte), and keeps an answer in memory for as long as the client does not read it.
"""

import asyncio
import sys
from asyncio import TimerHandle
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from dibs.http.edge.limits import Limits
from dibs.http.edge.sending import encode_headers
from dibs.http.failures import plain_failure
from dibs.http.request_id import new_request_id

_FAREWELL_SECONDS = 1


class _HeadTooLarge(Exception):
    """Raised into the parser, which stops and makes uvicorn send its answer for unreadable requests."""


class LimitedProtocol(HttpToolsProtocol):
    """Bounds the size of a request's head and the time of head, unread rest and unread answer."""

    def __init__(self, *args: Any, limits: Limits, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._head_open = True
        """True while the head of a request is awaited or arrives."""
        self._head_parsed_bytes = 0
        self._head_received_bytes = 0
        self._head_too_large = False
        self._head_timer: TimerHandle | None = None
        self._rest_timer: TimerHandle | None = None
        self._write_timer: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A new connection owes its first head from now on."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop every clock."""
        for timer in (self._head_timer, self._rest_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what the parser holds back of a head whose end has not come."""
        head_was_open = self._head_open
        super().data_received(data)
        # A chunk in which an earlier request ended is not counted: how much of it is head is not known.
        if head_was_open and self._head_open:
            self._head_received_bytes += len(data)
            if self._head_received_bytes > self._limits.header_limit_bytes and not self.transport.is_closing():
                self._head_too_large = True
                self.send_400_response("")

    def on_message_begin(self) -> None:
        """The first bytes of a request: on a kept connection its clock starts here."""
        super().on_message_begin()
        self._head_open = True
        self._head_parsed_bytes = 0
        self._head_received_bytes = 0
        if self._head_timer is None:
            self._await_head()

    def on_url(self, url: bytes) -> None:
        """Count a piece of the request line."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header with its colon, space and line end."""
        self._count(len(name) + len(value) + 4)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._head_open = False
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The whole request is there."""
        self._stop_rest_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A body that was refused unread is still read, so that the client gets the answer, but not for ever."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._close_without_farewell()
        elif self.cycle.more_body:
            self._stop_rest_timer()
            self._rest_timer = self.loop.call_later(self._limits.body_timeout_seconds, self.transport.abort)

    def shutdown(self) -> None:
        """The server stops: close at once, or after the answer that is being made."""
        super().shutdown()
        if self.transport.is_closing():
            self._close_without_farewell()

    def pause_writing(self) -> None:
        """The client does not read its answer; it has as long as for sending a body."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(self._limits.body_timeout_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that could not be parsed: as JSON, and with a request id like every other answer."""
        request_id = new_request_id()
        if self._head_too_large:
            status, message = 431, f"The request line and headers exceed {self._limits.header_limit_bytes} bytes."
        else:
            status, message = 400, _describe(sys.exception())
        response = plain_failure(status, message, (("connection", "close"),), request_id)
        lines = [b"%b: %b\r\n" % header for header in encode_headers(response, request_id)]
        self.transport.write(b"".join([STATUS_LINE[status], *lines, b"\r\n", response.body]))
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """A request to upgrade is answered as plain HTTP/1.1, which the standard allows: nothing to warn of."""

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

    def _close_without_farewell(self) -> None:
        """A TLS connection that is closing waits half a minute for the client to say goodbye, and a stop for it."""
        if self.transport.get_write_buffer_size() == 0:
            self.loop.call_later(_FAREWELL_SECONDS, self.transport.abort)

    def _stop_rest_timer(self) -> None:
        if self._rest_timer is not None:
            self._rest_timer.cancel()
            self._rest_timer = None


def _describe(error: BaseException | None) -> str:
    """What is wrong with a request that the parser refused; clients of Placement know one reason by its words."""
    reason = "content-length header must be an integer" if "Content-Length" in str(error) else ""
    return f"The request is not valid HTTP/1.1: {reason}." if reason else "The request is not valid HTTP/1.1."


def limited_protocol(limits: Limits) -> Callable[..., asyncio.Protocol]:
    """What uvicorn calls for each connection; can be sent to a spawned worker."""
    return partial(LimitedProtocol, limits=limits)
