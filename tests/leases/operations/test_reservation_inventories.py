from dibs.leases.model.leases import Lease
from dibs.leases.operations import reservation_inventories
from dibs.ledger.queries import inventories, resource_classes
from tests import lease_builders as leases
from tests.builders import Ledger


def offered(ledger: Ledger, made: Lease) -> dict[int, int]:
    """Return the instances of the first reservation that each provider offers."""
    name = made.reservations[0].resource_class

    def read(tx):
        found = resource_classes.ids_of(tx, [name])
        return {key.provider_id: each.total for key, each in inventories.of_classes(tx, [found[name]]).items()}

    return ledger.store.read(read)


def test_instances_are_offered_on_the_reservation_providers_of_their_hosts(ledger: Ledger) -> None:
    hosts = {host.id: host.reservation_provider_id for host in (leases.make_host(ledger) for _ in range(3))}
    made = leases.lease(ledger, 1, 2, leases.instances(3, vcpus=40))
    assert offered(ledger, made) == {}
    ledger.run(lambda tx: reservation_inventories.offer(tx, 0, made.reservations[0]))
    assert offered(ledger, made) == {hosts[host]: amount for host, amount in leases.booked(ledger, made).items()}


def test_inventories_and_classes_are_removed_together(ledger: Ledger) -> None:
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    name = made.reservations[0].resource_class
    ledger.run(lambda tx: reservation_inventories.offer(tx, 0, made.reservations[0]))
    ledger.run(lambda tx: reservation_inventories.remove(tx, 0, made.reservations))
    assert ledger.store.read(lambda tx: resource_classes.ids_of(tx, [name])) == {}


def test_reservation_of_whole_hosts_has_no_class(ledger: Ledger) -> None:
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.whole())
    name = made.reservations[0].resource_class
    assert ledger.store.read(lambda tx: resource_classes.ids_of(tx, [name])) == {}
