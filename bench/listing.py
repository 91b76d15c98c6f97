"""The whole fleet with its traits, page by page, as a scheduler reads it."""

import json
import re
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from bench.load import ask, encode

_STATEMENTS = re.compile(rb"^dibs_sql_statements_total (\S+)", re.MULTILINE)


def measure_listing(port: int, count: int) -> Iterator[str]:
    """Yield lines: nodes per second and statements per page, for pages of 1,000 and of 100."""
    rates = {}
    for size in (1_000, 100):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            before, began = _statements(connection), time.perf_counter()
            nodes, pages = _read_all(connection, size)
            seconds = time.perf_counter() - began
            statements = _statements(connection) - before
        if nodes < count:
            raise RuntimeError(f"{nodes} nodes are listed, there are {count}")
        rates[size] = nodes / seconds
        each = f"{statements / pages:.1f} statements a page"
        yield f"fields=uuid,traits, {size:>5,} a page: {rates[size]:>9,.0f} nodes/s, {each}"
    yield f"a node in a page of 1,000 costs {rates[100] / rates[1_000]:.0%} of one in a page of 100"


def _read_all(connection: socket.socket, size: int) -> tuple[int, int]:
    nodes = pages = 0
    path: str | None = f"/baremetal/v1/nodes?fields=uuid,traits&limit={size}"
    while path is not None:
        status, body = ask(connection, encode("GET", path))
        if status != 200:
            raise RuntimeError(f"{status} {body[:300]!r}")
        document = json.loads(body)
        nodes, pages = nodes + len(document["nodes"]), pages + 1
        following = document.get("next")
        path = following and following.partition(urlsplit(following).netloc)[2]
    return nodes, pages


def _statements(connection: socket.socket) -> float:
    """Return the number of statements, including the few of the conductor."""
    _, metrics = ask(connection, encode("GET", "/metrics"))
    found = _STATEMENTS.search(metrics)
    return float(found[1]) if found else 0.0
