"""Choosing hosts against a calendar that is filled in minute by minute."""

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host, HostNode
from dibs.leases.model.matching.calendar import Calendar, peak_load
from dibs.leases.model.matching.earliest_start import earliest_start
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.requirements import about_traits
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.windows import MINUTE, Window
from dibs.ledger.model.inventories import Inventory

SPAN = 12
"""Minutes in which everything happens."""
PROCESSORS = 64


def make_host(number: int, processors: int = PROCESSORS, **options) -> Host:
    stock = {
        name: Inventory(provider=str(number), resource_class=name, total=total, max_unit=total)
        for name, total in (("VCPU", processors), ("MEMORY_MB", 100))
    }
    return Host(
        id=number,
        name=f"h{number}",
        provider_id=number,
        provider=str(number),
        reservation_provider_id=-number,
        reservation_provider=str(-number),
        inventories=stock,
        created_at=0,
        **options,
    )


def make_node(number: int, hold_ends_at: int | None, used: bool) -> Host:
    host = make_host(number)
    unit = Inventory(
        provider=str(number), resource_class="CUSTOM_GOLD", total=1, max_unit=1, used=int(used), reserved=1
    )
    node = HostNode(
        uuid=str(number),
        resource_class="gold",
        provision_state="cleaning",
        maintenance=False,
        retired=False,
        instance_uuid=None,
        properties={},
        hold_ends_at=hold_ends_at,
    )
    return replace(host, inventories={"CUSTOM_GOLD": unit}, node=node)


class MinuteByMinute:
    """The same promises as a table: for every host and minute, what is taken."""

    def __init__(self, hosts: list[Host], bookings: list[Booking], pause: int) -> None:
        self.hosts = hosts
        self.pause = pause
        self.taken: dict[tuple[int, int], list[Booking]] = {}
        for booking in bookings:
            for minute in range(booking.start_at // MINUTE, booking.end_at // MINUTE):
                self.taken.setdefault((booking.host_id, minute), []).append(booking)

    def room(self, need: HostNeed, host: Host, window: Window) -> int:
        """Add instances one by one until a minute is too full."""
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
        """Try every minute, until everything that was promised is long over."""
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


def promised(number: int, need: HostNeed, assignment: Assignment, window: Window) -> list[Booking]:
    return [
        Booking(
            reservation_id=number,
            host_id=host_id,
            start_at=window.start,
            end_at=window.end,
            amount=amount,
            whole=need.whole,
            resources=need.resources,
        )
        for host_id, amount in assignment.items()
    ]


def calendar_of(hosts: list[Host], bookings: list[Booking], pause: int = 0) -> Calendar:
    starts: dict[int, int] = {}
    for booking in bookings:
        starts[booking.host_id] = min(starts.get(booking.host_id, booking.start_at), booking.start_at)
    return Calendar(hosts=hosts, bookings=bookings, first_starts=starts, now=0, cleaning_minutes=pause)


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
def test_random_leases_fit_exactly_when_a_calendar_of_minutes_has_room(processors, wanted, pause, seed):
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
        bookings += promised(number, need, found[0], window)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(needs(), spans), max_size=6), st.lists(needs(), min_size=2, max_size=3), spans, st.integers())
def test_reservations_of_one_lease_fit_beside_each_other(others, together, window, seed):
    hosts = [make_host(number) for number in (1, 2, 3, 4)]
    bookings: list[Booking] = []
    for number, (need, span) in enumerate(others):
        found = select_hosts(calendar_of(hosts, bookings), [need], span, seed)
        bookings += [] if isinstance(found, HostShortage) else promised(number, need, found[0], span)
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
        bookings += promised(100 + number, need, assignment, window)


@settings(max_examples=200, deadline=None)
@given(st.sets(st.integers(1, 6), max_size=3), st.sets(st.integers(1, 6), max_size=4), st.integers(1, 3))
def test_whole_hosts_for_two_reservations_are_found_whenever_there_are_any(one, other, least):
    """Hosts that suit both are left to the one that has no others."""
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
    booked = promised(1, small, {1: 3}, window)
    assert isinstance(select_hosts(calendar_of([host], booked), [large], window, 0), HostShortage)


def test_the_peak_is_what_overlaps_at_one_moment():
    bookings = [
        Booking(reservation_id=n, host_id=1, start_at=start, end_at=end, amount=2, resources={"VCPU": vcpus})
        for n, (start, end, vcpus) in enumerate([(0, 10, 5), (10, 20, 7), (15, 30, 1)])
    ]
    assert peak_load(bookings, Window(0, 30)) == Counter(VCPU=16)
    assert peak_load(bookings, Window(0, 15)) == Counter(VCPU=14)
    assert peak_load(bookings, Window(30, 40)) == Counter()


def test_a_held_node_is_free_from_the_end_of_the_hold_and_its_pause():
    calendar = Calendar(
        hosts=[make_node(1, 90 * 1_000_000, True)], bookings=[], first_starts={}, now=0, cleaning_minutes=2
    )
    need = HostNeed(whole=False, least=1, most=1, resources={"CUSTOM_GOLD": 1})
    assert calendar.room(need, calendar.hosts[1], Window(3 * MINUTE, 9 * MINUTE)) == 0
    assert earliest_start(calendar, [need], Window(MINUTE, 3 * MINUTE)) == 4 * MINUTE


def test_who_uses_a_node_in_a_lease_leaves_with_it():
    node = make_node(1, None, True)
    lease = Booking(reservation_id=1, host_id=1, start_at=0, end_at=5 * MINUTE, amount=1, whole=True)
    need = HostNeed(whole=True, least=1, most=1)
    begun = Calendar(hosts=[node], bookings=[lease], first_starts={1: 0}, now=MINUTE)
    assert select_hosts(begun, [need], Window(5 * MINUTE, 6 * MINUTE), 0) == [{1: 1}]
    foreign = Calendar(hosts=[node], bookings=[], first_starts={1: 50 * MINUTE}, now=MINUTE)
    assert isinstance(select_hosts(foreign, [need], Window(5 * MINUTE, 6 * MINUTE), 0), HostShortage)


def test_reasons_are_counted_and_the_most_frequent_comes_first():
    hosts = [make_host(number, traits=frozenset({"COMPUTE_STATUS_DISABLED"})) for number in (1, 2)]
    found = select_hosts(
        calendar_of([*hosts, make_host(3)], []), [HostNeed(whole=True, least=2, most=2)], Window(0, MINUTE), 0
    )
    assert isinstance(found, HostShortage)
    assert found.summary == "3 hosts: 2 disabled, 1 free"
    assert list(found.reasons) == ["disabled", "free"]
