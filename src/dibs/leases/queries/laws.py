"""Read what the laws of leases compare, and find rows that break them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select

from dibs.database import sets
from dibs.database.laws import Page, pages_of, within
from dibs.database.transaction import Transaction
from dibs.flavors.model.flavors import CLASS_PREFIX
from dibs.leases.model.leases import RESERVATION_DELETED, TERMINATED, UNDONE
from dibs.leases.tables import bookings, hosts, lease_events, lease_reservations, leases
from dibs.ledger.tables import resource_classes

hosts_page = pages_of(hosts.c.id)
leases_page = pages_of(leases.c.id)
classes_page = pages_of(resource_classes.c.id)

_HOSTS = select(hosts.c.id).where(within(hosts.c.id))
_RESERVATIONS = select(bookings.c.reservation_id).where(within(bookings.c.host_id)).distinct()
_RELEASED = (
    select(leases.c.uuid)
    .join(lease_reservations, lease_reservations.c.lease_id == leases.c.id)
    .join(bookings, bookings.c.reservation_id == lease_reservations.c.id)
    .where(within(leases.c.id), leases.c.status == TERMINATED)
    .distinct()
)
_SETTLED = (
    select(leases.c.uuid, leases.c.status, lease_events.c.kind)
    .outerjoin(lease_events, (lease_events.c.lease_id == leases.c.id) & (lease_events.c.status == UNDONE))
    .where(within(leases.c.id))
    .order_by(leases.c.id)
)
_CLASSES = select(resource_classes.c.name).where(
    within(resource_classes.c.id), resource_classes.c.name.startswith(CLASS_PREFIX, autoescape=True)
)


def hosts_of(tx: Transaction, page: Page) -> list[int]:
    """Return the hosts of a page."""
    return tx.values(_HOSTS, page.binds)


def reservations_on(tx: Transaction, page: Page) -> list[int]:
    """Return the reservations that have booked a host of a page."""
    return tx.values(_RESERVATIONS, page.binds)


def ended_with_bookings(tx: Transaction, page: Page) -> list[str]:
    """Return the leases that have ended and still have hosts."""
    return tx.values(_RELEASED, page.binds)


def undone_events(tx: Transaction, page: Page) -> dict[tuple[str, str], set[str]]:
    """Return the kinds of the undone events of each lease, by its uuid and status."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for uuid, status, kind in tx.tuples(_SETTLED, page.binds):
        found[uuid, status].update([kind] if kind else [])
    return found


def reservation_classes(tx: Transaction, page: Page) -> list[str]:
    """Return the resource classes that belong to reservations."""
    return tx.values(_CLASSES, page.binds)


def live_reservations(tx: Transaction, uuids: Sequence[str]) -> set[str]:
    """Return those of several reservations that exist and have not ended."""
    return {uuid for piece in sets.pieces(uuids) for uuid in tx.values(_live(len(piece)), sets.numbered("uuid", piece))}


@sets.cached
def _live(count: int) -> Select[Any]:
    given = lease_reservations.c.uuid.in_(sets.binds("uuid", count))
    return select(lease_reservations.c.uuid).where(given, lease_reservations.c.status != RESERVATION_DELETED)
