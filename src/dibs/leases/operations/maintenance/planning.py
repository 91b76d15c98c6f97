"""Find the window for maintenance that moves the fewest leases. Nothing is booked."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.leases.model.access import require_to_maintain
from dibs.leases.model.errors import LeaseConflict
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.moving.maintenance import MaintenanceWindow, WindowSearch
from dibs.leases.model.moving.planned import Maintenance, MovedLease, PlannedMaintenance
from dibs.leases.model.moving.search import UNITS_MAX
from dibs.leases.model.windows import MINUTE, Window, minute_after
from dibs.leases.operations.matching.movables import read_hosts, read_movables
from dibs.leases.queries import bookings, hosts, leases

STEPS_MAX = 200_000
HORIZON = 30 * 24 * 60 * MINUTE


class PlanMaintenance(Struct, frozen=True, kw_only=True):
    """Find a window in which hosts can be free."""

    nodes: str
    """A pattern for the names of the hosts: ``rack4-*``."""
    length: int
    before: int | None = None
    """When the maintenance must have ended; None: in 30 days."""
    name: str = "maintenance"
    cleaning_minutes: int = 0


def plan_maintenance(tx: Transaction, access: Access, now: int, command: PlanMaintenance) -> PlannedMaintenance:
    """Return the window that moves the fewest leases, and of equals the first. A read."""
    require_to_maintain(access)
    chosen = find_maintained(tx, now, command.nodes)
    found = read_movables(tx, now, read_hosts(tx, now, command.cleaning_minutes), moment=now)
    span = Window(minute_after(now), now + HORIZON if command.before is None else command.before)
    search = WindowSearch(found.calendar, found.movables, chosen, command.length, span)
    try:
        best = search.run(SearchBudget(steps_max=STEPS_MAX))
    except BudgetSpent:
        raise LeaseConflict(
            reason="The search for a window reached its limit without a result: name fewer nodes."
        ) from None
    if best is None:
        raise LeaseConflict(
            reason="There is no such window: active leases, or leases that no other host suits, are in the way."
        )
    return PlannedMaintenance(
        maintenance=Maintenance(
            uuid=None,
            name=command.name,
            start_at=best.window.start,
            end_at=best.window.end,
            hosts=tuple(sorted(host.name for host in chosen)),
        ),
        moves=tuple(_moved(tx, best, found.calendar.hosts.values())),
    )


def find_maintained(tx: Transaction, now: int, pattern: str) -> list[Host]:
    """Return the hosts whose names match a pattern; raise when there are none or too many, or one has no end of use."""
    found = [host for host in hosts.every(tx) if fnmatchcase(host.name, pattern)]
    if not found:
        raise BadValue(reason=f"No host has a name that matches {pattern}.")
    if len(found) > UNITS_MAX:
        raise BadValue(reason=f"{len(found)} hosts match {pattern}; at most {UNITS_MAX} can be maintained together.")
    calendar = Calendar(
        fleet=each_alone(found),
        bookings=(),
        first_starts=bookings.first_starts(tx, [host.id for host in found]),
        now=now,
    )
    used = sorted(host.name for host in found if calendar.in_use(host))
    if used:
        raise LeaseConflict(reason=f"In use without an end: {', '.join(used)}. Release these nodes first.")
    return found


def _moved(tx: Transaction, best: MaintenanceWindow, every: Iterable[Host]) -> list[MovedLease]:
    names = {host.id: host.name for host in every}
    moving = {lease.id: lease.uuid for lease in leases.some(tx, sorted({move.of.lease_id for move in best.moves}))}
    return [
        MovedLease(
            lease=moving[move.of.lease_id],
            before=tuple(sorted(names[host_id] for host_id in move.of.hosts)),
            after=tuple(sorted(names[host_id] for host_id in move.hosts)),
        )
        for move in best.moves
        if move.of.lease_id in moving
    ]
