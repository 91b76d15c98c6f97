"""Choose hosts and book them: the only writer of bookings.

Hosts are chosen without a lock. Then the operation locks the providers of the chosen hosts, reads these hosts and their
bookings again, and books them if they still fit; if not, the runner runs the operation again (docs/adr/0013).

When no free hosts fit, leases that have not begun are moved to other hosts, in the same way (docs/adr/0018).
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from dibs.database.transaction import Again, Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.events import booking_event, moved_event
from dibs.leases.model.hosts import NO_DETAILS
from dibs.leases.model.leases import Lease
from dibs.leases.model.matching.needs import Assignment
from dibs.leases.model.moving.moves import Move
from dibs.leases.model.windows import Window
from dibs.leases.operations.matching.search import HostChoice, HostSearch, propose_hosts, still_fits
from dibs.leases.queries import booking_writes, hosts, leases
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.queries import providers


def choose_hosts(tx: Transaction, now: int, search: HostSearch) -> list[Assignment]:
    """Return the hosts for each reservation, their providers locked until the transaction ends.

    Leases that must move for that have moved.
    """
    chosen = propose_hosts(tx, now, search)
    secure_hosts(tx, now, search, chosen)
    return chosen.assignments


def secure_hosts(tx: Transaction, now: int, search: HostSearch, chosen: HostChoice, also: Collection[int] = ()) -> None:
    """Lock the providers of chosen hosts and ``also`` others, check the choice again, and move leases for it."""
    moving = leases.lock_many(tx, sorted({each.of.lease_id for each in chosen.moves}))
    providers.lock_many(tx, [*hosts.provider_ids(tx, chosen.host_ids), *also], now)
    # Another transaction may have booked, claimed or changed a host or a lease before this one had its locks.
    if not still_fits(tx, now, search, chosen):
        raise Again
    if chosen.moves:
        _move(tx, moving, chosen.moves)


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


def record_host_changes(tx: Transaction, lease: Lease, before: Iterable[int], after: Iterable[int]) -> None:
    """Record the hosts, by their ids, that a lease gets and loses."""
    had, has = set(before), set(after)
    for host_id, provider in hosts.provider_uuids(tx, sorted(had ^ has)).items():
        tx.record(booking_event(lease, provider, booked=host_id in has))


def shorten(tx: Transaction, reservation_ids: Sequence[int], window: Window) -> None:
    """Keep the hosts of reservations for a window that lies within the one that they had."""
    booking_writes.move(tx, reservation_ids, window.start, window.end)


def release(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Release the hosts of reservations."""
    booking_writes.remove(tx, reservation_ids)
    tx.publish(CAPACITY_FREED)


def _move(tx: Transaction, moving: Sequence[Lease], moves: Sequence[Move]) -> None:
    """Give reservations other hosts."""
    release(tx, [each.of.reservation_id for each in moves])
    booking_writes.add(
        tx,
        [
            each.of.need.booking(each.of.reservation_id, host_id, amount, each.of.window)
            for each in moves
            for host_id, amount in sorted(each.hosts.items())
        ],
    )
    found = {
        host.id: host for host in hosts.some(tx, sorted(set().union(*(each.touched for each in moves))), NO_DETAILS)
    }
    for lease in moving:
        own = [each for each in moves if each.of.lease_id == lease.id]
        had = {host_id for each in own for host_id in each.of.hosts}
        has = {host_id for each in own for host_id in each.hosts}
        for host_id in sorted(had ^ has):
            changed = booking_event(lease, found[host_id].provider, booked=host_id in has)
            tx.record(replace(changed, actor_hidden=True))
        names = ([found[host_id].name for host_id in sorted(ids)] for ids in (had, has))
        tx.record(moved_event(lease, *names))
