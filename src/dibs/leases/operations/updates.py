"""Update a lease: rename, prolong, shorten, move, grow.

- Only a new name: possible in every state, and nothing else is touched.
- A window within the old one: the lease keeps its hosts, and no search is needed.
- Otherwise hosts are chosen again, as if the bookings of the lease did not exist. A lease that has not begun keeps its
  hosts where possible and gets others where not. A lease that has begun keeps all of its hosts and may get more, or the
  update is refused.
"""

from collections import Counter
from collections.abc import Mapping
from random import getrandbits
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.dates import LeaseDate, LeaseRules, check_length
from dibs.leases.model.errors import BadLease, LeaseConflict
from dibs.leases.model.events import LEASE_CHANGED
from dibs.leases.model.leases import ACTIVE, BEFORE_END, END, RESERVATION_ACTIVE, START, Lease, Reservation
from dibs.leases.model.matching.needs import Assignment, HostNeed, need_of
from dibs.leases.model.updates import (
    changed_before_end,
    changed_reservation,
    changed_window,
    check_changeable,
    differs,
    needs_new_flavor,
    rescheduled,
)
from dibs.leases.model.windows import Window
from dibs.leases.operations import booking, reservation_inventories
from dibs.leases.operations.leases import GetLease, add_flavor, allowed
from dibs.leases.operations.matching.search import HostSearch
from dibs.leases.operations.planning import check_requirements, new_event
from dibs.leases.queries import bookings, hosts, leases, reservation_flavors

UPDATE_RULE = "blazar:leases:put"


