from dibs.leases.model.hosts import NO_DETAILS
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.windows import Window
from dibs.leases.operations.matching import movables
from dibs.leases.operations.matching.movables import ReadMoveSearch, read_move_search
from tests.builders import Ledger
from tests.lease_builders import at, lease, make_host, whole

ONE = HostNeed(whole=True, least=1, most=1)


def read(ledger: Ledger, **options) -> ReadMoveSearch:
    now = ledger.clock()
    return ledger.store.read(
        lambda tx: read_move_search(tx, now, details=NO_DETAILS, moment=at(1), cleaning_minutes=0, **options)
    )


def test_bookings_of_own_reservations_do_not_count(ledger):
    make_host(ledger)
    made = lease(ledger, 1, 2, whole())
    window = Window(at(1), at(2))
    assert read(ledger).search.fit([ONE], window) is None
    found = read(ledger, own={made.reservations[0].id}).search.fit([ONE], window)
    assert found is not None
    assert found.moves == ()


def test_search_is_incomplete_when_there_are_more_reservations_than_it_may_move(ledger, monkeypatch):
    make_host(ledger)
    lease(ledger, 1, 2, whole())
    assert read(ledger).complete
    monkeypatch.setattr(movables, "MOVABLES_MAX", 1)
    assert not read(ledger).complete
