"""The events of a lease: it begins, it is about to end, it ends.

The change of state is in the transaction of the event. A crash leaves a lease either as it was, with the event still
due, or past the event, with nothing left behind.

- The start offers the reserved instances (``starting.starts``).
- The end removes servers, flavors, inventories and classes, in this order, and releases the hosts.
"""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.documents import lease_document
from dibs.leases.model.events import booking_event, ending_soon_event
from dibs.leases.model.leases import (
    BEFORE_END,
    DONE,
    END,
    ERROR,
    FAILED,
    IN_PROGRESS,
    PENDING,
    RESERVATION_DELETED,
    RESERVATION_ERROR,
    START,
    TERMINATED,
    TERMINATING,
    UNDONE,
    Lease,
)
from dibs.leases.model.outbox import CALL_SECONDS, CLEAN_UP, NOTIFY_END
from dibs.leases.model.windows import MINUTE, SECOND
from dibs.leases.operations import booking, reservation_inventories
from dibs.leases.operations.booking import BookedHost, providers_of, read_booked_hosts
from dibs.leases.operations.starting import starts
from dibs.leases.operations.uses import uses
from dibs.leases.queries import events, hosts, leases, outbox, reservation_flavors
from dibs.ledger.queries import claim_views, providers

RETRY_MICROSECONDS = 60_000_000
"""How long a failing event is retried before its lease goes to ERROR."""


class DueEvent(Struct, frozen=True, kw_only=True):
    """An event that is due, by the uuid of its lease."""

    lease: str
    kind: str


class ListStartingLeases(Struct, frozen=True, kw_only=True):
    """List leases that start within some minutes and whose start was not announced."""

    minutes: int
    count_max: int


def list_due_events(tx: Transaction, access: Access, now: int, count_max: int) -> list[DueEvent]:
    """Return the events that are due, in the order in which to run them."""
    return [DueEvent(lease=lease, kind=kind) for lease, kind in events.due(tx, now, count_max)]


def run_event(tx: Transaction, access: Access, now: int, command: DueEvent) -> bool:
    """Run an event; return False when it is not due, is done already, or must wait for the end of an earlier lease.

    An event of a kind that this release does not know stays due, for a conductor of a later one.
    """
    lease = leases.lock(tx, command.lease)
    if lease is None or not lease.is_due(command.kind, now):
        return False
    if command.kind == START:
        return _start(tx, now, lease)
    if command.kind == END:
        _end(tx, now, lease)
        return True
    if command.kind == BEFORE_END:
        _mark(tx, now, lease, BEFORE_END, DONE)
        tx.record(ending_soon_event(lease))
        return True
    return False


def list_starting_leases(tx: Transaction, access: Access, now: int, command: ListStartingLeases) -> list[str]:
    """Return the uuids of leases whose start is to be announced."""
    return events.starting(tx, now, now + command.minutes * MINUTE, command.count_max)


def notice_start(tx: Transaction, access: Access, now: int, uuid: str) -> bool:
    """Announce that a lease starts soon; return False when it has started, or another conductor announced it."""
    lease = leases.lock(tx, uuid)
    return lease is not None and lease.status == PENDING and events.notice_start(tx, lease)


def fail_event(tx: Transaction, access: Access, now: int, command: DueEvent) -> bool:
    """Set a lease to ERROR when its event has failed for RETRY_MICROSECONDS; return False while it is retried."""
    lease = leases.lock(tx, command.lease)
    event = lease.event(command.kind) if lease else None
    if lease is None or event is None or event.status != UNDONE:
        return False
    if now < event.due_at + RETRY_MICROSECONDS:
        return False
    leases.change_event(tx, event, now, status=FAILED)
    for reservation in lease.reservations:
        leases.change_reservation(tx, lease, reservation, now, status=RESERVATION_ERROR)
    leases.change(tx, lease, now, status=ERROR)
    return True


def end_and_delete(tx: Transaction, now: int, lease: Lease) -> None:
    """End a locked lease if it has not ended, and delete it; with external servers, once those are gone."""
    if lease.external_compute and lease.status != TERMINATED:
        _clean_up(tx, now, lease, forget=True)
        return
    if lease.status != TERMINATED:
        end_now(tx, now, lease)
    leases.remove(tx, lease)


