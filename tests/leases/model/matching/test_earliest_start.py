from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import earliest_start
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, make_host, make_node

WHOLE = HostNeed(whole=True, least=1, most=1)


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
    node = make_node(1, hold_ends_at=90 * 1_000_000, used=True)
    calendar = Calendar(hosts=[node], bookings=[], first_starts={}, now=0, cleaning_minutes=2)
    need = HostNeed(whole=False, least=1, most=1, resources={"CUSTOM_GOLD": 1})
    assert earliest_start(calendar, [need], Window(MINUTE, 3 * MINUTE)) == 4 * MINUTE


def test_need_that_no_host_meets_fits_at_no_time():
    too_many = HostNeed(whole=True, least=2, most=2)
    assert earliest_start(calendar_of([make_host(1)], []), [too_many], Window(0, MINUTE)) is None
