"""Write many hosts and leases straight into the tables, for tests where only their number matters."""

import json
import uuid
from typing import Any

from sqlalchemy import Connection, insert, update

from dibs.leases.model.leases import END, INSTANCES, PENDING, RESERVATION_PENDING, START, UNDONE, WHOLE_HOST
from dibs.leases.tables import bookings, hosts, lease_events, lease_reservations, leases
from dibs.ledger.tables import inventories, providers, structure_versions
from tests.fleet import FIRST_ID, NOW
from tests.laws import connect
from tests.lease_builders import at

RESERVATIONS_FIRST_ID = 2 * FIRST_ID
"""The first id of the providers on which active leases offer their instances."""


def fill_hosts(url: str, count: int, first: int = 0) -> None:
    """Insert ``count`` hosts of the size of the oldest one, numbered from ``first`` on."""
    numbers = range(first, first + count)
    with connect(url) as connection, connection.begin():
        host = next(connection.execute(hosts.select().order_by(hosts.c.id).limit(1)).mappings())
        own = inventories.select().where(inventories.c.provider_id == host["provider_id"])
        sizes = [dict(row) for row in connection.execute(own).mappings()]
        connection.execute(insert(providers), [_provider(FIRST_ID + n, FIRST_ID + n, None) for n in numbers])
        children = [_provider(RESERVATIONS_FIRST_ID + n, FIRST_ID + n, FIRST_ID + n) for n in numbers]
        connection.execute(insert(providers), children)
        connection.execute(insert(inventories), [row | {"provider_id": FIRST_ID + n} for n in numbers for row in sizes])
        connection.execute(insert(hosts), [dict(host) | _host(n) for n in numbers])
        _raise_versions(connection)


def fill_leases(url: str, count: int, host_count: int) -> None:
    """Insert ``count`` pending leases of two hours on the hosts that ``fill_hosts`` inserted; every eighth is whole."""
    numbers = range(count)
    with connect(url) as connection, connection.begin():
        connection.execute(insert(leases), [_lease(n) for n in numbers])
        connection.execute(insert(lease_reservations), [_reservation(n) for n in numbers])
        connection.execute(insert(lease_events), [event for n in numbers for event in _events(n)])
        connection.execute(insert(bookings), [_booking(n, FIRST_ID + n % host_count) for n in numbers])


def fill_booked_nodes(url: str, count: int, each: int, first_start: int) -> None:
    """Make the nodes that ``fleet.fill`` inserted hosts, each with some leases of a day, two days apart."""
    numbers = range(count)
    day = 24 * 3600 * 1_000_000
    with connect(url) as connection, connection.begin():
        children = [_provider(RESERVATIONS_FIRST_ID + n, FIRST_ID + n, FIRST_ID + n) for n in numbers]
        connection.execute(insert(providers), children)
        connection.execute(insert(hosts), [_host(n) | {"created_at": NOW} for n in numbers])
        _raise_versions(connection)
        windows = [(n, first_start + (2 * k + n % 2) * day) for n in numbers for k in range(each)]
        rows = [_lease(n) | {"start_at": start, "end_at": start + day} for n, (_, start) in enumerate(windows)]
        connection.execute(insert(leases), rows)
        whole = {"resource_type": WHOLE_HOST, "least": 1, "most": 1, "resources": "{}"}
        connection.execute(insert(lease_reservations), [_reservation(n) | whole for n in range(len(windows))])
        connection.execute(
            insert(bookings),
            [
                {"reservation_id": FIRST_ID + n, "host_id": FIRST_ID + host, "start_at": start, "end_at": start + day}
                | {"amount": 1}
                for n, (host, start) in enumerate(windows)
            ],
        )


def _raise_versions(connection: Connection) -> None:
    """Let processes that know the hosts notice the new ones."""
    connection.execute(update(structure_versions).values(version=structure_versions.c.version + 1))


def _provider(row_id: int, root: int, parent: int | None) -> dict[str, Any]:
    name = str(uuid.uuid4())
    return {"id": row_id, "uuid": name, "name": name, "root_id": root, "parent_id": parent, "created_at": NOW}


def _host(number: int) -> dict[str, Any]:
    row_id = FIRST_ID + number
    return {
        "id": row_id,
        "provider_id": row_id,
        "reservation_provider_id": RESERVATIONS_FIRST_ID + number,
        "name": f"host-{number}",
    }


def _window(number: int) -> dict[str, int]:
    """Return the window of a lease. Leases that are a multiple of 500 apart do not overlap: they may share a host."""
    hour = 3 + number % 100 + 3 * (number // 500)
    return {"start_at": at(hour), "end_at": at(hour + 2)}


def _lease(number: int) -> dict[str, Any]:
    owner = {"name": "l", "project_id": "p", "user_id": "u"}
    return {**_new(number), **owner, **_window(number), "status": PENDING}


def _reservation(number: int) -> dict[str, Any]:
    whole = number % 8 == 0
    amount = 1 if whole else 2
    return {
        **_new(number),
        "lease_id": FIRST_ID + number,
        "resource_type": WHOLE_HOST if whole else INSTANCES,
        "status": RESERVATION_PENDING,
        "least": amount,
        "most": amount,
        "resources": "{}" if whole else json.dumps({"VCPU": 1, "MEMORY_MB": 1_024, "DISK_GB": 0}),
        "hypervisor_properties": "",
        "resource_properties": "",
    }


def _events(number: int) -> list[dict[str, Any]]:
    window = _window(number)
    due = {START: window["start_at"], END: window["end_at"]}
    return [
        {
            **_new(2 * number + place),
            "lease_id": FIRST_ID + number,
            "kind": kind,
            "status": UNDONE,
            "due_at": due[kind],
        }
        for place, kind in enumerate(due)
    ]


def _booking(number: int, host: int) -> dict[str, Any]:
    amount = 1 if number % 8 == 0 else 2
    return {**_window(number), "reservation_id": FIRST_ID + number, "host_id": host, "amount": amount}


def _new(number: int) -> dict[str, Any]:
    return {"id": FIRST_ID + number, "uuid": str(uuid.uuid4()), "created_at": NOW}
