from collections import Counter

from dibs.leases.model.bookings import Booking
from dibs.leases.model.matching.calendar import BOOKED, HELD, IN_USE, TOO_SMALL, Calendar, peak_load
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.requirements import about_traits
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, make_host, make_node

WHOLE = HostNeed(whole=True, least=1, most=1)
LARGE = HostNeed(whole=False, least=1, most=1, resources={"VCPU": 40})
WINDOW = Window(5 * MINUTE, 6 * MINUTE)


def test_peak_load_is_what_overlaps_at_one_moment():
    bookings = [
        Booking(reservation_id=n, host_id=1, start_at=start, end_at=end, amount=2, resources={"VCPU": vcpus})
        for n, (start, end, vcpus) in enumerate([(0, 10, 5), (10, 20, 7), (15, 30, 1)])
    ]
    assert peak_load(bookings, Window(0, 30)) == Counter(VCPU=16)
    assert peak_load(bookings, Window(0, 15)) == Counter(VCPU=14)
    assert peak_load(bookings, Window(30, 40)) == Counter()


def test_room_is_what_bookings_of_the_window_leave():
    small = HostNeed(whole=False, least=3, most=3, resources={"VCPU": 20})
    host = make_host(1)
    calendar = calendar_of([host], bookings_of(1, small, {1: 2}, WINDOW))
    assert calendar.room(small, host, WINDOW) == 1
    assert calendar.room(LARGE, host, WINDOW) == 0
    assert calendar.room(LARGE, host, Window(6 * MINUTE, 7 * MINUTE)) == 1


def test_host_that_is_booked_whole_has_no_room():
    host = make_host(1)
    calendar = calendar_of([host], bookings_of(1, WHOLE, {1: 1}, WINDOW))
    assert calendar.room(LARGE, host, WINDOW) == 0
    assert not calendar.is_unbooked(host)


def test_cleaning_minutes_keep_adjacent_windows_apart():
    host = make_host(1)
    booked = bookings_of(1, WHOLE, {1: 1}, WINDOW)
    after = Window(6 * MINUTE, 7 * MINUTE)
    assert calendar_of([host], booked).room(WHOLE, host, after) == 1
    assert calendar_of([host], booked, pause=1).room(WHOLE, host, after) == 0


def test_node_has_no_room_before_its_hold_ends():
    node = make_node(1, used_until=90 * 1_000_000, used=True)
    need = HostNeed(whole=False, least=1, most=1, resources={"CUSTOM_GOLD": 1})
    calendar = Calendar(fleet=each_alone([node]), bookings=[], first_starts={}, now=0, cleaning_minutes=2)
    assert calendar.room(need, node, Window(3 * MINUTE, 9 * MINUTE)) == 0
    assert calendar.room(need, node, Window(4 * MINUTE, 9 * MINUTE)) == 1


def test_node_in_use_fits_only_after_the_lease_that_its_user_belongs_to():
    node = make_node(1, used_until=None, used=True)
    lease = Booking(reservation_id=1, host_id=1, start_at=0, end_at=5 * MINUTE, amount=1, whole=True)
    begun = Calendar(fleet=each_alone([node]), bookings=[lease], first_starts={1: 0}, now=MINUTE)
    assert begun.why_not(WHOLE, node, WINDOW) is None
    foreign = Calendar(fleet=each_alone([node]), bookings=[], first_starts={1: 50 * MINUTE}, now=MINUTE)
    assert foreign.why_not(WHOLE, node, WINDOW) == IN_USE


def test_first_reason_is_given():
    host = make_host(1, processors=20)
    disabled = make_host(2, traits=frozenset({"COMPUTE_STATUS_DISABLED"}))
    held = make_node(3, used_until=9 * MINUTE, used=False)
    calendar = calendar_of([host, disabled, held], bookings_of(1, WHOLE, {1: 1}, WINDOW))
    with_trait = HostNeed(whole=True, least=1, most=1, requirements=about_traits(["CUSTOM_A"], []))
    assert calendar.why_not(with_trait, host, WINDOW) == "lacks CUSTOM_A"
    assert calendar.why_not(WHOLE, disabled, WINDOW) == "disabled"
    assert calendar.why_not(LARGE, host, WINDOW) == TOO_SMALL
    assert calendar.why_not(WHOLE, host, WINDOW) == BOOKED
    assert calendar.why_not(WHOLE, held, WINDOW) == HELD
