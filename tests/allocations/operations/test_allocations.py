"""Allocations for a node: asking, looking, giving back."""

import uuid
from dataclasses import replace
from typing import Any

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation, AllocationQuery
from dibs.allocations.model.errors import (
    AllocationExists,
    AllocationNotFound,
    CannotBackfill,
    InstanceInUse,
    NoConductorAvailable,
    NodeHasNoAllocation,
)
from dibs.allocations.operations.allocations import (
    CreateAllocation,
    GetAllocation,
    GetAllocationOfNode,
    ListAllocations,
    UpdateAllocation,
    create_allocation,
    delete_allocation,
    delete_allocation_of_node,
    get_allocation,
    get_allocation_of_node,
    list_allocations,
    update_allocation,
)
from dibs.allocations.queries import allocations
from dibs.errors import BadValue
from dibs.ledger.model.errors import InvalidTrait
from dibs.ledger.queries import claim_views
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.errors import HoldNotFound, NodeAssociated, NodeLocked, WrongState
from dibs.machines.model.nodes import Node
from dibs.machines.operations.conductors import GetConductor, get_conductor
from dibs.machines.operations.holds import CreateHold, create_hold
from dibs.machines.operations.nodes import DeleteNode, delete_node
from dibs.machines.queries import nodes
from tests.builders import Ledger, allow


def anybody(allocation: Allocation) -> None:
    """The guard of somebody who may do anything."""


def ask(ledger: Ledger, **values: Any) -> Allocation:
    values = {"resource_class": "gold", **values}
    return ledger.runner.write(create_allocation, SERVICE, CreateAllocation(**values))


def show(ledger: Ledger, allocation: Allocation) -> Allocation:
    return ledger.runner.read(get_allocation, SERVICE, GetAllocation(ident=allocation.uuid, guard=anybody))


def give_back(ledger: Ledger, allocation: Allocation) -> None:
    ledger.runner.write(delete_allocation, SERVICE, GetAllocation(ident=allocation.uuid, guard=anybody))


def force(ledger: Ledger, node: Node, **changes: Any) -> None:
    """Put a node into a state that takes work to reach."""

    def write(tx: Any) -> None:
        found = nodes.lock(tx, node.uuid, ledger.clock())
        assert found is not None
        nodes.update(tx, found, ledger.clock(), **changes)

    ledger.store.write(write)


def served(ledger: Ledger, **values: Any) -> tuple[Allocation, Node]:
    """An allocation that has a node."""
    node = ledger.enrol(resource_class="gold", state="active")
    allocation = ask(ledger, node=node.uuid, **values)
    force(ledger, node, provision_state="available")
    return allocation, ledger.node(node)


def holders(ledger: Ledger, node: Node) -> list[str]:
    return [row["consumer"] for row in ledger.store.read(lambda tx: claim_views.on_provider(tx, node.id))]


def test_a_new_allocation_is_open_and_given_to_a_live_conductor(ledger: Ledger) -> None:
    allocation = ask(ledger, name="web", extra={"a": 1}, traits=("CUSTOM_B", "CUSTOM_A", "CUSTOM_B"))
    assert show(ledger, allocation) == allocation
    conductor = ledger.runner.read(get_conductor, SERVICE, GetConductor(hostname="conductor-1")).conductor
    assert (allocation.state, allocation.node_uuid, allocation.conductor_id) == ("allocating", None, conductor.id)
    assert allocation.traits == ("CUSTOM_B", "CUSTOM_A")


def test_without_a_live_conductor_nothing_is_written(ledger: Ledger) -> None:
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    with pytest.raises(NoConductorAvailable):
        ask(ledger)
    assert ledger.runner.read(list_allocations, SERVICE, ListAllocations(query=AllocationQuery())) == []


