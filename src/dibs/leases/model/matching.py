"""Choosing hosts for a lease: what is promised of each host over time, what fits beside it, and why it does not.

Nothing is guessed from sums: at every moment of the window what overlapping bookings take of a class stays, with what
is asked for, within what the host has; and a host that is booked whole is shared with nobody.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zlib import crc32

from dibs.leases.model.hosts import COLUMNS, SIZES, Host, Interest
from dibs.leases.model.leases import FLAVORED_INSTANCES, Booking, Reservation
from dibs.leases.model.requirements import Requirement, about_traits, parse
from dibs.leases.model.windows import SECOND, Window

Picks = Mapping[int, int]
"""How many instances on which host, by the host's number; 1 for a whole host."""

BOOKED, HELD, IN_USE, TOO_SMALL = "booked in that time", "held in that time", "in use", "too small"
FREE, SOME_ROOM = "free", "with room for some"
_NO_LOAD = Counter[str]()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostNeed:
    """What one reservation needs."""

    whole: bool
    least: int
    most: int
    affinity: bool | None = None
    resources: Mapping[str, int] = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()
    kept: Picks = field(default_factory=dict)
    """What it has and may not lose, because its lease has begun."""
    favourites: frozenset[int] = frozenset()
    """Hosts that it would rather have than others."""

    @property
    def interest(self) -> Interest:
        """What has to be known of each host."""
        keys = {requirement.key for requirement in self.requirements if requirement.trait is None}
        return Interest(
            classes=frozenset(self.resources) | {SIZES[key] for key in keys & SIZES.keys()},
            traits=frozenset(each.trait for each in self.requirements if each.trait is not None),
            properties=not keys <= COLUMNS,
        )

    def counts(self, room: int) -> int:
        """What a host with room for so many instances contributes to what is needed."""
        if self.whole or self.affinity is False:
            return min(room, 1)
        return int(room >= self.least) if self.affinity else room

    @property
    def goal(self) -> int:
        """How much all hosts must contribute together."""
        return 1 if self.affinity and not self.whole else self.least


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """Why there are not enough hosts, and when there would be."""

    reasons: Mapping[str, int]
    """How many hosts cannot be had, by the first reason; the most frequent first."""
    summary: str
    earliest: int | None = None
    searched: bool = False
    """False while nobody looked for the earliest start."""

    @property
    def text(self) -> str:
        """The whole answer, in a sentence or two."""
        if not self.searched:
            return f"{self.summary}."
        if self.earliest is None:
            return f"{self.summary}. It would not fit at any time."
        return f"{self.summary}. The earliest start at which this fits is {written(self.earliest)}."


def need_of(reservation: Reservation, kept: Picks | None = None) -> HostNeed:
    """What a reservation needs."""
    flavored = reservation.resource_type == FLAVORED_INSTANCES
    written = () if flavored else (reservation.hypervisor_properties, reservation.resource_properties)
    return HostNeed(
        whole=reservation.whole_hosts,
        least=reservation.least,
        most=reservation.most,
        affinity=reservation.affinity,
        resources=reservation.resources,
        requirements=tuple(requirement for text in written for requirement in parse(text))
        + about_traits(reservation.required_traits, reservation.forbidden_traits),
        kept=kept or {},
    )


