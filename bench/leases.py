"""Leases with a full calendar: created, refused and listed."""

import time
import uuid
from collections.abc import Iterator
from typing import Any

from sqlalchemy import insert

from bench.load import Client, get
from bench.moves import acceptance_figures
from bench.services.dibs import Dibs
from bench.services.engines import Engine
from bench.tables import FIGURES_HEAD, Effort, Row, compare, progress
from dibs.leases.tables import host_properties
from tests.fleet import FIRST_ID
from tests.laws import connect
from tests.lease_builders import at
from tests.lease_rows import fill_hosts, fill_leases

SIZES = {(500, 1_000): ("10 ms", "25 ms"), (2_000, 5_000): ("20 ms", "paged")}
"""Hosts and leases, with the goals of creating one and of listing a page."""
SPREAD_HOURS = 30 * 24
PAGE = 1_000
GPU = '["==", "$gpu", "a100"]'
NAME = "bench"


def measure_leases(engine_name: str, effort: Effort) -> Iterator[str]:
    """Yield a table for each size of the calendar, and the leases that are accepted with and without moves."""
    engine = Engine(engine_name)
    try:
        for (hosts, leases), goals in SIZES.items():
            yield from _calendar(engine, hosts, leases, goals, effort)
        yield "\nLeases accepted when they ask for 80 % of all hours: a simulation, without HTTP and database\n"
        yield from FIGURES_HEAD
        yield from acceptance_figures()
    finally:
        engine.close()


def _calendar(engine: Engine, hosts: int, leases: int, goals: tuple[str, str], effort: Effort) -> Iterator[str]:
    dibs = Dibs(engine)
    try:
        target = dibs.start()
        progress(f"writing {hosts:,} hosts and {leases:,} leases")
        with Client(target) as client:
            create_host(client)
        fill_calendar(dibs, hosts, leases)
        yield f"\n{hosts:,} hosts with {leases:,} leases\n"
        yield from compare(rows(hosts, *goals), None, target, effort)
    finally:
        dibs.stop()


def create_host(client: Client) -> None:
    """Create the host that ``fill_hosts`` copies."""
    host = str(uuid.uuid4())
    sizes = {"VCPU": 64, "MEMORY_MB": 262_144, "DISK_GB": 2_000}
    inventories = {name: {"total": total, "max_unit": total} for name, total in sizes.items()}
    client.send("POST", "placement", "/resource_providers", {"uuid": host, "name": host})
    body = {"resource_provider_generation": 0, "inventories": inventories}
    client.send("PUT", "placement", f"/resource_providers/{host}/inventories", body)
    client.send("POST", "reservation", "/v1/os-hosts", {"name": host, "gpu": "none"})


def fill_calendar(dibs: Dibs, hosts: int, leases: int) -> None:
    """Insert hosts, every tenth with another GPU, and leases of the coming weeks."""
    fill_hosts(dibs.url, hosts)
    with connect(dibs.url) as connection, connection.begin():
        values = [(FIRST_ID + number, "none" if number % 10 else "a100") for number in range(hosts)]
        rows = [{"host_id": host, "name": "gpu", "value": value} for host, value in values]
        connection.execute(insert(host_properties), rows)
    fill_leases(dibs.url, leases, hosts)
    dibs.notice_rows()


def rows(hosts: int, create_goal: str, list_goal: str) -> list[Row]:
    """Return the rows of a calendar with this many hosts."""
    both = [whole(resource_properties=GPU), four(resource_properties=GPU)]
    made: dict[str, Any] = {"goal": create_goal, "after": delete_made}
    return [
        Row(name="create a lease of a whole host", work=lambda client: create(client, whole()), **made),
        Row(name="create a lease of 4 instances", work=lambda client: create(client, four()), **made),
        Row(name="create a lease of both, with a property", work=lambda client: create(client, *both), **made),
        Row(name="refuse a lease", work=lambda client: create(client, whole(hosts + 2), refused=True)),
        Row(name=f"list {PAGE:,} leases", goal=list_goal, work=get("reservation", f"/v1/leases?limit={PAGE}")),
    ]


def create(client: Client, *reservations: dict[str, Any], refused: bool = False) -> None:
    """Create a lease of a day, or be refused it."""
    start = 3 + (client.number * 97 + client.turn) * 7 % SPREAD_HOURS
    document = {
        "name": NAME,
        "start_date": _date(start),
        "end_date": _date(start + 24),
        "reservations": list(reservations),
        "events": [],
    }
    client.send("POST", "reservation", "/v1/leases", document, refused=refused)


def whole(count: int = 1, resource_properties: str = "") -> dict[str, Any]:
    """Return a reservation of whole hosts."""
    return {
        "resource_type": "physical:host",
        "min": count,
        "max": count,
        "hypervisor_properties": "",
        "resource_properties": resource_properties,
    }


def four(resource_properties: str = "") -> dict[str, Any]:
    """Return a reservation of four instances."""
    sizes = {"vcpus": 1, "memory_mb": 1_024, "disk_gb": 0, "amount": 4}
    others = {"affinity": None, "resource_properties": resource_properties}
    return {"resource_type": "virtual:instance", **sizes, **others}


def delete_made(client: Client) -> None:
    """Delete the leases that the bench created."""
    made, marker = [], ""
    while page := client.get("reservation", f"/v1/leases?limit={PAGE}{marker}")["leases"]:
        made += [each["id"] for each in page if each["name"] == NAME]
        marker = f"&marker={page[-1]['id']}"
    for lease_id in made:
        client.send("DELETE", "reservation", f"/v1/leases/{lease_id}")


def _date(hours: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at(hours) // 1_000_000))
