from dibs.access.access import SERVICE
from dibs.leases.queries import affected_reservations
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from tests.builders import Ledger
from tests.lease_builders import instances, lease, make_host, register, whole


def affected(ledger: Ledger, count_max: int = 9) -> list[tuple[str, str]]:
    return ledger.store.read(lambda tx: affected_reservations.find(tx, count_max))


def test_reservations_on_a_node_in_maintenance_are_found_in_order_of_start(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    register(ledger, node)
    later, sooner = lease(ledger, 5, 6, whole()), lease(ledger, 1, 2, whole())
    assert affected(ledger) == []
    ledger.change(node, maintenance=True)
    expected = [(each.uuid, each.reservations[0].uuid) for each in (sooner, later)]
    assert affected(ledger) == expected
    assert affected(ledger, count_max=1) == expected[:1]


def test_reservation_on_a_disabled_host_is_found(ledger: Ledger) -> None:
    host = make_host(ledger)
    made = lease(ledger, 1, 2, instances())
    command = SetProviderTraits(provider=host.provider, generation=None, traits=("COMPUTE_STATUS_DISABLED",))
    ledger.runner.write(set_provider_traits, SERVICE, command)
    assert affected(ledger) == [(made.uuid, made.reservations[0].uuid)]
