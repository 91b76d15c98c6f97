"""What leases were promised of hosts. The caller has locked the providers of the hosts."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.leases import FLAVORED_INSTANCES, WHOLE_HOST
from dibs.leases.model.matching.promises import Promise
from dibs.leases.model.matching.requirements import about_traits, parse
from dibs.leases.tables import bookings, hosts, lease_reservations, leases


def host_ids_of(tx: Transaction, provider_ids: Sequence[int]) -> dict[int, int]:
    """Return the ids of the hosts that have bookings, by the row ids of their providers."""
    return dict(
        row
        for piece in sets.pieces(provider_ids)
        for row in tx.tuples(_booked_hosts(len(piece)), sets.numbered("id", piece))
    )


def on_hosts(tx: Transaction, host_ids: Sequence[int]) -> dict[int, list[Promise]]:
    """Return what leases were promised of hosts, by the id of the host."""
    found: dict[int, list[Promise]] = {host_id: [] for host_id in host_ids}
    for piece in sets.pieces(host_ids):
        for row in tx.rows(_promises(len(piece)), sets.numbered("id", piece)):
            found[row["host_id"]].append(_promise(row))
    return found


def _promise(row: dict[str, Any]) -> Promise:
    flavored = row["resource_type"] == FLAVORED_INSTANCES
    texts = () if flavored else (row["hypervisor_properties"], row["resource_properties"])
    traits = about_traits(json.loads(row["required_traits"]), json.loads(row["forbidden_traits"]))
    return Promise(
        lease=row["uuid"],
        booking=Booking(
            reservation_id=row["reservation_id"],
            host_id=row["host_id"],
            start_at=row["start_at"],
            end_at=row["end_at"],
            amount=row["amount"],
            whole=row["resource_type"] == WHOLE_HOST,
            resources=json.loads(row["resources"]),
        ),
        requirements=(*(requirement for text in texts for requirement in parse(text)), *traits),
    )


@sets.cached
def _booked_hosts(count: int) -> Select[Any]:
    booked = select(bookings.c.host_id).where(bookings.c.host_id == hosts.c.id).exists()
    return select(hosts.c.provider_id, hosts.c.id).where(hosts.c.provider_id.in_(sets.binds("id", count)), booked)


@sets.cached
def _promises(count: int) -> Select[Any]:
    reservation = lease_reservations.c
    columns = (
        bookings.c.host_id,
        bookings.c.reservation_id,
        bookings.c.start_at,
        bookings.c.end_at,
        bookings.c.amount,
        leases.c.uuid,
        reservation.resource_type,
        reservation.resources,
        reservation.required_traits,
        reservation.forbidden_traits,
        reservation.hypervisor_properties,
        reservation.resource_properties,
    )
    joined = bookings.join(lease_reservations, reservation.id == bookings.c.reservation_id)
    joined = joined.join(leases, leases.c.id == reservation.lease_id)
    return select(*columns).select_from(joined).where(bookings.c.host_id.in_(sets.binds("id", count)))