def test_names_of_candidates_become_uuids(ledger: Ledger) -> None:
    first, second = ledger.enrol(name="one"), ledger.enrol()
    allocation = ask(ledger, candidate_nodes=(second.uuid, "one", first.uuid))
    assert allocation.candidate_nodes == (second.uuid, first.uuid)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"resource_class": None}, BadValue),
        ({"resource_class": ""}, BadValue),
        ({"resource_class": "x" * 81}, BadValue),
        ({"traits": ("nonsense",)}, InvalidTrait),
        ({"candidate_nodes": ("nosuch",)}, BadValue),
        ({"node": "nosuch"}, BadValue),
    ],
)
def test_what_cannot_be_is_refused(ledger: Ledger, values: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        ask(ledger, **values)


def test_uuids_and_names_are_given_once(ledger: Ledger) -> None:
    allocation = ask(ledger, name="web")
    with pytest.raises(AllocationExists, match="name web"):
        ask(ledger, name="web")
    with pytest.raises(AllocationExists, match=f"UUID {allocation.uuid}"):
        ask(ledger, uuid=allocation.uuid)
    with pytest.raises(AllocationExists):
        command = UpdateAllocation(ident=ask(ledger).uuid, guard=anybody, edit=lambda _: {"name": "web"})
        ledger.runner.write(update_allocation, SERVICE, command)


def test_the_uuid_of_a_nodes_instance_is_taken(ledger: Ledger) -> None:
    instance = str(uuid.uuid4())
    ledger.enrol(resource_class="gold", instance_uuid=instance)
    with pytest.raises(InstanceInUse):
        ask(ledger, uuid=instance)


def test_name_and_extra_change(ledger: Ledger) -> None:
    allocation = ask(ledger, name="web")
    command = UpdateAllocation(ident="web", guard=anybody, edit=lambda _: {"name": "db", "extra": {"b": 2}})
    changed = ledger.runner.write(update_allocation, SERVICE, command)
    assert changed == show(ledger, allocation)
    assert replace(changed, name="web", extra={}, updated_at=None) == allocation


def test_an_allocation_that_has_no_node_is_withdrawn(ledger: Ledger) -> None:
    allocation = ask(ledger)
    give_back(ledger, allocation)
    with pytest.raises(AllocationNotFound):
        give_back(ledger, allocation)


# --- backfill ---


def test_a_node_in_use_gets_the_allocation_that_it_never_had(ledger: Ledger) -> None:
    instance = str(uuid.uuid4())
    node = ledger.enrol(
        state="active", resource_class="gold", instance_uuid=instance, with_traits=("CUSTOM_A", "CUSTOM_B")
    )
    allocation = ask(ledger, node=node.uuid, resource_class=None, traits=("CUSTOM_A",))
    assert (allocation.uuid, allocation.state, allocation.resource_class) == (instance, "active", "gold")
    assert show(ledger, allocation).node_uuid == node.uuid
    assert ledger.node(node).instance_info == {"traits": ["CUSTOM_A"]}
    assert holders(ledger, node) == [instance]


def test_a_node_in_use_by_nobody_gets_an_instance(ledger: Ledger) -> None:
    node = ledger.enrol(state="active", resource_class="gold")
    allocation = ask(ledger, node=node.uuid)
    assert ledger.node(node).instance_uuid == allocation.uuid
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"resource_class": "silver"}, "Resource class gold does not match"),
        ({"traits": ("CUSTOM_X",)}, "lacks the requested traits CUSTOM_X"),
        ({"owner": "p"}, "Project p neither owns nor leases it"),
    ],
)
def test_an_allocation_that_the_node_does_not_meet_is_refused(
    ledger: Ledger, values: dict[str, Any], words: str
) -> None:
    node = ledger.enrol(state="active", resource_class="gold")
    with pytest.raises(CannotBackfill, match=words):
        ask(ledger, node=node.uuid, **values)
    assert ledger.node(node) == node


def test_a_node_that_is_not_in_use_or_is_anothers_is_refused(ledger: Ledger) -> None:
    with pytest.raises(CannotBackfill, match='current state is "available"'):
        ask(ledger, node=ledger.enrol(resource_class="gold").uuid)
    taken = ledger.enrol(state="active", resource_class="gold", instance_uuid=str(uuid.uuid4()))
    with pytest.raises(NodeAssociated):
        ask(ledger, node=taken.uuid, uuid=str(uuid.uuid4()))
    ask(ledger, node=taken.uuid)
    with pytest.raises(AllocationExists):
        ask(ledger, node=taken.uuid)


# --- from a hold ---


def hold(ledger: Ledger, node: Node) -> str:
    proof = str(uuid.uuid4())
    command = CreateHold(uuid=proof, instance_uuid=str(uuid.uuid4()), nodes=(node.uuid,), seconds=60)
    ledger.runner.write(create_hold, SERVICE, command)
    return proof


