from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.requirements import about_traits
from dibs.leases.model.moving.moments import MomentCheck
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.moving.units import Units
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, make_host

ANY = HostNeed(whole=True, least=1, most=1)
GPU = HostNeed(whole=True, least=1, most=1, requirements=about_traits(["GPU"], []))


def movable(number: int, host: int, start: int, end: int, need: HostNeed = ANY) -> Movable:
    window = Window(start * MINUTE, end * MINUTE)
    return Movable(reservation_id=number, lease_id=number, need=need, window=window, hosts={host: 1})


def allows(booked: list[Movable], movables: list[Movable], need: HostNeed, end: int = 4, count: int = 1) -> bool:
    """Ask whether hosts can be enough; host 1 has a GPU, hosts 2 and 3 have none."""
    hosts = [make_host(1, traits=frozenset({"GPU"})), make_host(2), make_host(3)]
    rows = [row for each in booked for row in bookings_of(each.reservation_id, each.need, each.hosts, each.window)]
    calendar = calendar_of(hosts, rows)
    units, window = Units(calendar), Window(0, end * MINUTE)
    check = MomentCheck(calendar, {each.reservation_id: each for each in movables}, units, SearchBudget())
    return check.allows([unit for _ in range(count) for unit in units.of_need(-1, need, window)], window)


def test_chain_of_moves_leaves_the_suitable_host():
    booked = [movable(1, 1, 0, 4), movable(2, 2, 0, 4)]
    assert allows(booked, booked, GPU)
    assert not allows(booked, booked, GPU, count=2)


def test_fixed_booking_blocks_its_host():
    booked = [movable(1, 1, 3, 4)]
    assert not allows(booked, [], GPU)
    assert allows(booked, [], GPU, end=3)


def test_each_moment_counts_for_itself():
    booked = [movable(1, 1, 0, 2), movable(2, 2, 0, 2), movable(3, 3, 2, 4), movable(4, 1, 2, 4)]
    assert allows(booked, booked, ANY)
    assert not allows([*booked, movable(5, 3, 1, 2)], [*booked, movable(5, 3, 1, 2)], ANY)


def test_leases_that_need_the_same_host_cannot_both_have_it():
    booked = [movable(1, 1, 0, 4, GPU)]
    assert not allows(booked, booked, GPU)
