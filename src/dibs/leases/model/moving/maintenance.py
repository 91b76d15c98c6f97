"""Find the window for maintenance of hosts that moves the fewest leases."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.requirements import parse
from dibs.leases.model.moving.moves import Movable, Move
from dibs.leases.model.moving.search import MoveSearch
from dibs.leases.model.windows import MINUTE, Window, minute_after

WINDOWS_MAX = 50
"""The number of windows that are tried, those that touch the fewest leases first."""


class MaintenanceWindow(NamedTuple):
    """A window in which hosts are free, after these moves."""

    window: Window
    moves: tuple[Move, ...]

    @property
    def leases(self) -> int:
        """The number of leases that move."""
        return len({move.of.lease_id for move in self.moves})


def requirements_of(host_ids: Sequence[int]) -> str:
    """Return the requirements that only these hosts meet."""
    each = [["==", "$id", str(host_id)] for host_id in host_ids]
    return json.dumps(each[0] if len(each) == 1 else ["or", *each])


def maintenance_need(chosen: Sequence[Host]) -> HostNeed:
    """Return the need for exactly these hosts. One that is out of service can be maintained too."""
    count = len(chosen)
    return HostNeed(
        whole=True,
        least=count,
        most=count,
        requirements=parse(requirements_of([host.id for host in chosen])),
        kept={host.id: 1 for host in chosen if host.out_of_service is not None},
    )


class WindowSearch:
    """A search for a window of some length in which all of some hosts can be free."""

    def __init__(
        self, calendar: Calendar, movables: Sequence[Movable], chosen: Sequence[Host], length: int, span: Window
    ) -> None:
        self._calendar = calendar
        self._movables = {movable.reservation_id: movable for movable in movables}
        self._chosen = chosen
        self._length = length
        self._span = span

    def run(self, budget: SearchBudget) -> MaintenanceWindow | None:
        """Return the window that moves the fewest leases, and of equals the first; None when there is none.

        Raise BudgetSpent when the budget ends before a window is found.
        """
        need = maintenance_need(self._chosen)
        best: MaintenanceWindow | None = None
        try:
            for least, window in sorted(self._touched())[:WINDOWS_MAX]:
                if best is not None and least >= best.leases:
                    break
                search = MoveSearch(self._calendar, list(self._movables.values()), budget)
                found = search.fit([need], window)
                if found is not None and (best is None or MaintenanceWindow(window, found.moves).leases < best.leases):
                    best = MaintenanceWindow(window, found.moves)
        except BudgetSpent:
            if best is None:
                raise
        return best

    def _touched(self) -> Iterator[tuple[int, Window]]:
        """Yield windows without a fixed booking, each with the number of leases that must move at the least.

        That number falls only where a booking ends, so no other start has fewer.
        """
        booked = [booking for host in self._chosen for booking in self._calendar.bookings_of(host)]
        pause = self._calendar.cleaning_minutes * MINUTE
        leaving = [booking.end_at + pause for booking in booked]
        leaving += [host.node.used_until for host in self._chosen if host.node is not None and host.node.used_until]
        for start in {minute_after(max(moment, self._span.start)) for moment in (self._span.start, *leaving)}:
            window = Window(start, start + self._length)
            if window.end > self._span.end:
                continue
            wide = window.widened(self._calendar.cleaning_minutes)
            inside = {each.reservation_id for each in booked if wide.overlaps(each.start_at, each.end_at)}
            if inside <= self._movables.keys():
                yield len({self._movables[row_id].lease_id for row_id in inside}), window
