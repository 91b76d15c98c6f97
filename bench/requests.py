"""Single requests to a server with many nodes, and the whole fleet page by page."""

import re
import time
import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit

from bench.baremetal import V1, show_one_of
from bench.load import Client, get
from bench.services.dibs import Dibs
from bench.services.engines import Engine
from bench.tables import FIGURES_HEAD, Effort, Row, compare, figure, progress
from tests.fleet import fill, uuid_of

NODES = 10_000
CLIENTS = 16
_STATEMENTS = re.compile(rb"^dibs_sql_statements_total (\S+)", re.MULTILINE)


def measure_requests(engine_name: str, effort: Effort) -> Iterator[str]:
    """Yield the table of requests and the figures of lists."""
    engine = Engine(engine_name)
    dibs = Dibs(engine)
    try:
        progress(f"writing {NODES:,} nodes")
        fill(dibs.url, NODES)
        dibs.notice_rows()
        target = dibs.start()
        yield f"\n{NODES:,} nodes with five traits each, {CLIENTS} clients, one process\n"
        yield from compare(rows(), None, target, effort)
        yield "\nThe whole fleet with its traits, page by page\n"
        yield from FIGURES_HEAD
        with Client(target) as client:
            for size in (1_000, 100):
                yield _pages(client, size)
    finally:
        dibs.stop()
        engine.close()


def rows() -> list[Row]:
    """Return the rows; the first is what the HTTP edge alone costs."""
    by_traits = "traits=CUSTOM_7,HW_CPU_X86_VMX&fields=uuid"
    work = {
        "GET /livez": get("", "/livez"),
        "GET one node": show_one_of(NODES),
        "GET one node, 2 fields": lambda client: client.send("GET", "baremetal", f"{_own(client)}?fields=uuid,name"),
        "GET traits of a node": lambda client: client.send("GET", "baremetal", f"{_own(client)}/traits"),
        "GET 100 nodes": get("baremetal", f"{V1}/nodes?limit=100"),
        "GET 100 nodes, detail": get("baremetal", f"{V1}/nodes/detail?limit=100"),
        "GET 100 by two traits": get("baremetal", f"{V1}/nodes?limit=100&{by_traits}"),
        "PUT a trait": _put_trait,
        "PATCH a node": _patch,
        "POST a node": _create,
    }
    return [Row(name=name, work=each, clients=CLIENTS) for name, each in work.items()]


def _own(client: Client) -> str:
    return f"{V1}/nodes/{uuid_of(client.number)}"


def _put_trait(client: Client) -> None:
    client.send("PUT", "baremetal", f"{_own(client)}/traits/CUSTOM_{client.turn % 40}")


def _patch(client: Client) -> None:
    patch = [{"op": "add", "path": "/extra/turn", "value": client.turn}]
    client.send("PATCH", "baremetal", _own(client), patch)


def _create(client: Client) -> None:
    document = {"driver": "fake-hardware", "uuid": str(uuid.uuid4()), "resource_class": "bench"}
    client.send("POST", "baremetal", f"{V1}/nodes", document)


def _pages(client: Client, size: int) -> str:
    before, began = _statements(client), time.perf_counter()
    nodes = pages = 0
    path: str | None = f"{V1}/nodes?fields=uuid,traits&limit={size}"
    while path is not None:
        document = client.get("baremetal", path)
        nodes, pages = nodes + len(document["nodes"]), pages + 1
        following = document.get("next")
        path = following and following.partition(urlsplit(following).netloc)[2].removeprefix("/baremetal")
    seconds, statements = time.perf_counter() - began, _statements(client) - before
    if nodes < NODES:
        raise RuntimeError(f"{nodes} nodes are listed, there are {NODES}")
    measured = f"{nodes / seconds:,.0f} nodes/s, {statements / pages:.1f} statements a page"
    return figure(f"pages of {size:,} nodes", measured)


def _statements(client: Client) -> float:
    """Return the number of statements, including the few of the conductor."""
    found = _STATEMENTS.search(client.send("GET", "", "/metrics"))
    return float(found[1]) if found else 0.0
