"""Show, list, change and delete allocations."""

import uuid
from typing import Any

import pytest
from msgspec.structs import replace

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.allocations import AllocationQuery
from dibs.allocations.model.errors import AllocationExists, AllocationNotFound, NodeHasNoAllocation
from dibs.allocations.operations.allocations import (
    UpdateAllocation,
    delete_allocation,
    delete_allocation_of_node,
    get_allocation,
    get_allocation_of_node,
    list_allocations,
    update_allocation,
)
from dibs.documents.json_patch import PatchOperation
from dibs.errors import BadValue, Forbidden
from dibs.machines.model.errors import NodeLocked, NodeNotFound, WrongState
from tests.allocation_builders import allocate, allocate_node, force, holders, release, show
from tests.builders import Ledger

READER = MachinePolicy().access(Actor(user="u", project="blue", roles=frozenset({"reader"})))


def change(ident: str, **values: Any) -> UpdateAllocation:
    patch = tuple(PatchOperation("add", f"/{name}", value) for name, value in values.items())
    return UpdateAllocation(ident=ident, patch=patch)


def test_name_and_extra_change(ledger: Ledger) -> None:
    allocation = allocate(ledger, name="web")
    changed = ledger.runner.write(update_allocation, SERVICE, change("web", name="db", extra={"b": 2}))
    assert changed == show(ledger, allocation)
    assert replace(changed, name="web", extra={}, updated_at=None) == allocation


def test_name_of_another_allocation_is_refused(ledger: Ledger) -> None:
    allocate(ledger, name="web")
    with pytest.raises(AllocationExists):
        ledger.runner.write(update_allocation, SERVICE, change(allocate(ledger).uuid, name="web"))


def test_allocation_of_another_project_does_not_exist_for_the_caller(ledger: Ledger) -> None:
    theirs = allocate(ledger, owner="red")
    for operation in (get_allocation, delete_allocation):
        with pytest.raises(AllocationNotFound):
            ledger.runner.write(operation, READER, theirs.uuid)
    with pytest.raises(AllocationNotFound):
        ledger.runner.write(update_allocation, READER, change(theirs.uuid, name="mine"))
    assert show(ledger, theirs) == theirs


def test_reader_sees_the_allocations_of_its_project_and_changes_none(ledger: Ledger) -> None:
    ours = allocate(ledger, owner="blue")
    assert ledger.runner.read(get_allocation, READER, ours.uuid) == ours
    with pytest.raises(Forbidden, match="allocation:delete"):
        ledger.runner.write(delete_allocation, READER, ours.uuid)
    with pytest.raises(Forbidden, match="allocation:update"):
        ledger.runner.write(update_allocation, READER, change(ours.uuid, name="mine"))
    assert show(ledger, ours) == ours


def test_allocation_without_a_node_is_deleted(ledger: Ledger) -> None:
    allocation = allocate(ledger)
    release(ledger, allocation)
    with pytest.raises(AllocationNotFound):
        release(ledger, allocation)


def test_delete_frees_node_and_unit_at_once(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger)
    release(ledger, allocation)
    after = ledger.node(node)
    assert (after.instance_uuid, after.instance_info, holders(ledger, node)) == (None, {}, [])
    with pytest.raises(AllocationNotFound):
        show(ledger, allocation)


def test_allocation_is_shown_and_deleted_by_its_node(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger)
    assert ledger.runner.read(get_allocation_of_node, SERVICE, node.uuid) == allocation
    ledger.runner.write(delete_allocation_of_node, SERVICE, node.uuid)
    with pytest.raises(NodeHasNoAllocation):
        ledger.runner.read(get_allocation_of_node, SERVICE, node.uuid)


def test_node_that_the_caller_does_not_see_does_not_show_its_allocation(ledger: Ledger) -> None:
    _, node = allocate_node(ledger, owner=None)
    for operation in (get_allocation_of_node, delete_allocation_of_node):
        with pytest.raises(NodeNotFound):
            ledger.runner.write(operation, READER, node.uuid)


def test_instance_without_an_allocation_is_named(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    with pytest.raises(BadValue, match=f"has instance {node.instance_uuid}"):
        ledger.runner.read(get_allocation_of_node, SERVICE, node.uuid)


def test_node_that_is_deployed_or_locked_is_not_released(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger)
    force(ledger, node, provision_state="active")
    with pytest.raises(WrongState, match="the node is active"):
        release(ledger, allocation)
    with pytest.raises(WrongState, match="the node is active"):
        ledger.change(node, instance_uuid=None)
    force(ledger, node, provision_state="available", reservation="conductor-1")
    with pytest.raises(NodeLocked):
        release(ledger, allocation)
    assert show(ledger, allocation).state == "active"


def test_deployed_node_in_maintenance_is_released(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger)
    force(ledger, node, provision_state="active", maintenance=True)
    release(ledger, allocation)
    assert ledger.node(node).instance_uuid is None


def test_lists_are_filtered_sorted_and_paged(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger, name="b")
    others = [allocate(ledger, name=name, resource_class="tin", owner="p") for name in ("c", "a")]

    def names(**query: Any) -> list[str | None]:
        command = AllocationQuery(**{"projects": EVERY_PROJECT, **query})
        return [found.name for found in ledger.runner.read(list_allocations, SERVICE, command)]

    assert names() == ["b", "c", "a"]
    assert names(sort_key="name") == ["a", "b", "c"]
    assert names(sort_key="name", descending=True, limit=2) == ["c", "b"]
    assert names(sort_key="name", marker=allocation.uuid) == ["c"]
    assert names(state="active") == names(resource_class="gold") == names(node=node.uuid) == ["b"]
    assert names(projects=frozenset({"p"}), marker=others[0].uuid) == ["a"]
    assert names(projects=frozenset({"p", "q"})) == ["c", "a"]
    assert names(projects=frozenset()) == []
    with pytest.raises(AllocationNotFound):
        names(marker=str(uuid.uuid4()))
    with pytest.raises(BadValue, match="Node nosuch could not be found"):
        names(node="nosuch")