def end_now(tx: Transaction, now: int, lease: Lease) -> Lease:
    """End a locked lease in any state and release all that it has; return it as it is afterwards."""
    booked = _end_uses(tx, now, lease)
    for each in booked:
        tx.record(booking_event(lease, each.host.provider, booked=False))
    if lease.enforced:
        its_hosts = [[had.host for had in booked if had.reservation_id == each.id] for each in lease.reservations]
        outbox.add(tx, NOTIFY_END, lease.uuid, {"lease": lease_document(lease, its_hosts)}, now)
    ids = [reservation.id for reservation in lease.reservations]
    reservation_flavors.remove(tx, ids)
    reservation_inventories.remove(tx, now, lease.reservations)
    booking.release(tx, ids)
    for reservation in lease.reservations:
        leases.change_reservation(tx, lease, reservation, now, status=RESERVATION_DELETED)
    for event in lease.events:
        if event.status != DONE:
            leases.change_event(tx, event, now, status=DONE)
    return leases.change(tx, lease, now, status=TERMINATED)


def _start(tx: Transaction, now: int, lease: Lease) -> bool:
    if not starts.without_predecessor(tx, [lease]):
        return False
    starts.start(tx, now, [lease], read_booked_hosts(tx, lease.reservations))
    return True


def _end(tx: Transaction, now: int, lease: Lease) -> None:
    if lease.external_compute:
        _clean_up(tx, now, lease, forget=False)
    else:
        end_now(tx, now, lease)


def _clean_up(tx: Transaction, now: int, lease: Lease, *, forget: bool) -> None:
    """Let the external compute service delete the servers and flavors of a lease; the lease ends when they are gone.

    Earlier calls of the lease are dropped. If a conductor is making one of them, this call is due after it.
    """
    whole = {each.id for each in lease.reservations if each.whole_hosts and lease.begun}
    booked = [each.host for each in _lock_hosts(tx, now, lease) if each.reservation_id in whole]
    # Nova knows a bare-metal node by its uuid, and a compute host by its name.
    names = sorted(host.name if host.node is None else host.provider for host in booked)
    flavors = [reservation.uuid for reservation in lease.reservations if not reservation.whole_hosts]
    dropped = outbox.drop(tx, lease.uuid)
    due_at = now if dropped is None else max(now, min(dropped, now + CALL_SECONDS * SECOND))
    outbox.add(tx, CLEAN_UP, lease.uuid, {"flavors": flavors, "hosts": names, "forget": forget}, now, due_at)
    _mark(tx, now, lease, END, IN_PROGRESS)
    leases.change(tx, lease, now, status=TERMINATING)


def _mark(tx: Transaction, now: int, lease: Lease, kind: str, status: str) -> None:
    event = lease.event(kind)
    assert event is not None
    leases.change_event(tx, event, now, status=status)


def _end_uses(tx: Transaction, now: int, lease: Lease) -> list[BookedHost]:
    """Delete the servers of a lease, and release claims that clients of Placement made on its hosts.

    Return the hosts, which are locked.
    """
    uses(tx).end_servers(tx, now, [reservation.id for reservation in lease.reservations])
    booked = _lock_hosts(tx, now, lease)
    whole = {reservation.id for reservation in lease.reservations if reservation.whole_hosts}
    # Other leases may share a compute host; a node belongs to one lease.
    roots = [each.host.provider_id for each in booked if each.reservation_id in whole or each.host.node is not None]
    classes = [reservation.resource_class for reservation in lease.reservations if reservation.id not in whole]
    for consumer in claim_views.consumers_of(tx, classes=classes, roots=roots if lease.begun else ()):
        uses(tx).end_consumer(tx, now, consumer)
    return booked


def _lock_hosts(tx: Transaction, now: int, lease: Lease) -> list[BookedHost]:
    """Lock the providers of the hosts of a lease; return the hosts."""
    # Only the enforcement service is told more about hosts than who they are.
    booked = read_booked_hosts(tx, lease.reservations, hosts.some if lease.enforced else hosts.bare)
    providers.lock_many(tx, providers_of(booked), now)
    return booked
