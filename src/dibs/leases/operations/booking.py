"""Choose hosts and book them: the only writer of bookings.

Hosts are chosen without a lock. Then the operation locks the providers of the chosen hosts, reads these hosts and their
bookings again, and books them if they still fit; if not, the runner runs the operation again (docs/adr/0013).

When no free hosts fit, leases that have not begun are moved to other hosts, in the same way (docs/adr/0018).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dibs.database.transaction import Again, Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.events import booking_event, moved_event
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import Lease, Reservation
from dibs.leases.model.matching.needs import Assignment
from dibs.leases.model.moving.moves import Move
from dibs.leases.model.windows import Window
from dibs.leases.operations.matching.search import HostChoice, HostSearch, propose_hosts, still_fits
from dibs.leases.queries import booking_writes, bookings, hosts, leases
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.queries import providers


class SecuredHosts(NamedTuple):
    """The hosts of each reservation, their providers locked until the transaction ends."""

    assignments: list[Assignment]
    hosts: Mapping[int, Host]
    """These hosts and those that the lease had, by their ids."""


class BookedHost(NamedTuple):
    """A host of a reservation."""

    host: Host
    reservation_id: int
    amount: int
    """The number of instances on the host; 1 when the host is booked whole."""


def choose_hosts(tx: Transaction, now: int, search: HostSearch, had: Collection[int] = ()) -> SecuredHosts:
    """Find hosts for each reservation and secure them. The lease ``had`` hosts, by their ids."""
    return secure_hosts(tx, now, search, propose_hosts(tx, now, search), had)


def secure_hosts(
    tx: Transaction, now: int, search: HostSearch, chosen: HostChoice, had: Collection[int]
) -> SecuredHosts:
    """Lock the providers of chosen hosts and of those that the lease ``had``, and check the choice again.

    Leases that must move for that have moved.
    """
    moving = leases.lock_many(tx, sorted({each.of.lease_id for each in chosen.moves}))
    found = lock_hosts(tx, now, chosen.host_ids, had)
    # Another transaction may have booked, claimed or changed a host or a lease before this one had its locks.
    if not still_fits(tx, now, search, chosen):
        raise Again
    if chosen.moves:
        _move(tx, moving, chosen.moves, found)
    return SecuredHosts(chosen.assignments, found)


def lock_hosts(tx: Transaction, now: int, getting: Collection[int], had: Collection[int]) -> dict[int, Host]:
    """Lock the providers of hosts that a lease gets, and of those that it had and offered; return all by their ids."""
    found = {host.id: host for host in hosts.bare(tx, sorted({*getting, *had}))}
    offered = {found[host_id].reservation_provider_id for host_id in had}
    providers.lock_many(tx, {*offered, *(host.provider_id for host in found.values())}, now)
    return found


def read_booked_hosts(
    tx: Transaction,
    reservations: Iterable[Reservation],
    read: Callable[[Transaction, Sequence[int]], list[Host]] = hosts.bare,
) -> list[BookedHost]:
    """Return the hosts of reservations; ``read`` decides how much of each is read."""
    taken = bookings.of_reservations(tx, [reservation.id for reservation in reservations])
    found = {host.id: host for host in read(tx, sorted({each.host_id for each in taken}))}
    return [BookedHost(found[each.host_id], each.reservation_id, each.amount) for each in taken]


def providers_of(booked: Iterable[BookedHost]) -> set[int]:
    """Return the row ids of the providers of hosts and of what leases offer on them."""
    return {number for each in booked for number in (each.host.provider_id, each.host.reservation_provider_id)}


def book(tx: Transaction, reservation_ids: Sequence[int], chosen: Sequence[Assignment], window: Window) -> None:
    """Book chosen hosts, whose providers are locked."""
    new = [
        Booking(reservation_id=row_id, host_id=host_id, start_at=window.start, end_at=window.end, amount=amount)
        for row_id, assignment in zip(reservation_ids, chosen, strict=True)
        for host_id, amount in sorted(assignment.items())
    ]
    booking_writes.add(tx, new)


def rebook(tx: Transaction, reservation_ids: Sequence[int], chosen: Sequence[Assignment], window: Window) -> None:
    """Replace the hosts of reservations with chosen ones."""
    release(tx, reservation_ids)
    book(tx, reservation_ids, chosen, window)


def record_host_changes(
    tx: Transaction, lease: Lease, found: Mapping[int, Host], before: Iterable[int], after: Iterable[int]
) -> None:
    """Record which of the hosts ``found`` a lease gets and loses; all hosts by their ids."""
    has = set(after)
    for host_id in sorted(has.symmetric_difference(before)):
        tx.record(booking_event(lease, found[host_id].provider, booked=host_id in has))


def shorten(tx: Transaction, reservation_ids: Sequence[int], window: Window) -> None:
    """Keep the hosts of reservations for a window that lies within the one that they had."""
    booking_writes.move(tx, reservation_ids, window.start, window.end)


def release(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Release the hosts of reservations."""
    booking_writes.remove(tx, reservation_ids)
    tx.publish(CAPACITY_FREED)


def _move(tx: Transaction, moving: Sequence[Lease], moves: Sequence[Move], found: Mapping[int, Host]) -> None:
    """Give reservations other hosts, which are among the hosts ``found``."""
    release(tx, [each.of.reservation_id for each in moves])
    booking_writes.add(
        tx,
        [
            each.of.need.booking(each.of.reservation_id, host_id, amount, each.of.window)
            for each in moves
            for host_id, amount in sorted(each.hosts.items())
        ],
    )
    for lease in moving:
        own = [each for each in moves if each.of.lease_id == lease.id]
        had = {host_id for each in own for host_id in each.of.hosts}
        has = {host_id for each in own for host_id in each.hosts}
        for host_id in sorted(had ^ has):
            changed = booking_event(lease, found[host_id].provider, booked=host_id in has)
            tx.record(replace(changed, actor_hidden=True))
        names = ([found[host_id].name for host_id in sorted(ids)] for ids in (had, has))
        tx.record(moved_event(lease, *names))
