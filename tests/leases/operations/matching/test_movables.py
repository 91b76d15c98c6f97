from dibs.leases.operations.matching import movables
from dibs.leases.operations.matching.movables import MovableCalendar, read_hosts, read_movables
from tests.builders import Ledger
from tests.lease_builders import at, lease, make_host, whole


def read(ledger: Ledger, **options) -> MovableCalendar:
    now = ledger.clock()
    return ledger.store.read(lambda tx: read_movables(tx, now, read_hosts(tx, now, 0), moment=at(1), **options))


def test_bookings_of_own_reservations_do_not_count(ledger):
    make_host(ledger)
    made = lease(ledger, 1, 2, whole())
    (host,) = read(ledger).calendar.hosts.values()
    assert len(read(ledger).calendar.bookings_of(host)) == len(read(ledger).movables) == 1
    without = read(ledger, own={made.reservations[0].id})
    assert (list(without.calendar.bookings_of(host)), without.movables) == ([], [])


def test_search_is_incomplete_when_there_are_more_reservations_than_it_may_move(ledger, monkeypatch):
    make_host(ledger)
    lease(ledger, 1, 2, whole())
    assert read(ledger).complete
    monkeypatch.setattr(movables, "MOVABLES_MAX", 1)
    assert not read(ledger).complete
