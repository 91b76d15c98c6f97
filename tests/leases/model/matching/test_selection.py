"""Selections compared with a table that has a cell for each host and minute."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.requirements import about_traits
from dibs.leases.model.matching.selection import fits_together, select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, earliest_start, make_host

SPAN = 12
"""The number of minutes in which all windows lie."""


class MinuteByMinute:
    """The same bookings as a table: what is taken of each host in each minute."""

    def __init__(self, hosts: list[Host], bookings: list[Booking], pause: int) -> None:
        self.hosts = hosts
        self.pause = pause
        self.taken: dict[tuple[int, int], list[Booking]] = {}
        for booking in bookings:
            for minute in range(booking.start_at // MINUTE, booking.end_at // MINUTE):
                self.taken.setdefault((booking.host_id, minute), []).append(booking)

    def room(self, need: HostNeed, host: Host, window: Window) -> int:
        """Add instances one by one until they do not fit in a minute."""
        minutes = range(window.start // MINUTE - self.pause, window.end // MINUTE + self.pause)
        if need.whole:
            return int(not any((host.id, minute) in self.taken for minute in minutes))
        amount = 0
        while all(self._fits(need, host, minute, amount + 1) for minute in minutes):
            amount += 1
        return amount

    def _fits(self, need: HostNeed, host: Host, minute: int, amount: int) -> bool:
        there = self.taken.get((host.id, minute), [])
        if any(booking.whole for booking in there):
            return False
        load = Counter({name: size * amount for name, size in need.resources.items()})
        for booking in there:
            load.update({name: size * booking.amount for name, size in booking.resources.items()})
        return all(load[name] <= host.capacity(name) for name in load)

    def fits(self, need: HostNeed, window: Window) -> bool:
        rooms = [self.room(need, host, window) for host in self.hosts]
        if need.whole or need.affinity is False:
            return sum(room > 0 for room in rooms) >= need.least
        if need.affinity:
            return max(rooms, default=0) >= need.least
        return sum(rooms) >= need.least

    def earliest(self, need: HostNeed, window: Window) -> int | None:
        """Try every minute until all bookings have ended."""
        for minute in range(window.start // MINUTE + 1, 6 * SPAN):
            if self.fits(need, window.moved_to(minute * MINUTE)):
                return minute * MINUTE
        return None


spans = st.tuples(st.integers(1, SPAN), st.integers(1, SPAN)).map(
    lambda pair: Window(min(pair) * MINUTE, (max(pair) + 1) * MINUTE)
)
sizes = st.fixed_dictionaries({"VCPU": st.sampled_from([1, 10, 20, 33, 40, 64])}, optional={"MEMORY_MB": st.just(30)})


@st.composite
def needs(draw) -> HostNeed:
    if draw(st.booleans()):
        least = draw(st.integers(1, 3))
        return HostNeed(whole=True, least=least, most=draw(st.integers(least, 4)))
    amount = draw(st.integers(1, 7))
    affinity = draw(st.sampled_from([None, True, False]))
    return HostNeed(whole=False, least=amount, most=amount, affinity=affinity, resources=draw(sizes))


def check_assignment(need: HostNeed, assignment: Assignment) -> None:
    count = sum(assignment.values())
    assert need.least <= count <= need.most
    if need.whole or need.affinity is False:
        assert set(assignment.values()) == {1}
    if need.affinity:
        assert len(assignment) == 1


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([8, 20, 64]), max_size=4),
    st.lists(st.tuples(needs(), spans), min_size=1, max_size=14),
    st.integers(0, 2),
    st.integers(),
)
def test_leases_fit_exactly_when_a_table_of_minutes_has_room(processors, wanted, pause, seed):
    hosts = [make_host(number + 1, size) for number, size in enumerate(processors)]
    bookings: list[Booking] = []
    for number, (need, window) in enumerate(wanted):
        calendar = calendar_of(hosts, bookings, pause)
        table = MinuteByMinute(hosts, bookings, pause)
        found = select_hosts(calendar, [need], window, seed)
        assert isinstance(found, HostShortage) != table.fits(need, window)
        if isinstance(found, HostShortage):
            assert sum(found.reasons.values()) == len(hosts)
            assert earliest_start(calendar, [need], window) == table.earliest(need, window)
            continue
        check_assignment(need, found[0])
        for host_id, amount in found[0].items():
            host = next(host for host in hosts if host.id == host_id)
            assert table.room(need, host, window) >= amount
        bookings += bookings_of(number, need, found[0], window)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(needs(), spans), max_size=6), st.lists(needs(), min_size=2, max_size=3), spans, st.integers())
def test_reservations_of_one_lease_fit_beside_each_other(others, together, window, seed):
    hosts = [make_host(number) for number in (1, 2, 3, 4)]
    bookings: list[Booking] = []
    for number, (need, span) in enumerate(others):
        found = select_hosts(calendar_of(hosts, bookings), [need], span, seed)
        bookings += [] if isinstance(found, HostShortage) else bookings_of(number, need, found[0], span)
    calendar = calendar_of(hosts, bookings)
    found = select_hosts(calendar, together, window, seed)
    if isinstance(found, HostShortage):
        start = earliest_start(calendar, together, window)
        assert start is None or not isinstance(
            select_hosts(calendar, together, window.moved_to(start), 0), HostShortage
        )
        return
    for number, (need, assignment) in enumerate(zip(together, found, strict=True)):
        check_assignment(need, assignment)
        table = MinuteByMinute(hosts, bookings, 0)
        for host_id, amount in assignment.items():
            assert table.room(need, hosts[host_id - 1], window) >= amount
        bookings += bookings_of(100 + number, need, assignment, window)


@settings(max_examples=200, deadline=None)
@given(st.sets(st.integers(1, 6), max_size=3), st.sets(st.integers(1, 6), max_size=4), st.integers(1, 3))
def test_two_reservations_get_whole_hosts_whenever_a_solution_exists(one, other, least):
    """Hosts that fit both reservations are left to the reservation that has no others."""
    hosts = [
        make_host(number, traits=frozenset(name for name, those in (("A", one), ("B", other)) if number in those))
        for number in range(1, 7)
    ]
    wanted = [
        HostNeed(whole=True, least=1, most=1, requirements=about_traits(["A"], [])),
        HostNeed(whole=True, least=least, most=least + 2, requirements=about_traits(["B"], [])),
    ]
    possible = any(len(other - {mine}) >= least for mine in one)
    found = select_hosts(calendar_of(hosts, []), wanted, Window(0, MINUTE), 1)
    assert isinstance(found, HostShortage) != possible


def test_three_instances_of_20_and_one_of_40_do_not_fit_on_64():
    host = make_host(1)
    window = Window(0, 10 * MINUTE)
    small = HostNeed(whole=False, least=3, most=3, resources={"VCPU": 20})
    large = HostNeed(whole=False, least=1, most=1, resources={"VCPU": 40})
    assert isinstance(select_hosts(calendar_of([host], []), [small, large], window, 0), HostShortage)
    booked = bookings_of(1, small, {1: 3}, window)
    assert isinstance(select_hosts(calendar_of([host], booked), [large], window, 0), HostShortage)


def test_reasons_are_counted_and_the_most_frequent_comes_first():
    hosts = [make_host(number, traits=frozenset({"COMPUTE_STATUS_DISABLED"})) for number in (1, 2)]
    found = select_hosts(
        calendar_of([*hosts, make_host(3)], []), [HostNeed(whole=True, least=2, most=2)], Window(0, MINUTE), 0
    )
    assert isinstance(found, HostShortage)
    assert found.summary == "3 hosts: 2 disabled, 1 free"
    assert list(found.reasons) == ["disabled", "free"]


def fits(calendar: Calendar, needs: list[HostNeed], chosen: list[Assignment], window: Window) -> bool:
    return fits_together(calendar, [(need, hosts, window) for need, hosts in zip(needs, chosen, strict=True)])


def test_chosen_host_fits_until_it_is_booked_or_gone() -> None:
    host, window, other = make_host(1), Window(0, MINUTE), Window(MINUTE, 2 * MINUTE)
    whole = HostNeed(whole=True, least=1, most=1)
    chosen: list[Assignment] = [{1: 1}]
    assert fits(calendar_of([host], []), [whole], chosen, window)
    assert fits(calendar_of([host], bookings_of(9, whole, {1: 1}, other)), [whole], chosen, window)
    assert not fits(calendar_of([host], bookings_of(9, whole, {1: 1}, window)), [whole], chosen, window)
    assert not fits(calendar_of([], []), [whole], chosen, window)


def test_chosen_host_fits_all_needs_together() -> None:
    calendar, window = calendar_of([make_host(1, processors=4)], []), Window(0, MINUTE)
    pair = HostNeed(whole=False, least=2, most=2, resources={"VCPU": 2})
    single = HostNeed(whole=False, least=1, most=1, resources={"VCPU": 1})
    assert fits(calendar, [pair], [{1: 2}], window)
    assert not fits(calendar, [pair, single], [{1: 2}, {1: 1}], window)


def test_kept_host_fits_although_it_no_longer_meets_the_requirements() -> None:
    calendar, window = calendar_of([make_host(1)], []), Window(0, MINUTE)
    need = HostNeed(whole=True, least=1, most=1, requirements=about_traits(["CUSTOM_GPU"], []))
    assert not fits(calendar, [need], [{1: 1}], window)
    assert fits(calendar, [replace(need, kept={1: 1})], [{1: 1}], window)


def test_equal_reservations_look_for_fitting_hosts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    why_never = Calendar.why_never

    def count(self: Calendar, need: HostNeed, host: Host) -> str | None:
        looks.append(host.id)
        return why_never(self, need, host)

    monkeypatch.setattr(Calendar, "why_never", count)
    calendar = calendar_of([make_host(number) for number in range(10)], [])
    needs = [HostNeed(whole=True, least=1, most=1) for _ in range(5)]
    found = select_hosts(calendar, needs, Window(0, MINUTE), seed=1)
    assert not isinstance(found, HostShortage)
    assert len({host_id for assignment in found for host_id in assignment}) == 5
    assert len(looks) == 10
