"""Clients that send a request, wait for the answer, and repeat, on plain sockets to cost little CPU."""

import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

Request = Callable[[int, int], bytes]
"""Builds the bytes of a request from the numbers of the client and of the round."""

_LENGTH = re.compile(rb"content-length: (\d+)")


@dataclass(frozen=True)
class Figure:
    """The measured figures."""

    per_second: float
    p99_milliseconds: float


def encode(method: str, path: str, body: bytes = b"") -> bytes:
    """Return the bytes of one request."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-OpenStack-Ironic-API-Version: 1.80\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def ask(connection: socket.socket, request: bytes) -> tuple[int, bytes]:
    """Return status and body of the answer."""
    connection.sendall(request)
    received = connection.recv(262_144)
    while (end := received.find(b"\r\n\r\n")) < 0:
        received += connection.recv(262_144)
    found = _LENGTH.search(received, 0, end)
    length = int(found[1]) if found else 0
    pieces, missing = [received[end + 4 :]], length - (len(received) - end - 4)
    while missing > 0:
        pieces.append(connection.recv(262_144))
        missing -= len(pieces[-1])
    return int(received[9:12]), b"".join(pieces)


def measure(port: int, request: Request, clients: int, seconds: float) -> Figure:
    """Run this many clients for this many seconds; a refusal ends the measurement."""
    taken: list[list[float]] = [[] for _ in range(clients)]
    failures: list[str] = []
    start = threading.Barrier(clients + 1)

    def run(number: int) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            start.wait()
            end = time.perf_counter() + seconds
            while (before := time.perf_counter()) < end and not failures:
                status, body = ask(connection, request(number, len(taken[number])))
                taken[number].append(time.perf_counter() - before)
                if status >= 300:
                    failures.append(f"{status} {body[:300]!r}")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    if failures:
        raise RuntimeError(failures[0])
    times = sorted(one for each in taken for one in each)
    return Figure(len(times) / elapsed, times[int(len(times) * 0.99)] * 1_000)
