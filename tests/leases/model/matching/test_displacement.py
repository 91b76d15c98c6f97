"""Reservations that lose their hosts take those that are left, one after the other."""

from dibs.leases.model.bookings import Booking
from dibs.leases.model.matching.displacement import Displaced, Displacement
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.windows import Window
from tests.leases.model.matching.calendars import make_host

LOST = 9


def booking(reservation: int, host_id: int, start: int = 0, end: int = 10) -> Booking:
    return Booking(reservation_id=reservation, host_id=host_id, start_at=start, end_at=end, amount=1, whole=True)


def displaced(reservation: int, start: int = 0, end: int = 10) -> Displaced:
    need = HostNeed(whole=True, least=1, most=1)
    return Displaced(lease="l", reservation_id=reservation, hosts={LOST: 1}, need=need, window=Window(start, end))


def test_second_of_two_reservations_does_not_get_the_host_of_the_first() -> None:
    search = Displacement(
        hosts=[make_host(1), make_host(2)],
        bookings=[booking(7, LOST), booking(8, LOST, 5, 15), booking(6, 2)],
        displaced=[displaced(7), displaced(8, 5, 15), displaced(5, 20, 30)],
        now=0,
        cleaning_minutes=0,
    )
    assert search.find_hosts()[:2] == [{1: 1}, None]
    assert search.find_hosts()[2] is not None
