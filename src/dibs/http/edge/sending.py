"""Send a Response as ASGI messages."""

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from dibs.http.edge.reading import Receive
from dibs.http.messages import Response

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
RawHeaders = list[tuple[bytes, bytes]]

STREAM_POLL_SECONDS = 0.1
"""How often a stream is asked for something new."""

_WITHOUT_BODY = frozenset({204, 304})
_PIECE_BYTES = 256 * 1024
_FORBIDDEN = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


def encode_headers(response: Response, request_id: str) -> RawHeaders:
    """Return the headers of a response as bytes; raise ValueError for one with a control character."""
    encoded = request_id.encode()
    raw = [(b"x-openstack-request-id", encoded), (b"openstack-request-id", encoded)]
    has_type = False
    for name, value in response.headers:
        raw_name, raw_value = name.lower().encode("latin-1"), value.encode("latin-1")
        if _FORBIDDEN.search(raw_value):
            raise ValueError(f"the header {name} contains a control character")
        has_type = has_type or raw_name == b"content-type"
        raw.append((raw_name, raw_value))
    if response.status not in _WITHOUT_BODY and response.stream is None:
        if response.body and not has_type:
            raw.append((b"content-type", b"application/json"))
        raw.append((b"content-length", b"%d" % len(response.body)))
    return raw


async def send_stream(send: Send, receive: Receive, response: Response, raw_headers: RawHeaders) -> None:
    """Send a response that goes on, until it ends or the client is gone."""
    assert response.stream is not None
    await send({"type": "http.response.start", "status": response.status, "headers": raw_headers})
    # The client sees the headers at once, although nothing may happen for a while.
    await send({"type": "http.response.body", "body": b"\n", "more_body": True})
    gone = asyncio.ensure_future(_wait_until_gone(receive))
    try:
        while not gone.done() and (piece := response.stream.take()) is not None:
            if piece:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            else:
                await asyncio.wait({gone}, timeout=STREAM_POLL_SECONDS)
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_answer(send: Send, response: Response, raw_headers: RawHeaders) -> None:
    """Send a complete response, in pieces: the transport copies what the client does not read at once."""
    await send(
        {
            "type": "http.response.start",
            "status": response.status,
            "headers": raw_headers,
        }
    )
    body = b"" if response.status in _WITHOUT_BODY else response.body
    last = max(0, len(body) - 1) // _PIECE_BYTES * _PIECE_BYTES
    for start in range(0, last, _PIECE_BYTES):
        await send({"type": "http.response.body", "body": body[start : start + _PIECE_BYTES], "more_body": True})
    await send({"type": "http.response.body", "body": body[last:]})
