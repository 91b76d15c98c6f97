"""Start leases that are locked.

Each host's reservation provider gets an inventory of the reservation's own class with the number of instances on that
host, and the project may use the flavor that requests the class.
"""

from collections.abc import Iterable, Sequence

from dibs.database.transaction import Transaction
from dibs.leases.model.events import booking_started_event
from dibs.leases.model.leases import (
    ACTIVE,
    DONE,
    IN_PROGRESS,
    RESERVATION_ACTIVE,
    START,
    STARTING,
    Event,
    Lease,
    Reservation,
)
from dibs.leases.model.outbox import GRANT_FLAVORS
from dibs.leases.operations import reservation_inventories
from dibs.leases.operations.booking import BookedHost, providers_of
from dibs.leases.queries import events, outbox, reservation_flavors
from dibs.leases.queries.lease_rows import groups
from dibs.ledger.queries import providers


def without_predecessor(tx: Transaction, leases: Sequence[Lease]) -> list[Lease]:
    """Return the leases whose hosts every earlier lease has released."""
    waiting = events.with_predecessor(tx, [lease.id for lease in leases])
    return [lease for lease in leases if lease.id not in waiting]


def start(tx: Transaction, now: int, leases: Sequence[Lease], booked: Iterable[BookedHost]) -> None:
    """Start locked leases whose hosts are among those ``booked``."""
    lease_of = {reservation.id: lease for lease in leases for reservation in lease.reservations}
    own = [each for each in booked if each.reservation_id in lease_of]
    providers.lock_many(tx, providers_of(own), now)
    for each in own:
        tx.record(booking_started_event(lease_of[each.reservation_id], each.host.provider))
    instances = [each for lease in leases for each in _instances(lease)]
    reservation_inventories.offer_on(tx, now, instances, own)
    reservation_flavors.grant(tx, [each.id for each in instances])
    groups.change_reservations(tx, leases, now, status=RESERVATION_ACTIVE)
    external = [lease for lease in leases if lease.external_compute]
    for lease in external:
        flavors = [each.uuid for each in _instances(lease)]
        outbox.add(tx, GRANT_FLAVORS, lease.uuid, {"flavors": flavors, "project": lease.project_id}, now)
    groups.change_events(tx, _start_events(external), now, status=IN_PROGRESS)
    groups.change(tx, external, now, status=STARTING)
    finish_start(tx, now, [lease for lease in leases if not lease.external_compute])


def finish_start(tx: Transaction, now: int, leases: Sequence[Lease]) -> None:
    """Set locked leases to ACTIVE."""
    groups.change_events(tx, _start_events(leases), now, status=DONE)
    groups.change(tx, leases, now, status=ACTIVE)


def _instances(lease: Lease) -> list[Reservation]:
    return [reservation for reservation in lease.reservations if not reservation.whole_hosts]


def _start_events(leases: Iterable[Lease]) -> list[Event]:
    return [event for lease in leases for event in lease.events if event.kind == START]
