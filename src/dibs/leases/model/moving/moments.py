"""Whether whole hosts can be enough at each single moment of a window: a quick check before a long search.

At one moment, units and hosts form a bipartite graph, and a matching of all units is found with augmenting paths. If
there is none at some moment, no moves help. If there is one at each moment, moves may still not help, because a lease
has the same host all the time.
"""

from collections.abc import Mapping, Sequence

from dibs.leases.model.bookings import Booking
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.moving.units import Unit, Units
from dibs.leases.model.windows import Window


class MomentCheck:
    """Checks single moments of a calendar, whose bookings are either fixed or those of movable reservations."""

    def __init__(self, calendar: Calendar, movables: Mapping[int, Movable], units: Units, budget: SearchBudget) -> None:
        self._movables = movables
        self._units = units
        self._budget = budget
        self._bookings = list(calendar.bookings)
        self._suitable: dict[tuple[int, str], frozenset[int]] = {}

    def allows(self, new: Sequence[Unit], window: Window) -> bool:
        """Return False when new units, which take whole hosts, cannot have enough at some moment of a window."""
        during = [each for each in self._bookings if window.overlaps(each.start_at, each.end_at)]
        moments = {max(each.start_at, window.start) for each in during}
        return all(self._fit_at(moment, during, new) for moment in moments)

    def _fit_at(self, moment: int, during: Sequence[Booking], new: Sequence[Unit]) -> bool:
        there = [each for each in during if each.start_at <= moment < each.end_at]
        self._budget.spend(1 + len(there))
        blocked = {each.host_id for each in there if each.reservation_id not in self._movables}
        # Instances may share hosts: as if they took nothing, the check stays on the safe side.
        holders = {
            each.host_id: self._units.displaced(self._movables[each.reservation_id], each)
            for each in there
            if each.whole and each.reservation_id in self._movables
        }
        return all(self._augment(unit, holders, blocked) for unit in new)

    def _augment(self, new: Unit, holders: dict[int, Unit], blocked: set[int]) -> bool:
        """Give a unit a host, and other hosts to those that it displaces; return False when that is impossible."""
        came_from: dict[int, int | None] = {}
        reached: list[tuple[int | None, Unit]] = [(None, new)]
        for place, unit in reached:
            for host_id in self._hosts_of(unit) - blocked - came_from.keys():
                self._budget.spend(1)
                came_from[host_id] = place
                if host_id not in holders:
                    _shift(host_id, new, holders, came_from)
                    return True
                reached.append((host_id, holders[host_id]))
        return False

    def _hosts_of(self, unit: Unit) -> frozenset[int]:
        key = (unit.owner, unit.group)
        if key not in self._suitable:
            self._suitable[key] = frozenset(host.id for host in unit.hosts)
        return self._suitable[key]


def _shift(free: int, new: Unit, holders: dict[int, Unit], came_from: Mapping[int, int | None]) -> None:
    """Move the holders along a path to a free host, so that the first host of the path is left to the new unit."""
    host_id, place = free, came_from[free]
    while place is not None:
        holders[host_id] = holders[place]
        host_id, place = place, came_from[place]
    holders[host_id] = new
