from dibs.leases.queries import guarded_hosts
from tests.builders import Ledger
from tests.lease_builders import at, delete, instances, lease, make_host, register
from tests.provider_builders import make


def test_host_is_found_for_every_provider_in_its_tree(ledger: Ledger) -> None:
    host = make_host(ledger, "h")
    node = register(ledger, ledger.enrol(resource_class="gold"))
    other = make(ledger, "other", VCPU=1)
    asked = [host.provider_id, host.reservation_provider_id, node.provider_id, other.id]
    found = ledger.store.read(lambda tx: guarded_hosts.hosts_above(tx, asked))
    assert {provider: each.name for provider, each in found.items()} == {
        host.provider_id: "h",
        host.reservation_provider_id: "h",
        node.provider_id: node.name,
    }
    assert (found[host.provider_id].node, found[node.provider_id].node) == (None, node.provider)


def test_bookings_on_a_host_are_listed_until_they_are_released(ledger: Ledger) -> None:
    host = make_host(ledger)
    made = lease(ledger, 1, 2, instances(2))
    (booking,) = ledger.store.read(lambda tx: guarded_hosts.bookings_on(tx, [host.id]))[host.id]
    assert (booking.reservation, booking.begun, booking.start_at) == (made.reservations[0].uuid, False, at(1))
    assert ledger.store.read(lambda tx: guarded_hosts.live(tx, [booking.reservation]))
    delete(ledger, made)
    assert ledger.store.read(lambda tx: guarded_hosts.bookings_on(tx, [host.id])) == {host.id: []}
    assert not ledger.store.read(lambda tx: guarded_hosts.live(tx, [booking.reservation]))


def test_reservation_provider_belongs_to_its_host(ledger: Ledger) -> None:
    host = make_host(ledger, "h")
    for provider_id in (host.provider_id, host.reservation_provider_id):
        assert ledger.store.read(lambda tx, row=provider_id: guarded_hosts.host_of(tx, row)) == "h"
    asked = [host.provider_id, host.reservation_provider_id]
    assert ledger.store.read(lambda tx: guarded_hosts.offered_by(tx, asked)) == {host.reservation_provider_id: "h"}
