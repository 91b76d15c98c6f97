"""What allocations add to operations on nodes."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.errors import AllocationNotFound
from dibs.machines.operations.nodes import SetMaintenance, delete_node, set_maintenance
from tests import event_rows
from tests.allocation_builders import allocate, allocate_node, force, holders, show
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


def test_project_of_an_allocation_is_told_that_its_node_goes_out_of_service(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", state="active", lessee="p1")
    allocation = allocate(ledger, node=node.uuid, owner="p1")
    ledger.change(ledger.enrol(), maintenance=True)
    for reason in ("broken fan", "still broken"):
        command = SetMaintenance(ident=node.uuid, rules=(), on=True, reason=reason)
        ledger.runner.write(set_maintenance, SERVICE, command)
    (event,) = [row for row in event_rows.rows(ledger.store) if row["type"] == "allocation.node_lost"]
    assert (event["object_id"], event["project_id"], event["node"]) == (allocation.uuid, "p1", node.uuid)
    assert event["after_state"] == {"maintenance_reason": "broken fan"}
