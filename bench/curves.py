"""How cost grows with size: nodes, leases, API processes, queued allocations. Rows are inserted directly."""

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import insert, select

from bench.baremetal import CLASS, allocate, enrol, release_all, show_one_of
from bench.cpu import cpu_seconds
from bench.leases import create, create_host, delete_made, fill_calendar, four, whole
from bench.load import Client, Load, Target, get
from bench.placement import allocation
from bench.services.dibs import Dibs
from bench.services.engines import Engine
from bench.tables import FIGURES_HEAD, Effort, Row, curve, figure, measure_in_turns, progress
from dibs.allocations.model.allocations import ALLOCATING
from dibs.allocations.tables import allocations
from dibs.machines.tables import conductors
from tests.fleet import FIRST_ID, fill, uuid_of
from tests.laws import connect

NODES = (1_000, 10_000, 100_000)
CALENDARS = {1_000: 500, 10_000: 2_000, 50_000: 10_000}
"""Hosts by the number of leases."""
PROCESSES = (1, 2, 4)
QUEUES = (100, 1_000, 10_000)
QUEUE_NODES = 1_000
CLIENTS = 16
IDLE_SECONDS = 5
SETTLE_SECONDS = 5
"""The time for the first forecast of a queue that was just filled, which no later work repeats."""
WAIT_SECONDS = 86_400


def measure_nodes(engine_name: str, effort: Effort) -> Iterator[str]:
    """Yield the curve over the number of nodes."""
    columns = {}
    for count in NODES:
        with _served(engine_name, nodes=count) as (_, target):
            columns[count] = _loads(_fleet_rows(), target, effort)
    yield "\nOne process, one client\n"
    yield from curve("nodes", columns)


def measure_calendar(engine_name: str, effort: Effort) -> Iterator[str]:
    """Yield the curve over the number of leases."""
    columns = {}
    for leases, hosts in CALENDARS.items():
        with _served(engine_name) as (dibs, target):
            with Client(target) as client:
                create_host(client)
            progress(f"writing {hosts:,} hosts and {leases:,} leases")
            fill_calendar(dibs, hosts, leases)
            columns[leases] = _loads(_lease_rows(), target, effort)
    yield f"\nOn {', '.join(f'{hosts:,}' for hosts in CALENDARS.values())} hosts; one process\n"
    yield from curve("leases", columns)


def measure_processes(engine_name: str, effort: Effort) -> Iterator[str]:
    """Yield the curve over the number of API processes."""
    columns = {}
    for count in PROCESSES:
        with _served(engine_name, nodes=NODES[0], workers=count) as (_, target):
            columns[count] = _loads(_fleet_rows(CLIENTS)[2:], target, effort)
    yield f"\n{NODES[0]:,} nodes, {CLIENTS} clients, which share the cores with the processes and the database\n"
    yield from curve("processes", columns)


def measure_allocation_queue(engine_name: str, effort: Effort) -> Iterator[str]:
    """Yield the curve over the number of queued allocations, and the CPU time of waiting."""
    columns, idle = {}, []
    for count in QUEUES:
        with _served(engine_name, nodes=QUEUE_NODES) as (dibs, target):
            _fill_queue(dibs.url, count)
            time.sleep(SETTLE_SECONDS)
            columns[count] = _loads(_queue_rows(), target, effort)
            before = cpu_seconds(target.pid)
            time.sleep(IDLE_SECONDS)
            percent = (cpu_seconds(target.pid) - before) * 100 / IDLE_SECONDS
            idle.append(figure(f"CPU of a process with {count:,} queued", f"{percent:.1f} % of a core"))
    yield f"\n{QUEUE_NODES:,} nodes; none has the traits for which the allocations wait\n"
    yield from curve("queued", columns)
    yield "\nWithout requests\n"
    yield from FIGURES_HEAD
    yield from idle


@contextmanager
def _served(engine_name: str, nodes: int = 0, workers: int = 1) -> Iterator[tuple[Dibs, Target]]:
    engine = Engine(engine_name)
    dibs = Dibs(engine, workers)
    try:
        if nodes:
            progress(f"writing {nodes:,} nodes")
            fill(dibs.url, nodes)
            dibs.notice_rows()
        yield dibs, dibs.start()
    finally:
        dibs.stop()
        engine.close()


def _loads(rows: Sequence[Row], target: Target, effort: Effort) -> Mapping[str, Load]:
    found = {}
    for row in rows:
        progress(row.name)
        (found[row.name],) = measure_in_turns(row, [target], effort)
    return found


def _fleet_rows(clients: int = 1) -> list[Row]:
    search = "/allocation_candidates?resources=CUSTOM_FLEET:1&limit=100"
    return [
        Row(name="enrol to available", work=enrol, clients=clients),
        Row(name="list a page of 100", work=get("baremetal", "/v1/nodes?limit=100"), clients=clients),
        Row(name="show one node", work=show_one_of(NODES[0]), clients=clients),
        Row(name="candidates, limit=100", work=get("placement", search), clients=clients),
        Row(name="claim and release", work=_claim_and_release, clients=clients),
    ]


def _lease_rows() -> list[Row]:
    made: dict[str, Any] = {"after": delete_made}
    return [
        Row(name="create a lease of a whole host", work=lambda client: create(client, whole()), **made),
        Row(name="create a lease of 4 instances", work=lambda client: create(client, four()), **made),
        Row(name=f"the same, {CLIENTS} clients", work=lambda client: create(client, four()), clients=CLIENTS, **made),
        Row(name="list a page of 100", work=get("reservation", "/v1/leases?limit=100")),
    ]


def _queue_rows() -> list[Row]:
    return [
        Row(name="allocation of a free node to active", work=allocate, count_max=QUEUE_NODES, after=_release_active),
        Row(name="queue and withdraw an allocation", work=_queue_and_withdraw),
        Row(name="list a page of 100", work=get("baremetal", "/v1/allocations?limit=100")),
    ]


def _claim_and_release(client: Client) -> None:
    path = f"/allocations/{uuid.uuid4()}"
    node = uuid_of((client.number * 61 + client.turn) % NODES[0])
    client.send("PUT", "placement", path, allocation(node, {"CUSTOM_FLEET": 1}))
    client.send("DELETE", "placement", path)


def _queue_and_withdraw(client: Client) -> None:
    made = str(uuid.uuid4())
    wanted = {"resource_class": CLASS, "traits": ["CUSTOM_1", "CUSTOM_2"], "wait_seconds": WAIT_SECONDS}
    client.send("POST", "dibs", "/v1/allocations", {"uuid": made, **wanted})
    client.send("DELETE", "baremetal", f"/v1/allocations/{made}")


def _release_active(client: Client) -> None:
    release_all(client, "&state=active")


def _fill_queue(url: str, count: int) -> None:
    """Insert allocations of a hundred kinds that wait for nodes that do not exist."""
    now = time.time_ns() // 1_000
    with connect(url) as connection, connection.begin():
        conductor = connection.execute(select(conductors.c.id)).scalars().one()
        connection.execute(
            insert(allocations),
            [
                {
                    "id": FIRST_ID + number,
                    "uuid": str(uuid.uuid4()),
                    "state": ALLOCATING,
                    "resource_class": CLASS,
                    "traits": json.dumps([f"CUSTOM_{number % 100}", f"CUSTOM_{(number + 1) % 100}"]),
                    "conductor_id": conductor,
                    "wait_until": now + WAIT_SECONDS * 1_000_000,
                    "created_at": now,
                }
                for number in range(count)
            ],
        )
