import pytest

from dibs.drivers import DRIVERS
from dibs.errors import BadValue
from dibs.ledger.model.errors import ProviderOwnedByNode
from dibs.ledger.operations.guards import ReleasedClaim
from dibs.ledger.queries import providers
from dibs.machines.model.errors import DriverNotFound, NodeAssociated, ValidationFailed
from dibs.machines.operations.guards import NodeDrivers, NodeLedgerGuard, node_drivers, node_guards
from dibs.machines.queries import holds
from tests.hold_builders import hold, put
from tests.provider_builders import make

GUARD = NodeLedgerGuard()
INSTANCE = "11111111-2222-4333-8444-555555555501"


def test_the_unit_of_an_instance_on_a_node_is_not_released(ledger):
    node = ledger.enrol(resource_class="gold", instance_uuid=INSTANCE)
    released = ReleasedClaim(provider_id=node.id, consumer=INSTANCE)
    with pytest.raises(NodeAssociated, match=INSTANCE):
        ledger.run(lambda tx: GUARD.check_release(tx, [released]))
    other = ReleasedClaim(provider_id=node.id, consumer="11111111-2222-4333-8444-555555555502")
    ledger.run(lambda tx: GUARD.check_release(tx, [other]))


def test_released_claims_end_the_holds_on_their_nodes(ledger):
    node = ledger.enrol(resource_class="gold")
    hold(ledger, node)
    ledger.run(lambda tx: GUARD.claims_released(tx, [node.id]))
    assert ledger.run(lambda tx: holds.of_node(tx, node.id)) is None


def test_a_provider_of_a_node_changes_only_with_the_node(ledger):
    node, plain = ledger.enrol(name="n"), make(ledger, "plain")
    ledger.run(lambda tx: GUARD.check_ownership(tx, [plain]))
    with pytest.raises(ProviderOwnedByNode):
        ledger.run(lambda tx: GUARD.check_ownership(tx, [plain, providers.get(tx, node.uuid)]))


def test_the_drivers_of_the_wiring_are_found_and_every_package_has_its_guard(ledger):
    assert ledger.run(lambda tx: node_drivers(tx).by_name) == DRIVERS
    assert len(ledger.run(node_guards)) >= 2


def test_the_driver_of_the_node_decides_about_its_settings(ledger):
    drivers = NodeDrivers(DRIVERS)
    node = ledger.enrol(driver_info={"fake_delay_deploy": "soon"})
    drivers.check_settings(node, "deleted")
    with pytest.raises(ValidationFailed):
        drivers.check_settings(node, "active")
    drivers.check_boot_device(node, "pxe")
    with pytest.raises(BadValue):
        drivers.check_boot_device(node, "floppy")
    with pytest.raises(DriverNotFound):
        drivers.check_settings(put(ledger, node, driver="other"), "active")
