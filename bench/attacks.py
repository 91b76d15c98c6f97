"""Clients that try to starve every other client: one function per attack, which sends until it is stopped.

Each attack runs in its own process and from its own loopback address, so that the server can tell it from the others.
An attacker ignores Retry-After, but pauses after a refusal: attackers, server and measured client share the cores.
"""

import base64
import contextlib
import json
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from typing import Any

from bench.load import ask
from dibs.leases.model.leases import RESERVATIONS_MAX

REFUSED_PAUSE_SECONDS = 0.1
SOCKET_TIMEOUT_SECONDS = 120

MEMBER = ("mallory", "secret-of-mallory")
WITHOUT_ROLE = ("trudy", "secret-of-trudy")
"""A user with a role that no rule names."""


@dataclass(frozen=True)
class Target:
    """The server under attack, the time at which the attack ends, and the answers so far."""

    port: int
    until: float
    """In the time of time.monotonic, which all processes of a machine share."""
    answers: Counter[str] = field(default_factory=Counter)
    """How often each status was the answer."""

    @property
    def is_over(self) -> bool:
        """Return True when the attack must end."""
        return time.monotonic() >= self.until


def encode(method: str, path: str, user: tuple[str, str], document: Any = None, length: int | None = None) -> bytes:
    """Return the bytes of a request; ``length`` announces another size of the body than that of the document."""
    body = b"" if document is None else json.dumps(document).encode()
    proof = base64.b64encode(":".join(user).encode()).decode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-OpenStack-Ironic-API-Version: 1.80\r\n"
    head += f"Authorization: Basic {proof}\r\n"
    if body or length:
        head += f"Content-Type: application/json\r\nContent-Length: {length or len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def connect(target: Target, source: str) -> socket.socket:
    """Open a connection from a loopback address."""
    return socket.create_connection(
        ("127.0.0.1", target.port), timeout=SOCKET_TIMEOUT_SECONDS, source_address=(source, 0)
    )


def repeat(target: Target, source: str, clients: int, request: Callable[[int], bytes]) -> None:
    """Send requests from this many connections, each as fast as it gets answers."""

    def run(number: int) -> None:
        while not target.is_over:
            with contextlib.suppress(OSError, ValueError), connect(target, source) as connection:
                while not target.is_over:
                    status, _ = ask(connection, request(number))
                    target.answers[str(status)] += 1
                    if status in (401, 429, 503):
                        time.sleep(REFUSED_PAUSE_SECONDS)
            time.sleep(REFUSED_PAUSE_SECONDS)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, target.until - time.monotonic()) + 1)


def ask_for_impossible_leases(target: Target) -> None:
    """Ask for leases that no calendar can hold, with as many reservations as a lease may have, and with more."""
    reservation = {
        "resource_type": "physical:host",
        "min": 100,
        "max": 100,
        "hypervisor_properties": "",
        "resource_properties": "",
    }
    lease = {
        "name": "impossible",
        "start_date": "now",
        "end_date": time.strftime("%Y-%m-%d %H:%M", time.gmtime(time.time() + 86_400)),
        "events": [],
    }
    requests = [
        encode("POST", "/reservation/v1/leases", MEMBER, {**lease, "reservations": [reservation] * count})
        for count in (RESERVATIONS_MAX, 100)
    ]
    repeat(target, "127.0.0.7", 2, lambda number: requests[number])


def send_million_elements(target: Target) -> None:
    """Send a list with a million elements as a user without any role."""
    request = encode("POST", "/baremetal/v1/allocations", WITHOUT_ROLE, {"candidate_nodes": [1] * 1_000_000})
    repeat(target, "127.0.0.8", 16, lambda number: request)


def withhold_last_byte(target: Target) -> None:
    """Send bodies of 4 MiB without credentials, all but the last byte, and keep the connections."""
    size = 4 * 1024 * 1024
    head = f"POST /baremetal/v1/nodes HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n"
    request = f"{head}Content-Type: application/json\r\n\r\n".encode() + b" " * (size - 1)

    def run() -> None:
        while not target.is_over:
            with contextlib.suppress(OSError), connect(target, "127.0.0.9") as connection:
                connection.sendall(request)
                while not target.is_over and (answer := connection.recv(65_536)):
                    target.answers[answer[9:12].decode("latin-1")] += 1
            time.sleep(REFUSED_PAUSE_SECONDS)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(max(0.0, target.until - time.monotonic()))


def guess_passwords(target: Target) -> None:
    """Try wrong passwords of a real user from 40 connections."""
    tries = iter(range(10**9))
    repeat(
        target,
        "127.0.0.10",
        40,
        lambda number: encode("GET", "/baremetal/v1/nodes?limit=1", ("olga", f"guess-{next(tries)}")),
    )


def list_large_pages(target: Target) -> None:
    """Store as much as the server takes in 60 allocations, and list them eight times at once."""
    largest = next((size for size in (3_900_000, 900_000, 60_000) if _stores(target, size)), 1_000)
    for _ in range(59):
        _stores(target, largest)
    request = encode("GET", "/baremetal/v1/allocations", MEMBER)
    repeat(target, "127.0.0.11", 8, lambda number: request)


def _stores(target: Target, size: int) -> bool:
    document = {"resource_class": "none", "extra": {"blob": "x" * size}}
    with connect(target, "127.0.0.11") as connection:
        status, _ = ask(connection, encode("POST", "/baremetal/v1/allocations", MEMBER, document))
    return status == 201


def open_many_connections(target: Target) -> None:
    """List nodes from 300 connections of one user."""
    request = encode("GET", "/baremetal/v1/allocations?limit=50", MEMBER)
    repeat(target, "127.0.0.12", 300, lambda number: request)


ATTACKS: Mapping[str, Callable[[Target], None]] = {
    "leases": ask_for_impossible_leases,
    "elements": send_million_elements,
    "bodies": withhold_last_byte,
    "passwords": guess_passwords,
    "pages": list_large_pages,
    "connections": open_many_connections,
}


def attack(name: str, port: int, seconds: float, start: Barrier, results: "SimpleQueue[str]") -> None:
    """Run one attack in its own process, together with the others, and report the answers that it got.

    The attackers of a real site have machines of their own, so here they yield the processors to the server.
    """
    os.nice(10)
    start.wait()
    target = Target(port, time.monotonic() + seconds)
    ATTACKS[name](target)
    counts = ", ".join(f"{status} {count} times" for status, count in sorted(target.answers.items()))
    results.put(f"{name}: {counts or 'no answer'}")
