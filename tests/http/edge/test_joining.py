"""Head and body of a response in one system call."""

import asyncio
from collections.abc import Iterable

from dibs.http.edge.joining import JoiningTransport


class RecordingTransport(asyncio.Transport):
    """Keeps what each call would send."""

    def __init__(self) -> None:
        super().__init__({"peername": "client"})
        self.calls: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.calls.append(bytes(data))

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.calls.append(b"".join(list_of_data))

    def close(self) -> None:
        self.calls.append(b"closed")


def calls_of(*steps: bytes | str) -> list[bytes]:
    """Return what is sent when bytes are written and methods are called."""
    transport = RecordingTransport()
    joining = JoiningTransport(transport)
    for step in steps:
        if isinstance(step, bytes):
            joining.write(step)
        else:
            getattr(joining, step)()
    return transport.calls


def test_head_is_sent_with_the_first_piece_of_the_body() -> None:
    assert calls_of(b"head;", b"one", b"two", "flush") == [b"head;one", b"two"]


def test_every_response_of_a_connection_has_its_own_head() -> None:
    assert calls_of(b"head;", b"one", "flush", b"head;", b"two", "flush") == [b"head;one", b"head;two"]


def test_head_of_an_empty_body_is_sent_with_it() -> None:
    assert calls_of(b"head;", b"", "flush") == [b"head;"]


def test_head_without_a_body_is_sent_when_the_response_is_complete() -> None:
    assert calls_of(b"head;", "flush", b"head;", b"one") == [b"head;", b"head;one"]


def test_head_is_sent_before_the_connection_closes() -> None:
    assert calls_of(b"head;", "close") == [b"head;", b"closed"]


def test_interim_response_is_sent_at_once() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    assert calls_of(interim, b"head;", b"one") == [interim, b"head;one"]


def test_everything_else_is_that_of_the_transport() -> None:
    assert JoiningTransport(RecordingTransport()).get_extra_info("peername") == "client"
