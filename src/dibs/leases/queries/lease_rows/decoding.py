"""The rows of leases, reservations and events: their columns, and the values that are made of them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from dibs.leases.model.leases import Event, Lease, Reservation

LEASE = tuple(name for name in Lease.__struct_fields__ if name not in ("id", "reservations", "events"))
RESERVATION = tuple(name for name in Reservation.__struct_fields__ if name != "id")
EVENT = tuple(name for name in Event.__struct_fields__ if name != "id")
OWN = ("id", *LEASE)
OF_LEASE = {"reservations": ("lease_id", "id", *RESERVATION), "events": ("lease_id", "id", *EVENT)}
"""The columns that are read of the parts of leases, in their order."""
_decode_sizes = msgspec.json.Decoder(dict[str, int]).decode
_decode_names = msgspec.json.Decoder(tuple[str, ...]).decode


def assemble(
    rows: Iterable[tuple[Any, ...]],
    reservation_rows: Iterable[tuple[Any, ...]],
    event_rows: Iterable[tuple[Any, ...]],
) -> list[Lease]:
    """Return the leases of rows with their parts; parts of other leases are left out."""
    reservations: dict[int, list[Reservation]] = defaultdict(list)
    events: dict[int, list[Event]] = defaultdict(list)
    own = list(rows)
    known = {row[0] for row in own}
    for row in reservation_rows:
        if row[0] in known:
            reservations[row[0]].append(_reservation(row))
    for row in event_rows:
        if row[0] in known:
            events[row[0]].append(_event(row))
    return [lease(row, tuple(reservations[row[0]]), tuple(events[row[0]])) for row in own]


def lease(row: tuple[Any, ...], reservations: tuple[Reservation, ...] = (), events: tuple[Event, ...] = ()) -> Lease:
    """Return the lease of a row with these parts."""
    # Row by row, a call with names costs half of one with a dictionary.
    (row_id, uuid, name, project, user, start, end, status, degraded, external, enforced, created, updated) = row
    return Lease(
        id=row_id,
        uuid=uuid,
        name=name,
        project_id=project,
        user_id=user,
        start_at=start,
        end_at=end,
        status=status,
        degraded=bool(degraded),
        external_compute=bool(external),
        enforced=bool(enforced),
        created_at=created,
        updated_at=updated,
        reservations=reservations,
        events=events,
    )


def _reservation(row: tuple[Any, ...]) -> Reservation:
    (_, row_id, uuid, kind, status, missing, changed, least, most, affinity, resources, required, forbidden) = row[:13]
    hypervisor_properties, resource_properties, before_end, created, updated, maintenance = row[13:]
    return Reservation(
        id=row_id,
        uuid=uuid,
        resource_type=kind,
        status=status,
        missing_resources=bool(missing),
        resources_changed=bool(changed),
        least=least,
        most=most,
        affinity=None if affinity is None else bool(affinity),
        resources=_decode_sizes(resources),
        required_traits=_decode_names(required),
        forbidden_traits=_decode_names(forbidden),
        hypervisor_properties=hypervisor_properties,
        resource_properties=resource_properties,
        before_end=before_end,
        created_at=created,
        updated_at=updated,
        maintenance=bool(maintenance),
    )


def _event(row: tuple[Any, ...]) -> Event:
    _, row_id, uuid, kind, status, due, created, updated = row
    return Event(id=row_id, uuid=uuid, kind=kind, status=status, due_at=due, created_at=created, updated_at=updated)
