"""Claims of holds and allocations: none may use the uuid of another project's consumer."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.errors import InstanceInUse
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.machines.model.errors import HoldExists, InstanceOfAnother
from tests.hold_builders import BLUE, FREE, claim, claimed_by, hold, new


def test_a_hold_for_the_instance_of_another_project_is_refused(ledger):
    theirs, node, instance = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold"), new()
    claim(ledger, theirs, instance)
    with pytest.raises(InstanceOfAnother):
        hold(ledger, node, instance=instance)
    assert claimed_by(ledger, instance) == [theirs.uuid]
    assert ledger.unit(node) == FREE
    hold(ledger, node, instance=instance, access=SERVICE)
    assert sorted(claimed_by(ledger, instance)) == sorted([theirs.uuid, node.uuid])


def test_a_hold_for_the_uuid_of_an_allocation_is_refused(ledger):
    node, instance = ledger.enrol(resource_class="gold"), new()
    ledger.runner.write(create_allocation, SERVICE, CreateAllocation(uuid=instance, resource_class="tin"))
    with pytest.raises(HoldExists):
        hold(ledger, node, instance=instance)


@pytest.mark.parametrize("owner", [None, "blue", "red"])
def test_an_allocation_with_the_uuid_of_a_held_instance_is_refused(ledger, owner):
    made = hold(ledger, ledger.enrol(resource_class="gold"))
    asked = CreateAllocation(uuid=made.instance_uuid, resource_class="gold", owner=owner)
    with pytest.raises(InstanceInUse):
        ledger.runner.write(create_allocation, SERVICE, asked)


def test_an_allocation_with_the_uuid_of_another_projects_consumer_is_refused(ledger):
    consumer = new()
    claim(ledger, ledger.enrol(resource_class="gold"), consumer)
    with pytest.raises(InstanceInUse):
        asked = CreateAllocation(uuid=consumer, resource_class="gold", owner="red")
        ledger.runner.write(create_allocation, SERVICE, asked)
    asked = CreateAllocation(uuid=consumer, resource_class="gold", owner="p")
    assert ledger.runner.write(create_allocation, SERVICE, asked).uuid == consumer


def test_a_hold_becomes_an_allocation_with_its_own_instance_uuid_or_a_new_one(ledger):
    for uuid in (None, "same"):
        node = ledger.enrol(resource_class="gold")
        made = hold(ledger, node)
        asked = CreateAllocation(uuid=uuid and made.instance_uuid, hold=made.uuid)
        allocation = ledger.runner.write(create_allocation, BLUE, asked)
        assert (allocation.state, allocation.node_uuid) == ("active", node.uuid)
        assert claimed_by(ledger, allocation.uuid) == [node.uuid]
