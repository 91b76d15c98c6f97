"""Search for moves with which new needs fit: complete, with the fewest moves, and within a budget.

Each unit that has no host takes one, and displaces what it cannot share the host with. Displaced units take hosts in
the same way, and a unit that has taken a host keeps it. If the needs fit at all, this finds them: let every unit take
the host that it has in the solution, and displace only units that have other hosts there. The search allows no move
at first, then one, then two, so it finds the fewest. It ends when a round was not cut short by the number of moves, or
after the first round when the hosts are too few or too small at some moment anyway.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, count
from typing import NamedTuple
from zlib import crc32

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.moving.loads import exceed_all_hosts
from dibs.leases.model.moving.moments import MomentCheck
from dibs.leases.model.moving.moves import Movable, Move
from dibs.leases.model.moving.units import Unit, Units, bookings_of
from dibs.leases.model.windows import Window

UNITS_MAX = 100
"""The number of hosts and instances that a search places; each is a level of recursion."""


class Rearrangement(NamedTuple):
    """The hosts of new needs, and the moves that make room for them."""

    assignments: list[Assignment]
    moves: tuple[Move, ...]


class _Candidates(NamedTuple):
    """The hosts that a unit may take, those that displace the fewest units first."""

    hosts: list[Host]
    displaced: list[int]
    """For each host the number of units that it displaces at the least, as long as nothing has moved."""
    places: dict[int, int]


class MoveSearch:
    """One search on a calendar, whose bookings are either fixed or those of movable reservations."""

    def __init__(self, calendar: Calendar, movables: Sequence[Movable], budget: SearchBudget, seed: int = 0) -> None:
        self._calendar = calendar
        self._movables = {movable.reservation_id: movable for movable in movables}
        self._budget = budget
        self._seed = seed
        self._units = Units(calendar)
        self._candidates: dict[tuple[int, str, int], _Candidates] = {}
        self._fixed: dict[int, list[Booking]] = defaultdict(list)
        self._loose: dict[int, list[Booking]] = defaultdict(list)
        for booking in calendar.bookings:
            if booking.reservation_id not in self._movables:
                self._fixed[booking.host_id].append(booking)
        for movable in movables:
            for booking in bookings_of(movable):
                self._loose[booking.host_id].append(booking)
        self._placed: list[Booking] = []
        self._displaced: list[Booking] = []
        self._cut = False

    def fit(self, needs: Sequence[HostNeed], window: Window) -> Rearrangement | None:
        """Return hosts for each need; None when they do not fit. Raise BudgetSpent when that is not known."""
        units = [unit for number, need in enumerate(needs) for unit in self._units.of_need(-1 - number, need, window)]
        if not self._place_all(units):
            return None
        placed: dict[int, Counter[int]] = defaultdict(Counter)
        for booking in self._placed:
            placed[booking.reservation_id][booking.host_id] += booking.amount
        return Rearrangement([dict(placed[-1 - number]) for number in range(len(needs))], self._moves())

    def _place_all(self, units: Sequence[Unit]) -> bool:
        if len(units) > UNITS_MAX:
            raise BudgetSpent
        for moves_max in count():
            self._cut = False
            if self._place(tuple(units), 0, moves_max):
                return True
            if not self._cut or (moves_max == 0 and self._is_hopeless(units)):
                return False
        raise AssertionError

    def _is_hopeless(self, units: Sequence[Unit]) -> bool:
        if exceed_all_hosts(self._calendar, self._movables.values(), units, units[0].window):
            return True
        whole = [unit for unit in units if unit.need.whole]
        check = MomentCheck(self._calendar, self._movables, self._units, self._budget)
        return bool(whole) and not check.allows(whole, whole[0].window)

    def _place(self, units: tuple[Unit, ...], since: int, moves_left: int) -> bool:
        """Place units, the first one on one of its candidates from a place on; undo everything when that fails."""
        if not units:
            return True
        unit, rest = units[0], units[1:]
        candidates = self._candidates_of(unit)
        same = bool(rest) and (rest[0].owner, rest[0].group) == (unit.owner, unit.group)
        for place in self._promising(candidates, since, moves_left):
            host = candidates.hosts[place]
            for displaced in self._displacements(unit, host, moves_left):
                self._take(unit, host, displaced)
                behind = tuple(
                    self._units.displaced(self._movables[booking.reservation_id], booking) for booking in displaced
                )
                # Interchangeable units take their hosts in one order only.
                next_place = place + unit.alone if same else 0
                if self._place(rest + behind, next_place, moves_left - len(displaced)):
                    return True
                self._undo(host, displaced)
        return False

    def _candidates_of(self, unit: Unit) -> _Candidates:
        key = (unit.owner, unit.group, unit.amount)
        if key not in self._candidates:
            counted = [(self._least_displaced(unit, host), host) for host in unit.hosts]
            ordered = sorted(
                ((least, host) for least, host in counted if least is not None),
                key=lambda each: (each[0], each[1].id not in unit.need.preferred, self._chance(each[1])),
            )
            hosts = [host for _, host in ordered]
            places = {host.id: place for place, host in enumerate(hosts)}
            self._candidates[key] = _Candidates(hosts, [least for least, _ in ordered], places)
        return self._candidates[key]

    def _least_displaced(self, unit: Unit, host: Host) -> int | None:
        """Return how many units a unit displaces at the least; None when it never gets the host.

        Until a unit has taken a host, fixed bookings are those of the calendar: they never move.
        """
        booked = self._calendar.bookings_of(host)
        self._budget.spend(1 + len(booked))
        fixed = [each for each in booked if each.reservation_id not in self._movables]
        if self._room(unit, host, fixed) < unit.amount:
            return None
        if self._room(unit, host, booked) >= unit.amount:
            return 0
        if not unit.need.whole:
            return 1
        wide = unit.window.widened(self._calendar.cleaning_minutes)
        return sum(1 for each in booked if wide.overlaps(each.start_at, each.end_at))

    def _promising(self, candidates: _Candidates, since: int, moves_left: int) -> Iterator[int]:
        """Yield the places of hosts that may be taken with the moves that are left."""
        end = bisect_right(candidates.displaced, moves_left)
        yield from range(since, end)
        if end < len(candidates.hosts):
            self._cut = True
            changed = {candidates.places.get(booking.host_id, -1) for booking in self._displaced}
            yield from sorted(place for place in changed if place >= max(since, end))

    def _displacements(self, unit: Unit, host: Host, moves_left: int) -> Iterator[tuple[Booking, ...]]:
        """Yield the smallest sets of bookings to displace, so that a unit can take a host."""
        loose, fixed = self._loose[host.id], self._fixed[host.id]
        self._budget.spend(1 + len(loose) + len(fixed))
        own = [each for each in loose if each.reservation_id == unit.owner]
        if unit.alone and (own or any(each.reservation_id == unit.owner for each in fixed)):
            return
        wide = unit.window.widened(self._calendar.cleaning_minutes)
        others = [
            each for each in loose if each.reservation_id != unit.owner and wide.overlaps(each.start_at, each.end_at)
        ]
        staying = [*fixed, *own]
        if self._room(unit, host, staying) < unit.amount:
            return
        must = [each for each in others if unit.need.whole or each.whole]
        may = [each for each in others if not (unit.need.whole or each.whole)]
        tried: list[Counter[int]] = []
        for size in range(len(may) + 1):
            if len(must) + size > moves_left:
                self._cut = True
                return
            for some in combinations(may, size):
                owners = Counter(each.reservation_id for each in some)
                if any(smaller <= owners for smaller in tried):
                    continue
                self._budget.spend(1)
                left = [each for each in may if all(each is not other for other in some)]
                if self._room(unit, host, [*staying, *left]) >= unit.amount:
                    tried.append(owners)
                    yield (*must, *some)

    def _room(self, unit: Unit, host: Host, booked: Sequence[Booking]) -> int:
        return self._calendar.room_beside(unit.need, host, unit.window, booked)

    def _take(self, unit: Unit, host: Host, displaced: Sequence[Booking]) -> None:
        booking = unit.booking(host.id)
        self._fixed[host.id].append(booking)
        self._placed.append(booking)
        self._displaced.extend(displaced)
        self._loose[host.id] = [each for each in self._loose[host.id] if all(each is not other for other in displaced)]

    def _undo(self, host: Host, displaced: Sequence[Booking]) -> None:
        self._fixed[host.id].pop()
        self._placed.pop()
        del self._displaced[len(self._displaced) - len(displaced) :]
        self._loose[host.id].extend(displaced)

    def _moves(self) -> tuple[Move, ...]:
        after: dict[int, Counter[int]] = {}
        for booking in self._displaced:
            movable = self._movables[booking.reservation_id]
            hosts = after.setdefault(booking.reservation_id, Counter(movable.hosts))
            hosts[booking.host_id] -= booking.amount
        for booking in self._placed:
            if booking.reservation_id in self._movables:
                after[booking.reservation_id][booking.host_id] += booking.amount
        moves = (Move(of=self._movables[row_id], hosts=dict(+hosts)) for row_id, hosts in sorted(after.items()))
        return tuple(move for move in moves if move.hosts != move.of.hosts)

    def _chance(self, host: Host) -> int:
        return crc32(f"{self._seed}/{host.id}".encode())
