"""Rendered leases, compared with the answers of a running Blazar."""

import json
from typing import Any

import msgspec

from dibs.dialects.reservation.documents.rendering import render_lease
from dibs.leases.model import leases
from dibs.leases.model.leases import Event, Lease, Reservation

START = 1_794_940_320_000_000  # 2026-11-17 18:32 UTC
HOUR = 3_600_000_000
LEASE = "4c0e5eb7-5c55-4e5a-852e-b25924907c20"
PART = "faeeb221-ba01-4264-88c2-4b7f7663bd01"


def lease_of(*reservations: Reservation) -> Lease:
    return Lease(
        id=1,
        uuid=LEASE,
        name="v-false",
        project_id="p-admin",
        user_id="u-admin",
        start_at=START,
        end_at=START + 4 * HOUR,
        status=leases.PENDING,
        created_at=START - 48 * HOUR,
        reservations=reservations,
        events=(
            Event(id=1, uuid=PART, kind=leases.START, status=leases.UNDONE, due_at=START, created_at=START - 48 * HOUR),
        ),
    )


def render(*reservations: Reservation) -> dict[str, Any]:
    """Return what a client reads."""
    shown: dict[str, Any] = json.loads(msgspec.json.encode(render_lease(lease_of(*reservations))))
    return shown


def test_lease_of_instances_is_rendered_as_blazar_does() -> None:
    part = Reservation(
        id=1,
        uuid=PART,
        resource_type=leases.INSTANCES,
        status=leases.RESERVATION_PENDING,
        least=2,
        most=2,
        affinity=False,
        resources={"VCPU": 1, "MEMORY_MB": 1024, "DISK_GB": 10},
        created_at=START - 48 * HOUR,
    )
    assert render(part) == {
        "id": LEASE,
        "name": "v-false",
        "user_id": "u-admin",
        "project_id": "p-admin",
        "start_date": "2026-11-17T18:32:00.000000",
        "end_date": "2026-11-17T22:32:00.000000",
        "trust_id": None,
        "status": "PENDING",
        "degraded": False,
        "created_at": "2026-11-15 18:32:00",
        "updated_at": None,
        "reservations": [
            {
                "id": PART,
                "lease_id": LEASE,
                "resource_id": PART,
                "resource_type": "virtual:instance",
                "status": "pending",
                "missing_resources": False,
                "resources_changed": False,
                "created_at": "2026-11-15 18:32:00",
                "updated_at": None,
                "vcpus": 1,
                "memory_mb": 1024,
                "disk_gb": 10,
                "amount": 2,
                "affinity": False,
                "resource_properties": "",
                "flavor_id": PART,
                "aggregate_id": None,
                "server_group_id": None,
            }
        ],
        "events": [
            {
                "id": PART,
                "lease_id": LEASE,
                "event_type": "start_lease",
                "time": "2026-11-17T18:32:00.000000",
                "status": "UNDONE",
                "created_at": "2026-11-15 18:32:00",
                "updated_at": None,
            }
        ],
    }


def test_reservation_of_hosts_shows_min_max_and_requirements() -> None:
    part = Reservation(
        id=1,
        uuid=PART,
        resource_type=leases.WHOLE_HOST,
        status=leases.RESERVATION_PENDING,
        least=1,
        most=3,
        resource_properties='["==", "$gpu", "True"]',
        before_end="default",
        created_at=START,
    )
    (shown,) = render(part)["reservations"]
    assert (shown["min"], shown["max"], shown["before_end"]) == (1, 3, "default")
    assert (shown["hypervisor_properties"], shown["resource_properties"]) == ("", '["==", "$gpu", "True"]')
    assert "flavor_id" not in shown


def test_flavored_instances_have_the_size_of_their_flavor() -> None:
    """A flavor for nodes takes the node, not processors."""
    part = Reservation(
        id=1,
        uuid=PART,
        resource_type=leases.FLAVORED_INSTANCES,
        status=leases.RESERVATION_PENDING,
        least=1,
        most=1,
        resources={"CUSTOM_GOLD": 1},
        resource_properties=json.dumps({"id": "m1", "vcpus": 4, "ram": 1024, "disk": 20}),
        created_at=START,
    )
    (shown,) = render(part)["reservations"]
    assert (shown["vcpus"], shown["memory_mb"], shown["disk_gb"]) == (4, 1024, 20)
    assert json.loads(shown["resource_properties"])["id"] == "m1"
