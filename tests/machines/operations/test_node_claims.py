"""In whose name a node may be held: nobody uses the uuid of what is another's."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.errors import InstanceInUse
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.machines.model.errors import HoldExists, InstanceOfAnother
from tests.hold_builders import BLUE, FREE, claim, claimed_by, hold, new


def test_nobody_holds_a_node_in_the_name_of_another_projects_instance(ledger):
    theirs, node, instance = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold"), new()
    claim(ledger, theirs, instance)
    with pytest.raises(InstanceOfAnother):
        hold(ledger, node, instance=instance)
    assert claimed_by(ledger, instance) == [theirs.uuid]
    assert ledger.unit(node) == FREE
    hold(ledger, node, instance=instance, access=SERVICE)
    assert sorted(claimed_by(ledger, instance)) == sorted([theirs.uuid, node.uuid])


def test_nobody_holds_a_node_under_the_uuid_of_an_allocation(ledger):
    node, instance = ledger.enrol(resource_class="gold"), new()
    ledger.runner.write(create_allocation, SERVICE, CreateAllocation(uuid=instance, resource_class="tin"))
    with pytest.raises(HoldExists):
        hold(ledger, node, instance=instance)


@pytest.mark.parametrize("owner", [None, "blue", "red"])
def test_no_allocation_takes_the_uuid_of_an_instance_that_a_node_is_held_for(ledger, owner):
    made = hold(ledger, ledger.enrol(resource_class="gold"))
    asked = CreateAllocation(uuid=made.instance_uuid, resource_class="gold", owner=owner)
    with pytest.raises(InstanceInUse):
        ledger.runner.write(create_allocation, SERVICE, asked)


def test_no_allocation_takes_the_uuid_of_another_projects_consumer(ledger):
    consumer = new()
    claim(ledger, ledger.enrol(resource_class="gold"), consumer)
    with pytest.raises(InstanceInUse):
        asked = CreateAllocation(uuid=consumer, resource_class="gold", owner="red")
        ledger.runner.write(create_allocation, SERVICE, asked)
    asked = CreateAllocation(uuid=consumer, resource_class="gold", owner="p")
    assert ledger.runner.write(create_allocation, SERVICE, asked).uuid == consumer


def test_a_hold_becomes_an_allocation_under_its_own_instance_or_another(ledger):
    for uuid in (None, "same"):
        node = ledger.enrol(resource_class="gold")
        made = hold(ledger, node)
        asked = CreateAllocation(uuid=uuid and made.instance_uuid, hold=made.uuid)
        allocation = ledger.runner.write(create_allocation, BLUE, asked)
        assert (allocation.state, allocation.node_uuid) == ("active", node.uuid)
        assert claimed_by(ledger, allocation.uuid) == [node.uuid]