class ReservationUpdate(Struct, frozen=True, kw_only=True):
    """New attributes of one reservation of a lease."""

    uuid: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of Reservation: least and most (for instances both), affinity, hypervisor_properties,
    resource_properties, before_end, and resources with the classes that change; or resource_type, ``flavor``."""


class UpdateLease(GetLease, frozen=True, kw_only=True):
    """Change the name, dates or reservations of a lease; None leaves a value as it is."""

    rule: str = UPDATE_RULE
    name: str | None = None
    start_at: LeaseDate | None = None
    end_at: LeaseDate | None = None
    before_end_at: int | None = None
    reservations: tuple[ReservationUpdate, ...] = ()
    rules: LeaseRules = field(default_factory=LeaseRules)
    seed: int | None = None
    moving: bool = True
    """Whether other leases that have not begun may be moved to other hosts."""

    @property
    def only_renames(self) -> bool:
        """True when nothing but the name may change."""
        return not self.reservations and (self.start_at, self.end_at, self.before_end_at) == (None, None, None)


class UpdatePlan(NamedTuple):
    """A lease as it would be after an update."""

    window: Window
    before_end_at: int | None
    current: Mapping[int, Assignment]
    """The hosts that each reservation has, by the id of the reservation."""
    reservations: list[Reservation]
    search: HostSearch | None
    """The search for new hosts; None when the lease keeps its hosts."""


def update_lease(tx: Transaction, access: Access, now: int, command: UpdateLease) -> Lease:
    """Update a lease; return it as it is afterwards."""
    lease = allowed(access, leases.lock(tx, command.uuid), command)
    if not command.only_renames:
        _update(tx, now, lease, command)
    if command.name is not None:
        leases.change(tx, lease, now, name=command.name)
    tx.publish(LEASE_CHANGED)
    updated = leases.get(tx, command.uuid)
    assert updated is not None
    return updated


def plan_update(tx: Transaction, now: int, lease: Lease, command: UpdateLease) -> UpdatePlan:
    """Check everything about an update but whether there are hosts for it."""
    check_changeable(lease)
    if any(each.maintenance for each in lease.reservations):
        raise LeaseConflict(reason=f"Lease {lease.uuid} is planned maintenance: delete it and plan it again.")
    window = changed_window(lease, command.start_at, command.end_at, now)
    if window.length > lease.end_at - lease.start_at:
        check_length(window, lease.project_id, command.rules)
    before_end_at = changed_before_end(lease, window, command.before_end_at)
    current = current_hosts(tx, lease)
    after = _reservations(lease, command, current)
    changed = [each for each, before in zip(after, lease.reservations, strict=True) if differs(before, each)]
    kept = [each for each in after if each not in changed]
    check_requirements(tx, [need_of(each) for each in changed], [need_of(each) for each in kept])
    needs_search = changed or not _within(window, lease)
    search = _search(tx, lease, after, window, current, command) if needs_search else None
    return UpdatePlan(window, before_end_at, current, after, search)


def _update(tx: Transaction, now: int, lease: Lease, command: UpdateLease) -> None:
    plan = plan_update(tx, now, lease, command)
    reservation_ids = [each.id for each in plan.reservations]
    if plan.search is not None:
        before = {host_id for assignment in plan.current.values() for host_id in assignment}
        chosen, found = booking.choose_hosts(tx, now, plan.search, before)
        after = (host_id for assignment in chosen for host_id in assignment)
        booking.record_host_changes(tx, lease, found, before, after)
        booking.rebook(tx, reservation_ids, chosen, plan.window)
    elif (plan.window.start, plan.window.end) != (lease.start_at, lease.end_at):
        booking.shorten(tx, reservation_ids, plan.window)
    _write(tx, now, lease, plan)


def current_hosts(tx: Transaction, lease: Lease) -> dict[int, dict[int, int]]:
    """Return the hosts that each reservation has, by the id of the reservation."""
    found: dict[int, dict[int, int]] = {reservation.id: {} for reservation in lease.reservations}
    for booked in bookings.of_reservations(tx, sorted(found)):
        found[booked.reservation_id][booked.host_id] = booked.amount
    return found


def _reservations(lease: Lease, command: UpdateLease, current: Mapping[int, Assignment]) -> list[Reservation]:
    """Return the reservations of a lease after an update, in their order."""
    wanted: dict[str, Mapping[str, Any]] = {}
    for update in command.reservations:
        if update.uuid in wanted:
            raise BadLease(reason=f"Reservation {update.uuid} is in the request more than once.")
        wanted[update.uuid] = update.values
    unknown = wanted.keys() - {each.uuid for each in lease.reservations}
    if unknown:
        invalid = ", ".join(sorted(unknown))
        raise BadLease(reason=f"Please enter valid reservation IDs. Invalid reservation IDs are: {invalid}")
    return [
        changed_reservation(each, wanted[each.uuid], sum(current[each.id].values())) if each.uuid in wanted else each
        for each in lease.reservations
    ]


def _search(
    tx: Transaction,
    lease: Lease,
    after: list[Reservation],
    window: Window,
    current: Mapping[int, Assignment],
    command: UpdateLease,
) -> HostSearch:
    begun = lease.status == ACTIVE
    needs = [
        _need_once_begun(tx, before, each, current[each.id]) if begun else _need_before(each, current[each.id])
        for before, each in zip(lease.reservations, after, strict=True)
    ]
    return HostSearch(
        needs=tuple(needs),
        window=window,
        cleaning_minutes=command.rules.cleaning_minutes,
        seed=getrandbits(32) if command.seed is None else command.seed,
        own=frozenset(each.id for each in lease.reservations),
        moving=command.moving,
    )


def _need_before(reservation: Reservation, current: Assignment) -> HostNeed:
    return replace(need_of(reservation), preferred=frozenset(current))


def _need_once_begun(tx: Transaction, before: Reservation, after: Reservation, current: Assignment) -> HostNeed:
    """Return the need for all hosts that a reservation has, and for more if it asks for more.

    An unchanged reservation that lost a host needs no replacement.
    """
    need = need_of(after, kept=current)
    if not differs(before, after):
        count = sum(current.values())
        return replace(need, least=count, most=count)
    if need.requirements != need_of(before).requirements:
        for host in hosts.some(tx, sorted(current), need.details):
            if not all(requirement.met_by(host) for requirement in need.requirements):
                raise LeaseConflict(reason=f"An active reservation keeps its hosts, and {host.name} does not fit.")
    return need


def _within(window: Window, lease: Lease) -> bool:
    return lease.start_at <= window.start and window.end <= lease.end_at


def _write(tx: Transaction, now: int, lease: Lease, plan: UpdatePlan) -> None:
    booked = Counter[int]()
    for each in bookings.of_reservations(tx, [each.id for each in plan.reservations]):
        booked[each.reservation_id] += each.amount
    written = [
        _write_reservation(tx, now, lease, before, after, booked[after.id], sum(plan.current[after.id].values()))
        for before, after in zip(lease.reservations, plan.reservations, strict=True)
    ]
    degraded = any(each.missing_resources or each.resources_changed for each in written)
    leases.change(tx, lease, now, start_at=plan.window.start, end_at=plan.window.end, degraded=degraded)
    _write_events(tx, now, lease, plan)


def _write_events(tx: Transaction, now: int, lease: Lease, plan: UpdatePlan) -> None:
    for kind, due_at in ((START, plan.window.start), (END, plan.window.end)):
        event = lease.event(kind)
        if event is not None and event.due_at != due_at:
            leases.change_event(tx, event, now, due_at=due_at)
    if plan.before_end_at is None:
        return
    event = lease.event(BEFORE_END)
    if event is None:
        leases.add_events(tx, lease.id, [new_event(BEFORE_END, plan.before_end_at, now)])
    elif changes := rescheduled(event, plan.before_end_at):
        leases.change_event(tx, event, now, **changes)


def _write_reservation(
    tx: Transaction, now: int, lease: Lease, before: Reservation, after: Reservation, booked: int, booked_before: int
) -> Reservation:
    missing = after.missing_resources and booked < after.least
    if before == after and missing == before.missing_resources:
        return after
    names = ("least", "most", "affinity", "resources", "hypervisor_properties", "resource_properties", "before_end")
    values = {name: getattr(after, name) for name in names}
    written = leases.change_reservation(tx, lease, before, now, **values, missing_resources=missing)
    if needs_new_flavor(before, after):
        reservation_flavors.remove(tx, [after.id])
        add_flavor(tx, now, lease, after, None)
    if after.status == RESERVATION_ACTIVE and not after.whole_hosts and booked > booked_before:
        reservation_inventories.offer(tx, now, after)
    return written
