from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.moving.loads import exceed_all_hosts
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.moving.units import Units
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, make_host

WHOLE = HostNeed(whole=True, least=1, most=1)


def some(processors: int, count: int = 1) -> HostNeed:
    return HostNeed(whole=False, least=count, most=count, resources={"VCPU": processors})


def booked(number: int, need: HostNeed, host: int, start: int, end: int) -> Movable:
    window = Window(start * MINUTE, end * MINUTE)
    return Movable(reservation_id=number, lease_id=number, need=need, window=window, hosts={host: need.least})


def exceed(movables: list[Movable], need: HostNeed, sizes: tuple[int, ...] = (4, 4)) -> bool:
    """Ask whether what is booked and a new need in the first four minutes take more than the hosts have."""
    rows = [row for each in movables for row in bookings_of(each.reservation_id, each.need, each.hosts, each.window)]
    calendar = calendar_of([make_host(number, size) for number, size in enumerate(sizes, start=1)], rows)
    window = Window(0, 4 * MINUTE)
    return exceed_all_hosts(calendar, movables, list(Units(calendar).of_need(-1, need, window)), window)


def test_instances_take_at_most_what_all_hosts_have():
    taken = [booked(1, some(2, count=2), 1, 0, 4)]
    assert not exceed(taken, some(4))
    assert exceed(taken, some(3, count=2))


def test_each_moment_counts_for_itself():
    taken = [booked(1, some(4), 1, 0, 2), booked(2, some(4), 1, 2, 4)]
    assert not exceed(taken, some(4))
    assert exceed([*taken, booked(3, some(1), 2, 1, 2)], some(4))


def test_bookings_outside_the_window_do_not_count():
    assert not exceed([booked(1, some(4), 1, 4, 6)], some(4, count=2))


def test_whole_host_counts_as_the_smallest():
    taken = [booked(1, WHOLE, 1, 0, 4)]
    assert not exceed(taken, some(4), sizes=(1, 4))
    assert exceed(taken, some(4, count=2))
    assert exceed([booked(1, some(1), 1, 0, 4), booked(2, some(4), 2, 0, 4)], WHOLE)


def test_host_that_shrank_keeps_what_it_bears():
    taken = [booked(1, some(4), 1, 0, 4)]
    assert not exceed(taken, some(4), sizes=(2, 4))
    assert exceed(taken, some(5), sizes=(2, 4))
