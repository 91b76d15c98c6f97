"""Change a lease: rename, prolong, shorten, move, grow.

- Only the name: at any time, and nothing else is touched.
- Within the time that it has: the hosts stay, nobody is asked.
- Otherwise hosts are chosen again, as if its own bookings were not there. A lease that has not begun keeps its hosts as
  far as that is possible and takes others where it is not. One that has begun keeps all of them or is refused, and may
  get more.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import getrandbits
from typing import Any, NamedTuple

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model import leases as states
from dibs.leases.model.dates import LeaseRules, check_length
from dibs.leases.model.errors import BadLease, LeaseConflict
from dibs.leases.model.leases import BEFORE_END, END, START, Lease, Now, Reservation
from dibs.leases.model.matching import HostNeed, Picks, need_of
from dibs.leases.model.updates import (
    announced_again,
    changed_before_end,
    changed_reservation,
    changed_window,
    check_changeable,
    differs,
    needs_new_flavor,
)
from dibs.leases.model.windows import Window
from dibs.leases.operations import calendar
from dibs.leases.operations import reservation_inventories as reservation_stock
from dibs.leases.operations.calendar import Question
from dibs.leases.operations.leases import OneLease, allowed, check_requirements, make_flavor, new_event
from dibs.leases.queries import calendar as bookings
from dibs.leases.queries import hosts, leases, reservation_flavors


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationChange:
    """Other attributes for one reservation of a lease."""

    uuid: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of Reservation: least and most (for instances both), affinity, hypervisor_properties,
    resource_properties, before_end, and resources with those classes that change; or resource_type, ``flavor``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLease(OneLease):
    """Another name, other dates, other reservations; None leaves things as they are."""

    name: str | None = None
    start_at: int | Now | None = None
    end_at: int | Now | None = None
    before_end_at: int | None = None
    reservations: tuple[ReservationChange, ...] = ()
    rules: LeaseRules = field(default_factory=LeaseRules)
    seed: int | None = None

    @property
    def only_renames(self) -> bool:
        """True when nothing but the name is said."""
        return not self.reservations and (self.start_at, self.end_at, self.before_end_at) == (None, None, None)


def change_lease(tx: Transaction, access: Access, now: int, command: ChangeLease) -> Lease:
    """Change a lease; gives it as it is then."""
    if not command.only_renames:
        calendar.lock_calendar(tx)
    lease = allowed(access, leases.lock(tx, command.uuid), command)
    if not command.only_renames:
        _change(tx, now, lease, command)
    if command.name is not None:
        leases.change(tx, lease, now, name=command.name)
    changed = leases.get(tx, command.uuid)
    assert changed is not None
    return changed


class PlannedChange(NamedTuple):
    """A lease as it is to be."""

    window: Window
    announced: int | None
    had: Mapping[int, Picks]
    """What each reservation has now: how much on which host."""
    after: list[Reservation]
    question: Question | None
    """Which hosts could it have? None when it keeps those that it has."""


def plan_change(tx: Transaction, now: int, lease: Lease, command: ChangeLease) -> PlannedChange:
    """Check everything about a change but whether there are hosts for it."""
    check_changeable(lease)
    window = changed_window(lease, command.start_at, command.end_at, now)
    if window.length > lease.end_at - lease.start_at:
        check_length(window, lease.project_id, command.rules)
    announced = changed_before_end(lease, window, command.before_end_at)
    had = _bookings(tx, lease)
    after = _reservations(lease, command, had)
    changed = [each for each, before in zip(after, lease.reservations, strict=True) if differs(before, each)]
    check_requirements(tx, [need_of(each) for each in changed])
    anew = changed or not _within(window, lease)
    question = _question(tx, lease, after, window, had, command) if anew else None
    return PlannedChange(window, announced, had, after, question)


def _change(tx: Transaction, now: int, lease: Lease, command: ChangeLease) -> None:
    window, announced, had, after, question = plan_change(tx, now, lease, command)
    if question is not None:
        found = calendar.choose(tx, now, question)
        calendar.rebook(tx, [each.id for each in after], found, window)
    elif (window.start, window.end) != (lease.start_at, lease.end_at):
        calendar.shorten(tx, [each.id for each in after], window)
    _write(tx, now, lease, after, had, window, announced)


def _bookings(tx: Transaction, lease: Lease) -> dict[int, dict[int, int]]:
    """What each reservation has: how much on which host."""
    found: dict[int, dict[int, int]] = {reservation.id: {} for reservation in lease.reservations}
    for booking in bookings.of_reservations(tx, sorted(found)):
        found[booking.reservation_id][booking.host_id] = booking.amount
    return found


def _reservations(lease: Lease, command: ChangeLease, had: Mapping[int, Picks]) -> list[Reservation]:
    """The lease's reservations as they are to be, in their order."""
    wanted: dict[str, dict[str, Any]] = {}
    for change in command.reservations:
        wanted.setdefault(change.uuid, {}).update(change.values)
    unknown = wanted.keys() - {each.uuid for each in lease.reservations}
    if unknown:
        invalid = ", ".join(sorted(unknown))
        raise BadLease(reason=f"Please enter valid reservation IDs. Invalid reservation IDs are: {invalid}")
    return [
        changed_reservation(each, wanted[each.uuid], sum(had[each.id].values())) if each.uuid in wanted else each
        for each in lease.reservations
    ]