class Calendar:
    """Hosts, and what is promised of them. It only answers; nothing is promised by asking."""

    def __init__(
        self,
        *,
        hosts: Sequence[Host],
        bookings: Iterable[Booking],
        first_starts: Mapping[int, int],
        now: int,
        cleaning_minutes: int = 0,
    ) -> None:
        self.hosts = {host.id: host for host in hosts}
        self.cleaning_minutes = cleaning_minutes
        self._first_starts = first_starts
        self._now = now
        self._bookings: dict[int, list[Booking]] = defaultdict(list)
        for booking in bookings:
            self._bookings[booking.host_id].append(booking)

    def with_bookings(self, bookings: Iterable[Booking]) -> "Calendar":
        """The same hosts with other bookings."""
        return Calendar(
            hosts=list(self.hosts.values()),
            bookings=bookings,
            first_starts=self._first_starts,
            now=self._now,
            cleaning_minutes=self.cleaning_minutes,
        )

    def bookings_of(self, host: Host) -> Sequence[Booking]:
        """What is promised of a host."""
        return self._bookings.get(host.id, ())

    def never(self, need: HostNeed, host: Host) -> str | None:
        """Why a host cannot be had at any time, as far as can be known; None when it can."""
        for requirement in need.requirements:
            if not requirement.met_by(host):
                return requirement.words(1)
        if host.trouble is not None:
            return host.trouble
        if not all(host.takes(name, amount) for name, amount in need.resources.items()):
            return TOO_SMALL
        return IN_USE if self._in_use(host) else None

    def room(self, need: HostNeed, host: Host, window: Window, besides: Sequence[Booking] = ()) -> int:
        """For how many instances a host that can be had has room in a window, if it has more bookings besides those of
        the calendar; 1 when it can be had whole."""
        wide = window.widened(self.cleaning_minutes)
        if _is_held(host, wide):
            return 0
        booked = (*self.bookings_of(host), *besides)
        taken = [each for each in booked if wide.overlaps(each.start_at, each.end_at)]
        if need.whole:
            return 0 if taken else 1
        if any(booking.whole for booking in taken):
            return 0
        peaks = peak_load(taken, wide) if taken else _NO_LOAD
        rooms = ((host.capacity(name) - peaks[name]) // amount for name, amount in need.resources.items())
        return max(0, min(rooms, default=0))

    def pick(self, needs: Sequence[HostNeed], window: Window, seed: int) -> list[Picks] | Shortage:
        """Hosts for each need, in a random order that the seed decides; or why there are not enough."""
        return _Choice(self, needs, window, seed).run()

    def why_not(self, need: HostNeed, host: Host, window: Window, besides: Sequence[Booking] = ()) -> str | None:
        """The first reason for which a host cannot be had in a window; None when it can."""
        reason = self.never(need, host)
        if reason is not None or self.room(need, host, window, besides) > 0:
            return reason
        wide = window.widened(self.cleaning_minutes)
        return HELD if _is_held(host, wide) else BOOKED

    def untouched(self, host: Host) -> bool:
        """True when nobody has booked the host for any time."""
        return host.id not in self._first_starts and not self.bookings_of(host)

    def _in_use(self, host: Host) -> bool:
        """Whether a node has somebody who says no end.

        Whoever uses a node whose booking has begun was let in by that booking's lease, and leaves with it.
        """
        if host.node is None or host.node.hold_ends_at is not None:
            return False
        if self._first_starts.get(host.id, self._now + 1) <= self._now:
            return False
        return host.node.instance_uuid is not None or any(inventory.used for inventory in host.stock.values())


class _Choice:
    """One attempt to serve all needs of a lease.

    What is scarce is chosen first: the need that the fewest hosts suit, and of those hosts the ones that suit the
    fewest other needs. Whole hosts beyond the least are given out once everybody has the least.
    """

    def __init__(self, calendar: Calendar, needs: Sequence[HostNeed], window: Window, seed: int) -> None:
        self._calendar = calendar
        self._needs = needs
        self._window = window
        self._seed = seed
        self._suited = [
            [host for host in calendar.hosts.values() if calendar.never(need, host) is None] for need in needs
        ]
        self._wanted = Counter(host.id for suited in self._suited for host in suited)
        self._picks: list[dict[int, int]] = [dict(need.kept) for need in needs]
        self._promised: dict[int, list[Booking]] = defaultdict(list)

    def run(self) -> list[Picks] | Shortage:
        for number, need in enumerate(self._needs):
            if not self._can_keep(need):
                return self._shortage(number)
            self._promise(number, need.kept)
        order = sorted(range(len(self._needs)), key=lambda number: len(self._suited[number]))
        for number in order:
            if not self._serve(number, self._needs[number].least):
                return self._shortage(number)
        for number in order:
            if self._needs[number].whole:
                self._serve(number, self._needs[number].most)
        return list(self._picks)

    def _can_keep(self, need: HostNeed) -> bool:
        """Whether the hosts that a need has are free for it in all of the window, broken ones included."""
        return all(self._room(need, self._calendar.hosts[host_id]) >= amount for host_id, amount in need.kept.items())

    def _serve(self, number: int, goal: int) -> bool:
        """Give a need hosts until it has as many as the goal; False when it cannot have them."""
        need, picks = self._needs[number], self._picks[number]
        missing = goal - sum(picks.values())
        if missing <= 0:
            return True
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
        self._promise(number, new)
        for host_id, amount in new.items():
            picks[host_id] = picks.get(host_id, 0) + amount
        return True

    def _share(self, need: HostNeed, host: Host, room: int, missing: int) -> int:
        if need.whole:
            return 1
        if need.affinity is False:
            return 0 if host.id in need.kept else 1
        if need.affinity:
            return missing if room >= missing and (not need.kept or host.id in need.kept) else 0
        return min(room, missing)

    def _offers(self, number: int) -> list[tuple[Host, int]]:
        """The hosts that have room for a need, the best first."""
        need = self._needs[number]
        rooms = [(host, self._room(need, host)) for host in self._suited[number]]
        if need.whole:
            rooms = [(host, room) for host, room in rooms if host.id not in self._picks[number]]
        return sorted(((host, room) for host, room in rooms if room > 0), key=lambda offer: self._rank(need, *offer))

    def _rank(self, need: HostNeed, host: Host, room: int) -> tuple[int, ...]:
        """Whole hosts are taken where nothing is booked, instances where something is: so whole hosts remain for who
        needs one. Instances that have to lie together go where least is left over."""
        untouched = self._calendar.untouched(host)
        chance = crc32(f"{self._seed}/{host.id}".encode())
        return (
            int(host.id not in need.favourites),
            self._wanted[host.id],
            int(untouched != need.whole),
            room if need.affinity else 0,
            chance,
        )

    def _room(self, need: HostNeed, host: Host) -> int:
        return self._calendar.room(need, host, self._window, self._promised.get(host.id, ()))

    def _promise(self, number: int, picks: Picks) -> None:
        need = self._needs[number]
        for host_id, amount in picks.items():
            self._promised[host_id].append(
                Booking(
                    reservation_id=-1 - number,
                    host_id=host_id,
                    start_at=self._window.start,
                    end_at=self._window.end,
                    amount=amount,
                    whole=need.whole,
                    resources=need.resources,
                )
            )

    def _shortage(self, number: int) -> Shortage:
        need, calendar = self._needs[number], self._calendar
        reasons: Counter[str] = Counter()
        room = 0
        for host in calendar.hosts.values():
            reason = calendar.why_not(need, host, self._window, self._promised.get(host.id, ()))
            if reason is None:
                room += self._room(need, host)
                reason = FREE if need.whole or need.affinity is False else SOME_ROOM
            reasons[reason] += 1
        ordered = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
        words = {SOME_ROOM: f"with room for {room} of {need.least} instances"} if need.affinity is None else {}
        which = f"reservation {number + 1}: " if len(self._needs) > 1 else ""
        return Shortage(reasons=ordered, summary=which + _summary(len(calendar.hosts), ordered, words))


def _is_held(host: Host, window: Window) -> bool:
    """Whether somebody's hold on a node is not over when a window begins."""
    ends_at = host.node.hold_ends_at if host.node is not None else None
    return ends_at is not None and ends_at > window.start


def peak_load(bookings: Iterable[Booking], window: Window) -> Counter[str]:
    """The most that bookings take of each class at any moment of a window."""
    changes = [
        (moment, sign, booking)
        for booking in bookings
        if window.overlaps(booking.start_at, booking.end_at)
        for moment, sign in ((max(booking.start_at, window.start), 1), (booking.end_at, -1))
    ]
    # At the same moment what ends comes first: a host that is given back at noon is free for who comes at noon.
    changes.sort(key=lambda change: change[:2])
    load, peaks = Counter[str](), Counter[str]()
    for _, sign, booking in changes:
        for name, amount in booking.resources.items():
            load[name] += sign * amount * booking.amount
            peaks[name] = max(peaks[name], load[name])
    return peaks


def written(moment: int) -> str:
    """A moment as leases write dates, in UTC."""
    return datetime.fromtimestamp(moment // SECOND, UTC).strftime("%Y-%m-%d %H:%M")


def _summary(count: int, reasons: Mapping[str, int], words: Mapping[str, str]) -> str:
    """Such as "10 hosts: 7 booked in that time, 2 lack gpu == 'a100', 1 disabled"."""
    total = f"{count or 'no'} host{'' if count == 1 else 's'}"
    listed = ", ".join(f"{number} {words.get(reason) or _plural(reason, number)}" for reason, number in reasons.items())
    return f"{total}: {listed}" if listed else total


def _plural(reason: str, count: int) -> str:
    if count > 1:
        for one, many in (("lacks ", "lack "), ("has ", "have ")):
            if reason.startswith(one):
                return many + reason.removeprefix(one)
    return reason
