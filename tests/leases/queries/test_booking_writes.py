from dibs.leases.queries import booking_writes, bookings
from tests.builders import Ledger
from tests.lease_builders import at, lease, make_host, whole


def test_bookings_are_moved_and_removed(ledger: Ledger) -> None:
    make_host(ledger)
    make_host(ledger)
    made = lease(ledger, 1, 4, whole(2))
    row = made.reservations[0].id
    ledger.run(lambda tx: booking_writes.move(tx, [row], at(2), at(3)))
    found = ledger.store.read(lambda tx: bookings.of_reservations(tx, [row]))
    assert {(each.start_at, each.end_at) for each in found} == {(at(2), at(3))}
    ledger.run(lambda tx: booking_writes.remove(tx, [row]))
    assert ledger.store.read(lambda tx: bookings.of_reservations(tx, [row])) == []