def _question(
    tx: Transaction,
    lease: Lease,
    after: list[Reservation],
    window: Window,
    had: Mapping[int, Picks],
    command: ChangeLease,
) -> Question:
    begun = lease.status == states.ACTIVE
    needs = [
        _need_once_begun(tx, before, each, had[each.id]) if begun else _need_before(each, had[each.id])
        for before, each in zip(lease.reservations, after, strict=True)
    ]
    return Question(
        needs=tuple(needs),
        window=window,
        cleaning_minutes=command.rules.cleaning_minutes,
        seed=getrandbits(32) if command.seed is None else command.seed,
        own=frozenset(each.id for each in lease.reservations),
        movable=not begun,
    )


def _need_before(reservation: Reservation, had: Picks) -> HostNeed:
    return replace(need_of(reservation), favourites=frozenset(had))


def _need_once_begun(tx: Transaction, before: Reservation, after: Reservation, had: Picks) -> HostNeed:
    """All that it has, and more if it asks for more; a reservation that lost a host is not held to what it lost."""
    need = need_of(after, kept=had)
    if not differs(before, after):
        count = sum(had.values())
        return replace(need, least=count, most=count)
    if need.requirements != need_of(before).requirements:
        for host in hosts.some(tx, sorted(had), need.interest):
            if not all(requirement.met_by(host) for requirement in need.requirements):
                raise LeaseConflict(reason=f"An active reservation keeps its hosts, and {host.name} does not fit.")
    return need


def _within(window: Window, lease: Lease) -> bool:
    return lease.start_at <= window.start and window.end <= lease.end_at


def _write(
    tx: Transaction,
    now: int,
    lease: Lease,
    after: list[Reservation],
    had: Mapping[int, Picks],
    window: Window,
    announced: int | None,
) -> None:
    has = Counter[int]()
    for booking in bookings.of_reservations(tx, [each.id for each in after]):
        has[booking.reservation_id] += booking.amount
    written = [
        _write_reservation(tx, now, lease, before, each, has[each.id], sum(had[each.id].values()))
        for before, each in zip(lease.reservations, after, strict=True)
    ]
    degraded = any(each.missing_resources or each.resources_changed for each in written)
    leases.change(tx, lease, now, start_at=window.start, end_at=window.end, degraded=degraded)
    for kind, due_at in ((START, window.start), (END, window.end)):
        event = lease.event(kind)
        if event is not None and event.due_at != due_at:
            leases.change_event(tx, event, now, due_at=due_at)
    event = lease.event(BEFORE_END)
    if event is None and announced is not None:
        leases.add_events(tx, lease.id, [new_event(BEFORE_END, announced, now)])
    elif event is not None and announced is not None and announced_again(event, announced):
        leases.change_event(tx, event, now, **announced_again(event, announced))


def _write_reservation(
    tx: Transaction, now: int, lease: Lease, before: Reservation, after: Reservation, has: int, had: int
) -> Reservation:
    missing = after.missing_resources and has < after.least
    if before == after and missing == before.missing_resources:
        return after
    names = ("least", "most", "affinity", "resources", "hypervisor_properties", "resource_properties", "before_end")
    values = {name: getattr(after, name) for name in names}
    written = leases.change_reservation(tx, after, now, **values, missing_resources=missing)
    if needs_new_flavor(before, after):
        reservation_flavors.remove(tx, [after.id])
        make_flavor(tx, now, lease, after, None)
    if after.status == states.RESERVATION_ACTIVE and not after.whole_hosts and has > had:
        reservation_stock.offer(tx, now, after)
    return written
