"""Clients that do a piece of work, wait for its answers, and repeat, on plain sockets to cost little CPU."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from bench.cpu import cpu_seconds

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_RECEIVED_BYTES = 262_144
TIMEOUT_SECONDS = 120
POLL_SECONDS = 0.02
"""The pause of a client that waits for a state, the same for every service."""
PATIENCE_SECONDS = 5
"""How long a client waits for a state. On SQLite, Ironic may lose an allocation when several are made at once."""

CONCURRENT_UPDATE = b"placement.concurrent_update"
"""The code with which Placement asks a client to repeat a claim: Nova's client does."""


class Unfinished(Exception):
    """A state that a client waited for did not come."""


class Target(Struct, frozen=True, kw_only=True):
    """A running service, and the processes whose CPU time it costs."""

    name: str
    port: int
    pid: int
    database_pid: int | None
    """None for SQLite, whose work is done by the process of the service."""
    mounts: dict[str, str]
    """The path before the routes of each API, by its name: ``baremetal``, ``placement``."""

    def cpu_seconds(self) -> tuple[float, float]:
        """Return the CPU time of the service and of its database server so far."""
        return cpu_seconds(self.pid), cpu_seconds(self.database_pid) if self.database_pid else 0.0


class Load(Struct, frozen=True, kw_only=True):
    """What clients measured, and what their work cost."""

    server: float
    """CPU milliseconds per piece of work, unfinished ones included."""
    database: float
    p50: float
    """Milliseconds."""
    p99: float
    per_second: float
    unfinished: float
    """The share of the work whose end the clients did not see."""


def encode(method: str, path: str, body: bytes = b"") -> bytes:
    """Return the bytes of one request, with the versions and the token that every service of the bench accepts."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: admin\r\n"
        "X-OpenStack-Ironic-API-Version: 1.80\r\nOpenStack-API-Version: placement 1.39\r\n"
    )
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def ask(connection: socket.socket, request: bytes) -> tuple[int, bytes]:
    """Return status and body of the answer; raise ConnectionError when the server closes the connection before."""
    connection.sendall(request)
    received = _receive(connection)
    while (end := received.find(b"\r\n\r\n")) < 0:
        received += _receive(connection)
    found = _LENGTH.search(received, 0, end)
    length = int(found[1]) if found else 0
    pieces, missing = [received[end + 4 :]], length - (len(received) - end - 4)
    while missing > 0:
        pieces.append(_receive(connection))
        missing -= len(pieces[-1])
    return int(received[9:12]), b"".join(pieces)


def _receive(connection: socket.socket) -> bytes:
    piece = connection.recv(_RECEIVED_BYTES)
    if not piece:
        raise ConnectionError("The server closed the connection before the end of its answer.")
    return piece


class Client:
    """One connection to a service; ``number`` and ``turn`` tell its pieces of work from those of other clients."""

    def __init__(self, target: Target, number: int = 0) -> None:
        self.target = target
        self.number = number
        self.turn = 0
        self.memory: dict[str, Any] = {}
        """What a piece of work keeps for the next turn of the same client."""
        self._connection = self._connect()

    def _connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.target.port), timeout=TIMEOUT_SECONDS)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def send(self, method: str, api: str, path: str, document: Any = None, refused: bool = False) -> bytes:
        """Send a request to one API of the service and return the body of the answer; raise unless it is expected."""
        body = b"" if document is None else json.dumps(document).encode()
        request = encode(method, self.target.mounts[api] + path, body)
        status, answer = self._ask(request)
        while status == 409 and CONCURRENT_UPDATE in answer:
            status, answer = self._ask(request)
        if refused != (status >= 300) or status >= 500:
            raise RuntimeError(f"{self.target.name}, {method} {path}: {status} {answer[:300]!r}")
        return answer

    def _ask(self, request: bytes) -> tuple[int, bytes]:
        try:
            return ask(self._connection, request)
        except ConnectionError:
            # Ironic closes connections while it has more clients than threads; a client of HTTP opens a new one.
            self._connection.close()
            self._connection = self._connect()
            return ask(self._connection, request)

    def get(self, api: str, path: str) -> Any:
        """Return the document of an answer."""
        return json.loads(self.send("GET", api, path))

    def wait_for(self, api: str, path: str, key: str, value: str) -> None:
        """Ask until an attribute has this value; raise Unfinished when it takes too long."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := self.get(api, path))[key] != value:
            if time.monotonic() > deadline:
                raise Unfinished(f"{self.target.name}, {path}: {key} is {found[key]}, not {value}")
            time.sleep(POLL_SECONDS)


Work = Callable[[Client], object]
"""One piece of work; what it returns is ignored."""


def get(api: str, path: str) -> Work:
    """Return the work of one GET."""
    return lambda client: client.send("GET", api, path)


def measure(target: Target, work: Work, clients: int, seconds: float, count_max: int = 10**9) -> Load:
    """Run clients until the time is over or the work is done this often; every client works at least once."""
    taken: list[list[float]] = [[] for _ in range(clients)]
    failures: list[Exception] = []
    unfinished: list[Unfinished] = []
    start = threading.Barrier(clients + 1)
    most = max(1, count_max // clients)

    def run(number: int) -> None:
        try:
            with Client(target, number) as client:
                start.wait()
                end = time.perf_counter() + seconds
                while not failures and client.turn < most and (not client.turn or time.perf_counter() < end):
                    before = time.perf_counter()
                    try:
                        work(client)
                        taken[number].append(time.perf_counter() - before)
                    except Unfinished as error:
                        unfinished.append(error)
                    client.turn += 1
        except Exception as error:
            failures.append(error)
            start.abort()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    before = target.cpu_seconds()
    try:
        start.wait()
    except threading.BrokenBarrierError:
        raise failures[0] from None
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    elapsed, after = time.perf_counter() - began, target.cpu_seconds()
    if failures:
        raise failures[0]
    times = sorted(one for each in taken for one in each)
    if not times:
        raise unfinished[0]
    begun = len(times) + len(unfinished)
    server, database = ((b - a) * 1_000 / begun for a, b in zip(before, after, strict=True))
    return Load(
        server=server,
        database=database,
        p50=times[len(times) // 2] * 1_000,
        p99=times[int(len(times) * 0.99)] * 1_000,
        per_second=len(times) / elapsed,
        unfinished=len(unfinished) / begun,
    )
