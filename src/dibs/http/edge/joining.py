"""Send the head of a response together with the first piece of its body."""

import asyncio
from typing import Any

_INTERIM = b"HTTP/1.1 1"


class JoiningTransport:
    """A transport that keeps the head of a response until its body follows; all else is the transport's.

    uvicorn writes head and body one after the other. That would be two system calls, and the client would wake up for
    a head that is of no use to it. ``flush`` says that a response is complete, also one without a body.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head: bytes | None = b""
        """The head that waits; empty before the head of the next response, None after that of the current one."""

    def write(self, data: bytes) -> None:
        """Keep a head; send what follows, with the head if it is the first piece."""
        if self._head is None or data.startswith(_INTERIM):
            # The client waits for an interim response (100 Continue) before it sends its body.
            self._transport.write(data)
        elif not self._head:
            self._head = data
        else:
            self._transport.writelines((self._head, data))
            self._head = None

    def flush(self) -> None:
        """Send a head without a body; the next write is the head of another response."""
        if self._head:
            self._transport.write(self._head)
        self._head = b""

    def close(self) -> None:
        """Send what waits, then close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
