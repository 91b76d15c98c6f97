"""Dibs and OpenStack Ironic with the same nodes: enrolment, allocations, lists; and Dibs alone with a large fleet."""

import uuid
from collections.abc import Iterator
from typing import Any

from bench.load import Client, Work, get
from bench.services.dibs import Dibs
from bench.services.engines import Engine
from bench.services.ironic import Ironic
from bench.tables import Effort, Row, compare, progress
from tests.fleet import fill, uuid_of

NODES = 100
LARGE = 20_000
CLASS = "fleet"
V1 = "/v1"


def measure_baremetal(engine_name: str, effort: Effort, with_original: bool) -> Iterator[str]:
    """Yield the table of both services with one process each."""
    engines = [Engine(engine_name) for _ in range(1 + with_original)]
    dibs = Dibs(engines[0])
    ironic = Ironic(engines[1]) if with_original else None
    try:
        progress(f"starting the services and writing {NODES} nodes")
        fill(dibs.url, NODES)
        ours = dibs.start()
        theirs = ironic.start() if ironic else None
        if ironic and theirs:
            with Client(theirs) as client:
                ironic.copy_node(enrol(client), NODES)
        yield f"\n{NODES} nodes with five traits each\n"
        yield from compare(rows(), theirs, ours, effort)
    finally:
        dibs.stop()
        if ironic:
            ironic.stop()
        for engine in engines:
            engine.close()


def measure_fleet(engine_name: str, effort: Effort) -> Iterator[str]:
    """Yield the table of Dibs alone with a large fleet."""
    engine = Engine(engine_name)
    dibs = Dibs(engine)
    try:
        progress(f"writing {LARGE:,} nodes")
        fill(dibs.url, LARGE)
        dibs.notice_rows()
        yield f"\n{LARGE:,} nodes with five traits each; no node has the two traits of the refusals\n"
        yield from compare(rows_of_a_large_fleet(), None, dibs.start(), effort)
    finally:
        dibs.stop()
        engine.close()


def rows() -> list[Row]:
    """Return the rows of both services."""
    used: dict[str, Any] = {"count_max": NODES, "after": release_all}
    return [
        Row(name="enrol to available", goal="40x", work=enrol),
        Row(name="allocation to active, one client", goal="30x", work=allocate, **used),
        Row(name="allocation to active, 8 clients", goal="30x", work=allocate, clients=8, warm=True, **used),
        Row(name="allocation to active, 16 clients", goal="1,000 per s", work=allocate, clients=16, warm=True, **used),
        Row(name="100 nodes in detail", goal="20x", work=get("baremetal", f"{V1}/nodes/detail?limit=100")),
        Row(name="show one node", goal="15x", work=show_one_of(NODES)),
    ]


def rows_of_a_large_fleet() -> list[Row]:
    """Return the rows of the search for a free node."""
    return [
        Row(name="allocate a node with a trait of 1 %", goal="5 ms", work=_allocate_with_trait, after=release_all),
        Row(name="refuse an allocation with counted reasons", goal="20 ms", work=_refuse, after=release_all),
        Row(name="why", goal="10 ms", work=_why),
    ]


def enrol(client: Client) -> str:
    """Create a node and bring it to available; return its uuid."""
    node = str(uuid.uuid4())
    client.send("POST", "baremetal", f"{V1}/nodes", {"uuid": node, "driver": "fake-hardware", "resource_class": CLASS})
    path = f"{V1}/nodes/{node}"
    for verb, state in (("manage", "manageable"), ("provide", "available")):
        client.send("PUT", "baremetal", f"{path}/states/provision", {"target": verb})
        client.wait_for("baremetal", path, "provision_state", state)
    return node


def allocate(client: Client, state: str = "active", **values: object) -> None:
    """Create an allocation and wait for its end state."""
    made = str(uuid.uuid4())
    client.send("POST", "baremetal", f"{V1}/allocations", {"uuid": made, "resource_class": CLASS, **values})
    client.wait_for("baremetal", f"{V1}/allocations/{made}", "state", state)


def release_all(client: Client, only: str = "") -> None:
    """Delete every allocation, or those that a filter selects."""
    while found := client.get("baremetal", f"{V1}/allocations?fields=uuid{only}")["allocations"]:
        for each in found:
            client.send("DELETE", "baremetal", f"{V1}/allocations/{each['uuid']}")


def _allocate_with_trait(client: Client) -> None:
    allocate(client, traits=[f"CUSTOM_{client.turn % 100}"])


def _refuse(client: Client) -> None:
    allocate(client, "error", traits=["CUSTOM_7", "CUSTOM_8"])


def _why(client: Client) -> None:
    client.send("GET", "dibs", f"{V1}/why?resource_class={CLASS}&traits=CUSTOM_7,CUSTOM_8")


def show_one_of(count: int) -> Work:
    """Return the work of showing one of the first nodes of the fleet, another one each time."""

    def show(client: Client) -> None:
        client.send("GET", "baremetal", f"{V1}/nodes/{uuid_of((client.number * 97 + client.turn) % count)}")

    return show
