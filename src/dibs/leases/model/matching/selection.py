"""Select hosts for all reservations of a lease, or say why there are not enough."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from zlib import crc32

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.shortages import HostShortage, summarize
from dibs.leases.model.windows import Window

FREE, SOME_ROOM = "free", "with room for some"


def select_hosts(
    calendar: Calendar, needs: Sequence[HostNeed], window: Window, seed: int
) -> list[Assignment] | HostShortage:
    """Return hosts for each need, among equals in an order that the seed decides; or why there are not enough."""
    return _Selection(calendar, needs, window, seed).run()


Placement = tuple[HostNeed, Assignment, Window]


def fits_together(calendar: Calendar, placements: Sequence[Placement]) -> bool:
    """Return True when every chosen host is still there and has room for all that it was chosen for."""
    besides: dict[int, list[Booking]] = defaultdict(list)
    for number, (need, assignment, window) in enumerate(placements):
        for host_id, amount in assignment.items():
            host = calendar.hosts.get(host_id)
            if host is None or calendar.room(need, host, window, besides[host_id]) < amount:
                return False
            if amount > need.kept.get(host_id, 0) and calendar.why_never(need, host) is not None:
                return False
            besides[host_id].append(need.booking(_not_stored(number), host_id, amount, window))
    return True


class _Selection:
    """One attempt to satisfy all needs of a lease.

    Scarce hosts are assigned first: the need that the fewest hosts fit, and of those hosts the ones that fit the fewest
    other needs. Whole hosts beyond the minimum are assigned when every need has its minimum.
    """

    def __init__(self, calendar: Calendar, needs: Sequence[HostNeed], window: Window, seed: int) -> None:
        self._calendar = calendar
        self._needs = needs
        self._window = window
        self._seed = seed
        self._fitting: list[dict[int, Host]] = []
        for number, need in enumerate(needs):
            same = needs.index(need)
            self._fitting.append(self._fitting[same] if same < number else _by_id(calendar.suitable(need)))
        self._assignments: list[dict[int, int]] = [dict(need.kept) for need in needs]
        self._new_bookings: dict[int, list[Booking]] = defaultdict(list)

    @cached_property
    def _demand(self) -> Counter[int]:
        """The number of needs that each host fits."""
        return Counter(host_id for fitting in self._fitting for host_id in fitting)

    def run(self) -> list[Assignment] | HostShortage:
        for number, need in enumerate(self._needs):
            if not self._can_keep(need):
                return self._shortage(number)
            self._book(number, need.kept)
        order = sorted(range(len(self._needs)), key=lambda number: len(self._fitting[number]))
        for number in order:
            if not self._assign(number, self._needs[number].least):
                return self._shortage(number)
        for number in order:
            if self._needs[number].whole:
                self._assign(number, self._needs[number].most)
        return list(self._assignments)

    def _can_keep(self, need: HostNeed) -> bool:
        """Return True when the hosts that a need has are free for it in the whole window, failed hosts included."""
        return all(self._room(need, self._calendar.hosts[host_id]) >= amount for host_id, amount in need.kept.items())

    def _assign(self, number: int, goal: int) -> bool:
        """Assign hosts to a need until it has as many as the goal; return False when there are not enough."""
        need, assignment = self._needs[number], self._assignments[number]
        missing = goal - sum(assignment.values())
        if missing <= 0:
            return True
        if goal == need.least and not self._is_enough(number):
            return False
        new: dict[int, int] = {}
        for host, room in self._offers(number):
            amount = self._share(need, host, room, missing)
            if amount:
                new[host.id] = amount
                missing -= amount
            if not missing:
                break
        if missing and not (need.whole and goal > need.least):
            return False
        self._book(number, new)
        for host_id, amount in new.items():
            assignment[host_id] = assignment.get(host_id, 0) + amount
        return True

    def _is_enough(self, number: int) -> bool:
        """Return False when all hosts together have too little room: then none need be ranked."""
        need, fitting = self._needs[number], self._fitting[number]
        rooms = (
            count * need.contribution(self._room(need, host))
            for host, count in self._calendar.distinct_for(need, self._new_bookings)
            if host.id in fitting
        )
        return bool(need.kept) or sum(rooms) >= need.goal_of(1)

    def _share(self, need: HostNeed, host: Host, room: int, missing: int) -> int:
        """Return how many of the missing instances go to a host with this room."""
        if need.whole:
            return 1
        if need.affinity is False:
            return 0 if host.id in need.kept else 1
        if need.affinity:
            return missing if room >= missing and (not need.kept or host.id in need.kept) else 0
        return min(room, missing)

    def _offers(self, number: int) -> list[tuple[Host, int]]:
        """Return the hosts that have room for a need, the best first."""
        need = self._needs[number]
        rooms = [(host, self._room(need, host)) for host in self._fitting[number].values()]
        if need.whole:
            rooms = [(host, room) for host, room in rooms if host.id not in self._assignments[number]]
        return sorted(((host, room) for host, room in rooms if room > 0), key=lambda offer: self._rank(need, *offer))

    def _rank(self, need: HostNeed, host: Host, room: int) -> tuple[int, ...]:
        """Return the sort key of a host.

        Whole hosts are taken where nothing is booked, and instances where something is, so that whole hosts stay free
        for leases that need one. Instances with affinity go to the host with the least room that suffices.
        """
        unbooked = self._calendar.is_unbooked(host)
        chance = crc32(f"{self._seed}/{host.id}".encode())
        return (
            int(host.id not in need.preferred),
            self._demand[host.id],
            int(unbooked != need.whole),
            room if need.affinity else 0,
            chance,
        )

    def _room(self, need: HostNeed, host: Host) -> int:
        return self._calendar.room(need, host, self._window, self._new_bookings.get(host.id, ()))

    def _book(self, number: int, assignment: Assignment) -> None:
        """Count an assignment as bookings for the needs that come after it."""
        need = self._needs[number]
        for host_id, amount in assignment.items():
            self._new_bookings[host_id].append(need.booking(_not_stored(number), host_id, amount, self._window))

    def _shortage(self, number: int) -> HostShortage:
        need, calendar = self._needs[number], self._calendar
        reasons: Counter[str] = Counter()
        room = 0
        for host, count in calendar.distinct_for(need, self._new_bookings):
            reason = calendar.why_not(need, host, self._window, self._new_bookings.get(host.id, ()))
            if reason is None:
                room += count * self._room(need, host)
                reason = FREE if need.whole or need.affinity is False else SOME_ROOM
            reasons[reason] += count
        ordered = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
        words = {SOME_ROOM: f"with room for {room} of {need.least} instances"} if need.affinity is None else {}
        which = f"reservation {number + 1}: " if len(self._needs) > 1 else ""
        return HostShortage(reasons=ordered, summary=which + summarize(len(calendar.hosts), ordered, words))


def _by_id(hosts: Sequence[Host]) -> dict[int, Host]:
    return {host.id: host for host in hosts}


def _not_stored(number: int) -> int:
    """Return the id of a reservation that has none yet, for the need with this number."""
    return -1 - number
