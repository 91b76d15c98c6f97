import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dibs.http.edge.sending import encode_headers, send_stream
from dibs.http.messages import Response


def test_response_has_request_id_type_and_length() -> None:
    headers = dict(encode_headers(Response(200, b"{}"), "req-1"))
    assert headers[b"x-openstack-request-id"] == headers[b"openstack-request-id"] == b"req-1"
    assert headers[b"content-type"] == b"application/json"
    assert headers[b"content-length"] == b"2"


def test_content_type_of_the_dialect_is_kept() -> None:
    headers = encode_headers(Response(200, b"x", (("Content-Type", "text/plain"),)), "req-1")
    assert [value for name, value in headers if name == b"content-type"] == [b"text/plain"]


def test_response_without_content_has_no_length() -> None:
    assert b"content-length" not in dict(encode_headers(Response(204), "req-1"))


@pytest.mark.parametrize("value", ["a\r\nb", "a\0b", "\x7f"])
def test_control_character_in_a_header_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="control character"):
        encode_headers(Response(200, b"", (("location", value),)), "req-1")


class Words:
    """A stream of some words, the last of which ends it."""

    def __init__(self, *words: bytes) -> None:
        self._words = iter(words)
        self.closed = False

    def take(self) -> bytes | None:
        return next(self._words, None)

    def close(self) -> None:
        self.closed = True


def sent_to(client: Callable[[], Awaitable[dict[str, Any]]], stream: Words) -> list[bytes]:
    """Return the bodies of the messages that a client gets."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    response = Response(200, b"", (("content-type", "text/event-stream"),), stream)
    asyncio.run(send_stream(send, client, response, encode_headers(response, "req-1")))
    assert b"content-length" not in dict(sent[0]["headers"])
    return [message["body"] for message in sent[1:]]


def test_stream_is_sent_until_it_ends() -> None:
    async def stay() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    assert sent_to(stay, Words(b"one", b"two")) == [b"\n", b"one", b"two", b""]


def test_stream_ends_when_the_client_is_gone() -> None:
    async def leave() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    assert sent_to(leave, Words(*[b""] * 1_000_000)) == [b"\n", b""]
