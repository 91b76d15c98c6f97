from dibs.flavors.queries import flavors
from dibs.leases.queries import reservation_flavors
from tests.builders import Ledger
from tests.lease_builders import instances, lease, make_host


def test_access_to_the_flavor_of_a_reservation_is_granted_once(ledger: Ledger) -> None:
    make_host(ledger)
    (reservation,) = lease(ledger, 1, 2, instances()).reservations
    for _ in range(2):
        ledger.run(lambda tx: reservation_flavors.grant(tx, [reservation.id]))
    flavor = ledger.store.read(lambda tx: flavors.get(tx, reservation.uuid))
    assert flavor is not None
    assert ledger.store.read(lambda tx: flavors.access(tx, flavor)) == ["p"]
    ledger.run(lambda tx: reservation_flavors.remove(tx, [reservation.id]))
    assert ledger.store.read(lambda tx: flavors.get(tx, reservation.uuid)) is None