def test_a_held_node_becomes_the_allocations(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    proof = hold(ledger, node)
    allocation = ask(ledger, hold=proof, resource_class=None)
    assert (allocation.state, allocation.node_uuid) == ("active", node.uuid)
    assert (ledger.node(node).instance_uuid, holders(ledger, node)) == (allocation.uuid, [allocation.uuid])
    with pytest.raises(HoldNotFound):
        ask(ledger, hold=proof)


def test_a_held_node_of_another_kind_stays_held(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    proof = hold(ledger, node)
    with pytest.raises(BadValue, match="Resource class gold does not match"):
        ask(ledger, hold=proof, resource_class="silver")
    assert ask(ledger, hold=proof).node_uuid == node.uuid


# --- release ---


def test_giving_back_frees_node_and_unit_at_once(ledger: Ledger) -> None:
    allocation, node = served(ledger)
    give_back(ledger, allocation)
    after = ledger.node(node)
    assert (after.instance_uuid, after.instance_info, holders(ledger, node)) == (None, {}, [])
    with pytest.raises(AllocationNotFound):
        show(ledger, allocation)


def test_the_allocation_of_a_node_is_shown_and_given_back_by_the_node(ledger: Ledger) -> None:
    allocation, node = served(ledger)
    command = GetAllocationOfNode(node=node.uuid, node_guard=allow, guard=anybody)
    assert ledger.runner.read(get_allocation_of_node, SERVICE, command) == allocation
    ledger.runner.write(delete_allocation_of_node, SERVICE, command)
    with pytest.raises(NodeHasNoAllocation):
        ledger.runner.read(get_allocation_of_node, SERVICE, command)


def test_the_instance_of_a_node_that_no_allocation_put_there_is_named(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
    command = GetAllocationOfNode(node=node.uuid, node_guard=allow, guard=anybody)
    with pytest.raises(BadValue, match=f"has instance {node.instance_uuid}"):
        ledger.runner.read(get_allocation_of_node, SERVICE, command)


def test_a_node_in_use_or_locked_is_not_given_back(ledger: Ledger) -> None:
    allocation, node = served(ledger)
    force(ledger, node, provision_state="active")
    with pytest.raises(WrongState, match="the node is active"):
        give_back(ledger, allocation)
    with pytest.raises(WrongState, match="the node is active"):
        ledger.change(node, instance_uuid=None)
    force(ledger, node, provision_state="available", reservation="conductor-1")
    with pytest.raises(NodeLocked):
        give_back(ledger, allocation)
    assert show(ledger, allocation).state == "active"


def test_in_maintenance_a_node_in_use_is_given_back(ledger: Ledger) -> None:
    allocation, node = served(ledger)
    force(ledger, node, provision_state="active", maintenance=True)
    give_back(ledger, allocation)
    assert ledger.node(node).instance_uuid is None


def test_taking_the_instance_off_a_node_ends_its_allocation(ledger: Ledger) -> None:
    allocation, node = served(ledger)
    ledger.change(node, instance_uuid=None)
    assert holders(ledger, node) == []
    with pytest.raises(AllocationNotFound):
        show(ledger, allocation)


def test_an_instance_without_an_allocation_may_go_while_the_node_is_in_use(ledger: Ledger) -> None:
    node = ledger.enrol(state="active", resource_class="gold", instance_uuid=str(uuid.uuid4()))
    assert ledger.change(node, instance_uuid=None).instance_uuid is None


def test_with_a_broken_node_its_allocation_is_removed(ledger: Ledger) -> None:
    allocation, node = served(ledger)
    force(ledger, node, maintenance=True)
    ledger.runner.write(delete_node, SERVICE, DeleteNode(ident=node.uuid))
    with pytest.raises(AllocationNotFound):
        show(ledger, allocation)


# --- lists ---


def test_lists_are_filtered_sorted_and_paged(ledger: Ledger) -> None:
    allocation, node = served(ledger, name="b")
    others = [ask(ledger, name=name, resource_class="tin", owner="p") for name in ("c", "a")]

    def names(node: str | None = None, **query: Any) -> list[str | None]:
        command = ListAllocations(query=AllocationQuery(**query), node=node)
        return [found.name for found in ledger.runner.read(list_allocations, SERVICE, command)]

    assert names() == ["b", "c", "a"]
    assert names(sort_key="name") == ["a", "b", "c"]
    assert names(sort_key="name", descending=True, limit=2) == ["c", "b"]
    assert names(sort_key="name", marker=allocation.uuid) == ["c"]
    assert names(state="active") == names(resource_class="gold") == names(node=node.uuid) == ["b"]
    assert names(owner="p", marker=others[0].uuid) == ["a"]
    with pytest.raises(AllocationNotFound):
        names(marker=str(uuid.uuid4()))
    with pytest.raises(BadValue, match="Node nosuch could not be found"):
        names(node="nosuch")


def test_an_allocation_is_found_by_its_node_in_the_store(ledger: Ledger) -> None:
    allocation, node = served(ledger)
    assert ledger.store.read(lambda tx: allocations.of_node(tx, node.id)) == allocation


def test_a_node_in_use_and_a_reserved_one_are_not_asked_for_together(ledger):
    node = ledger.enrol(resource_class="gold")
    command = CreateAllocation(node=node.uuid, hold="00000000-0000-4000-8000-000000000000")
    with pytest.raises(BadValue, match="reservation_uuid"):
        ledger.runner.write(create_allocation, SERVICE, command)
