"""The only writer of bookings: who has which host, and when.

Choosing and recording are one: whoever books locks the calendar, looks, chooses, and then locks the providers of what
it chose and looks again at what the calendar does not guard, which is who uses a node just now (docs/adr/0007).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from dibs.database.transaction import Again, Transaction
from dibs.leases.model.earliest_start import earliest_start
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.hosts import BARE, Host, Interest
from dibs.leases.model.leases import Booking
from dibs.leases.model.matching import Calendar, HostNeed, Picks, Shortage
from dibs.leases.model.windows import Window
from dibs.leases.queries import bookings, calendar, hosts
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.queries import providers


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which hosts could these reservations have?"""

    needs: tuple[HostNeed, ...]
    window: Window
    cleaning_minutes: int
    seed: int
    own: frozenset[int] = frozenset()
    """Reservations whose bookings do not count, because they are being chosen anew."""
    movable: bool = True
    """False when only this window is of interest, since the lease has begun."""

    @property
    def interest(self) -> Interest:
        """What has to be known of each host."""
        return reduce(or_, (need.interest for need in self.needs), BARE)


def lock_calendar(tx: Transaction) -> None:
    """Keep all others from booking until the transaction ends. It comes before every other lock."""
    bookings.lock(tx)


def look_up(tx: Transaction, now: int, question: Question) -> list[Picks] | Shortage:
    """The hosts for each reservation, or why there are not enough. Books nothing."""
    return _search(tx, now, question)[1]


def propose(tx: Transaction, now: int, question: Question) -> list[Picks]:
    """The hosts that each reservation would have. Books nothing."""
    return _sufficient(look_up(tx, now, question))


def choose(tx: Transaction, now: int, question: Question) -> list[Picks]:
    """The hosts for each reservation, their providers locked; the calendar is locked already."""
    snapshot, looked_up = _search(tx, now, question)
    found = _sufficient(looked_up)
    picked = sorted({host_id for picks in found for host_id in picks})
    _lock_picked(tx, now, question, [snapshot.hosts[host_id] for host_id in picked])
    return found


def book(tx: Transaction, reservation_ids: Sequence[int], found: Sequence[Picks], window: Window) -> None:
    """Enter chosen hosts into the locked calendar."""
    new = [
        Booking(reservation_id=row_id, host_id=host_id, start_at=window.start, end_at=window.end, amount=amount)
        for row_id, picks in zip(reservation_ids, found, strict=True)
        for host_id, amount in sorted(picks.items())
    ]
    bookings.add(tx, new)


def rebook(tx: Transaction, reservation_ids: Sequence[int], found: Sequence[Picks], window: Window) -> None:
    """Let reservations have chosen hosts instead of those that they had."""
    bookings.remove(tx, reservation_ids)
    tx.publish(CAPACITY_FREED)
    book(tx, reservation_ids, found, window)


def shorten(tx: Transaction, reservation_ids: Sequence[int], window: Window) -> None:
    """Let reservations have the hosts that they have for another time, which lies within the one that they had."""
    bookings.move(tx, reservation_ids, window.start, window.end)


def give_back(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Let others have the hosts of reservations."""
    bookings.remove(tx, reservation_ids)
    tx.publish(CAPACITY_FREED)


def _search(tx: Transaction, now: int, question: Question) -> tuple[Calendar, list[Picks] | Shortage]:
    taken = calendar.overlapping(tx, question.window.widened(question.cleaning_minutes))
    snapshot = Calendar(
        hosts=hosts.every(tx, question.interest),
        bookings=_others(taken, question),
        first_starts=calendar.first_starts(tx),
        now=now,
        cleaning_minutes=question.cleaning_minutes,
    )
    found = snapshot.pick(question.needs, question.window, question.seed)
    if isinstance(found, Shortage) and question.movable:
        found = _with_earliest(tx, question, snapshot, found)
    return snapshot, found


def _sufficient(found: list[Picks] | Shortage) -> list[Picks]:
    if isinstance(found, Shortage):
        raise NotEnoughHosts(shortage=found.text, reasons=found.reasons, earliest=found.earliest)
    return found


def _with_earliest(tx: Transaction, question: Question, snapshot: Calendar, shortage: Shortage) -> Shortage:
    later = calendar.from_moment(tx, question.window.widened(question.cleaning_minutes).start)
    everything = snapshot.with_bookings(_others(later, question))
    return replace(shortage, earliest=earliest_start(everything, question.needs, question.window), searched=True)


def _lock_picked(tx: Transaction, now: int, question: Question, picked: Sequence[Host]) -> None:
    """Keep others from what was chosen. Somebody may have taken a node, or disabled a host, since it was looked at;
    then all is chosen anew."""
    providers.lock_many(tx, [host.provider_id for host in picked], now)
    found = {host.id: host for host in hosts.some(tx, [host.id for host in picked], question.interest)}
    if any(host.id not in found or found[host.id].standing != host.standing for host in picked):
        raise Again


def _others(taken: Sequence[Booking], question: Question) -> list[Booking]:
    return [booking for booking in taken if booking.reservation_id not in question.own]
