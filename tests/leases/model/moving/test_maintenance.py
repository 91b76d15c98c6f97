import pytest

from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.requirements import about_traits
from dibs.leases.model.moving.maintenance import MaintenanceWindow, WindowSearch
from dibs.leases.model.moving.moves import Movable, Move
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, make_host, make_node


def movable(number: int, host: int, start: int, end: int, *traits: str) -> Movable:
    return Movable(
        reservation_id=number,
        lease_id=number,
        need=HostNeed(whole=True, least=1, most=1, requirements=about_traits(traits, [])),
        window=Window(start * MINUTE, end * MINUTE),
        hosts={host: 1},
    )


def search(hosts, booked, movables, minutes: int, end: int = 20, pause: int = 0) -> WindowSearch:
    rows = [row for each in booked for row in bookings_of(each.reservation_id, each.need, each.hosts, each.window)]
    calendar = calendar_of(hosts, rows, pause)
    return WindowSearch(calendar, movables, hosts[:1], minutes * MINUTE, Window(0, end * MINUTE))


def test_window_without_a_lease_is_chosen_even_if_it_is_later():
    hosts = [make_host(1), make_host(2)]
    booked = [movable(1, 1, 0, 4), movable(2, 1, 5, 9)]
    assert search(hosts, booked, booked, 2).run(SearchBudget()) == MaintenanceWindow(
        Window(9 * MINUTE, 11 * MINUTE), ()
    )


def test_lease_is_moved_when_no_window_is_free():
    hosts = [make_host(1), make_host(2)]
    booked = [movable(1, 1, 0, 4), movable(2, 1, 4, 20)]
    found = search(hosts, booked, booked, 3).run(SearchBudget())
    assert found == MaintenanceWindow(Window(0, 3 * MINUTE), (Move(of=booked[0], hosts={2: 1}),))


def test_active_lease_is_waited_for():
    hosts = [make_host(1), make_host(2)]
    booked = [movable(1, 1, 0, 4)]
    assert search(hosts, booked, [], 3).run(SearchBudget()) == MaintenanceWindow(Window(4 * MINUTE, 7 * MINUTE), ())
    found = search(hosts, booked, [], 3, pause=1).run(SearchBudget())
    assert found == MaintenanceWindow(Window(5 * MINUTE, 8 * MINUTE), ())
    assert search(hosts, booked, [], 3, end=6).run(SearchBudget()) is None


def test_lease_that_no_other_host_suits_is_waited_for():
    hosts = [make_host(1, traits=frozenset({"GPU"})), make_host(2)]
    booked = [movable(1, 1, 0, 4, "GPU")]
    found = search(hosts, booked, booked, 3).run(SearchBudget())
    assert found == MaintenanceWindow(Window(4 * MINUTE, 7 * MINUTE), ())


def test_host_out_of_service_can_be_maintained():
    hosts = [make_host(1, traits=frozenset({"COMPUTE_STATUS_DISABLED"}))]
    assert search(hosts, [], [], 3).run(SearchBudget()) == MaintenanceWindow(Window(0, 3 * MINUTE), ())


def test_node_is_maintained_after_its_user_leaves():
    hosts = [make_node(1, 5 * MINUTE, used=True)]
    assert search(hosts, [], [], 3).run(SearchBudget()) == MaintenanceWindow(Window(5 * MINUTE, 8 * MINUTE), ())


def test_spent_budget_is_reported():
    hosts = [make_host(number) for number in range(1, 9)]
    booked = [movable(number, number, 0, 20) for number in range(1, 9)]
    with pytest.raises(BudgetSpent):
        search(hosts, booked, booked, 3).run(SearchBudget(steps_max=5))
