from msgspec.structs import replace

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import SearchResult, StartSearch
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import (
    bookings_of,
    calendar_of,
    earliest_start,
    free_of_time,
    make_host,
    make_node,
)

WHOLE = HostNeed(whole=True, least=1, most=1)
ALIKE = HostNeed(whole=True, least=1, most=2)


def test_earliest_start_is_the_end_of_the_booking_and_of_cleaning():
    booked = bookings_of(1, WHOLE, {1: 1}, Window(0, 10 * MINUTE))
    assert earliest_start(calendar_of([make_host(1)], booked, pause=2), [WHOLE], Window(0, MINUTE)) == 12 * MINUTE


def test_gap_that_is_too_short_is_skipped():
    booked = [
        *bookings_of(1, WHOLE, {1: 1}, Window(0, 10 * MINUTE)),
        *bookings_of(2, WHOLE, {1: 1}, Window(12 * MINUTE, 20 * MINUTE)),
    ]
    calendar = calendar_of([make_host(1)], booked)
    assert earliest_start(calendar, [WHOLE], Window(0, 2 * MINUTE)) == 10 * MINUTE
    assert earliest_start(calendar, [WHOLE], Window(0, 3 * MINUTE)) == 20 * MINUTE


def test_all_reservations_fit_at_the_earliest_start():
    booked = [
        *bookings_of(1, WHOLE, {1: 1}, Window(0, 10 * MINUTE)),
        *bookings_of(2, WHOLE, {2: 1}, Window(0, 15 * MINUTE)),
    ]
    calendar = calendar_of([make_host(1), make_host(2)], booked)
    assert earliest_start(calendar, [WHOLE, WHOLE], Window(0, MINUTE)) == 15 * MINUTE


def test_held_node_fits_after_the_hold_and_its_cleaning():
    node = make_node(1, used_until=90 * 1_000_000, used=True)
    calendar = Calendar(fleet=each_alone([node]), bookings=[], first_starts={}, now=0, cleaning_minutes=2)
    need = HostNeed(whole=False, least=1, most=1, resources={"CUSTOM_GOLD": 1})
    assert earliest_start(calendar, [need], Window(MINUTE, 3 * MINUTE)) == 4 * MINUTE


def test_need_that_no_host_meets_fits_at_no_time():
    too_many = HostNeed(whole=True, least=2, most=2)
    search = StartSearch(calendar=calendar_of([make_host(1)], []), needs=[too_many], window=Window(0, MINUTE))
    found = search.run(free_of_time())
    assert (found.result, found.moment) == (SearchResult.NEVER, None)
    assert found.text == "It would not fit at any time."


def crowded(starts: int) -> StartSearch:
    """Return a search at many starts of which each of two reservations fits, but not both on the only host."""
    booked = [
        booking
        for number in range(starts)
        for booking in bookings_of(number, WHOLE, {1: 1}, Window(2 * number * MINUTE, (2 * number + 1) * MINUTE))
    ]
    return StartSearch(calendar=calendar_of([make_host(1)], booked), needs=[WHOLE, ALIKE], window=Window(0, MINUTE))


def test_reservations_that_fit_alone_but_not_together_are_not_said_to_fit_at_no_time():
    found = crowded(3).run(free_of_time())
    assert found.result is SearchResult.NOT_FOUND
    assert found.text == "No later start was found at which all of its reservations fit together."


def test_equal_reservations_that_need_more_hosts_than_there_are_fit_at_no_time():
    search = replace(crowded(3), needs=[WHOLE, WHOLE])
    found = search.run(free_of_time())
    assert found.result is SearchResult.NEVER
    assert found.steps < crowded(3).run(free_of_time()).steps


def test_search_that_uses_up_its_steps_says_how_far_it_came():
    steps = crowded(50).run(free_of_time()).steps
    found = crowded(50).run(free_of_time(steps_max=steps - 1))
    assert (found.result, found.moment) == (SearchResult.STOPPED, None)
    assert found.steps < steps
    assert found.searched_until == (2 * 48 + 1) * MINUTE
    assert found.text == (
        "The search for the earliest start ended after the start 1970-01-01 01:37 without a result, because it reached"
        f" its limit after {found.steps:,} steps: this may fit later."
    )


def test_search_ends_when_its_time_is_over():
    seconds = iter([0.0, *(0.1 * number for number in range(1_000))])
    found = crowded(50).run(SearchBudget(lambda: next(seconds), seconds_max=2.0))
    assert (found.result, found.searched_until) == (SearchResult.STOPPED, None)
    assert found.text.startswith("The search for the earliest start ended without a result, because")


def test_steps_grow_with_the_bookings_of_a_host():
    """A host with many bookings is looked at many times, and each look at it takes longer."""

    def steps(count: int) -> int:
        return crowded(count).run(free_of_time()).steps

    assert steps(40) > 3 * steps(20)


def test_kind_of_hosts_that_never_fits_costs_a_step_too():
    hosts: list[Host] = [make_host(number) for number in range(1, 11)]
    too_large = HostNeed(whole=False, least=1, most=1, resources={"VCPU": 1_000})
    search = StartSearch(calendar=calendar_of(hosts, []), needs=[too_large], window=Window(0, MINUTE))
    assert search.run(free_of_time()).steps == len(hosts)
