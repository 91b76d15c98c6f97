"""What allocations add to operations on nodes."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.errors import AllocationNotFound
from dibs.machines.operations.nodes import delete_node
from tests.allocation_builders import allocate_node, force, holders, show
from tests.builders import Ledger


def test_removing_the_instance_of_a_node_ends_its_allocation(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger)
    ledger.change(node, instance_uuid=None)
    assert holders(ledger, node) == []
    with pytest.raises(AllocationNotFound):
        show(ledger, allocation)


def test_instance_without_an_allocation_is_removed_from_a_deployed_node(ledger: Ledger) -> None:
    node = ledger.enrol(state="active", resource_class="gold", instance_uuid=str(uuid.uuid4()))
    assert ledger.change(node, instance_uuid=None).instance_uuid is None


def test_deleting_a_node_deletes_its_allocation(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger)
    force(ledger, node, maintenance=True)
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    with pytest.raises(AllocationNotFound):
        show(ledger, allocation)
