"""Create allocations: for a conductor, for a node that is deployed, and from a hold."""

import uuid
from typing import Any

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.allocations import AllocationQuery
from dibs.allocations.model.errors import AllocationExists, CannotBackfill, InstanceInUse, NoConductorAvailable
from dibs.allocations.operations.allocations import list_allocations
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.errors import BadValue, Forbidden
from dibs.ledger.model.errors import InvalidTrait
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.errors import HoldNotFound, NodeAssociated
from dibs.machines.operations.conductors import get_conductor
from dibs.machines.operations.holds import CreateHold, create_hold
from tests.allocation_builders import allocate, hold, holders, show
from tests.builders import Ledger, trusted
from tests.provider_builders import statements

MEMBER = MachinePolicy().access(Actor(user="u", project="blue", roles=frozenset({"member", "reader"})))


def test_new_allocation_is_open_and_has_a_live_conductor(ledger: Ledger) -> None:
    allocation = allocate(ledger, name="web", extra={"a": 1}, traits=("CUSTOM_B", "CUSTOM_A", "CUSTOM_B"))
    assert show(ledger, allocation) == allocation
    conductor = ledger.runner.read(get_conductor, SERVICE, "conductor-1").conductor
    assert (allocation.state, allocation.node_uuid, allocation.conductor_id) == ("allocating", None, conductor.id)
    assert allocation.traits == ("CUSTOM_B", "CUSTOM_A")


def test_without_a_live_conductor_nothing_is_written(ledger: Ledger) -> None:
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    with pytest.raises(NoConductorAvailable):
        allocate(ledger)
    assert ledger.runner.read(list_allocations, SERVICE, AllocationQuery(projects=EVERY_PROJECT)) == []


def test_names_of_candidates_become_uuids(ledger: Ledger) -> None:
    first, second = ledger.enrol(name="one"), ledger.enrol()
    allocation = allocate(ledger, candidate_nodes=(second.uuid, "one", first.uuid))
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
        ({"node": "nosuch", "hold": "00000000-0000-4000-8000-000000000000"}, BadValue),
    ],
)
def test_invalid_values_are_refused(ledger: Ledger, values: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        allocate(ledger, **values)


def test_uuid_and_name_are_unique(ledger: Ledger) -> None:
    allocation = allocate(ledger, name="web")
    with pytest.raises(AllocationExists, match="name web"):
        allocate(ledger, name="web")
    with pytest.raises(AllocationExists, match=f"UUID {allocation.uuid}"):
        allocate(ledger, uuid=allocation.uuid)


def test_uuid_that_a_node_is_held_for_is_refused_until_the_hold_expires(ledger: Ledger) -> None:
    instance = hold_for(ledger, "red")
    with pytest.raises(InstanceInUse):
        allocate(ledger, uuid=instance)
    ledger.clock.move(61)
    ledger.revive_conductor()
    assert allocate(ledger, uuid=instance).state == "allocating"


def test_uuid_with_claims_of_another_project_is_refused(ledger: Ledger) -> None:
    instance = hold_for(ledger, "red")
    ledger.clock.move(61)
    ledger.revive_conductor()
    with pytest.raises(InstanceInUse):
        allocate(ledger, uuid=instance, owner="blue")
    assert allocate(ledger, uuid=instance, owner="red").owner == "red"


def hold_for(ledger: Ledger, project: str) -> str:
    """Hold a node for a project and a minute; return the uuid of the instance that it is held for."""
    node, instance = ledger.enrol(resource_class="gold"), str(uuid.uuid4())
    command = CreateHold(uuid=str(uuid.uuid4()), instance_uuid=instance, nodes=(node.uuid,), seconds=60)
    ledger.runner.write(create_hold, trusted(project=project), command)
    return instance


def test_new_allocation_takes_few_statements(ledger: Ledger) -> None:
    assert statements(ledger, lambda: allocate(ledger)) == 4


def test_uuid_of_the_instance_of_a_node_is_refused(ledger: Ledger) -> None:
    instance = str(uuid.uuid4())
    ledger.enrol(resource_class="gold", instance_uuid=instance)
    with pytest.raises(InstanceInUse):
        allocate(ledger, uuid=instance)


@pytest.mark.parametrize("owner", [None, "red"])
def test_member_creates_only_for_its_own_project(ledger: Ledger, owner: str | None) -> None:
    with pytest.raises(Forbidden):
        ledger.runner.write(create_allocation, MEMBER, CreateAllocation(resource_class="gold", owner=owner))
    command = CreateAllocation(resource_class="gold", owner="blue")
    assert ledger.runner.write(create_allocation, MEMBER, command).owner == "blue"


def test_candidate_that_the_caller_does_not_see_is_not_found(ledger: Ledger) -> None:
    node = ledger.enrol(name="hidden", owner="red")
    command = CreateAllocation(resource_class="gold", owner="blue", candidate_nodes=(node.uuid,))
    with pytest.raises(BadValue, match=f"cannot be found: {node.uuid}"):
        ledger.runner.write(create_allocation, MEMBER, command)


# --- backfill ---


def test_deployed_node_gets_the_allocation_that_it_lacks(ledger: Ledger) -> None:
    instance = str(uuid.uuid4())
    node = ledger.enrol(
        state="active", resource_class="gold", instance_uuid=instance, with_traits=("CUSTOM_A", "CUSTOM_B")
    )
    allocation = allocate(ledger, node=node.uuid, resource_class=None, traits=("CUSTOM_A",))
    assert (allocation.uuid, allocation.state, allocation.resource_class) == (instance, "active", "gold")
    assert show(ledger, allocation).node_uuid == node.uuid
    assert ledger.node(node).instance_info == {"traits": ["CUSTOM_A"]}
    assert holders(ledger, node) == [instance]


def test_deployed_node_without_an_instance_gets_one(ledger: Ledger) -> None:
    node = ledger.enrol(state="active", resource_class="gold")
    allocation = allocate(ledger, node=node.uuid)
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
def test_backfill_with_a_node_of_another_kind_is_refused(ledger: Ledger, values: dict[str, Any], words: str) -> None:
    node = ledger.enrol(state="active", resource_class="gold")
    with pytest.raises(CannotBackfill, match=words):
        allocate(ledger, node=node.uuid, **values)
    assert ledger.node(node) == node


def test_backfill_with_a_node_that_is_not_deployed_or_has_an_allocation_is_refused(ledger: Ledger) -> None:
    with pytest.raises(CannotBackfill, match='current state is "available"'):
        allocate(ledger, node=ledger.enrol(resource_class="gold").uuid)
    taken = ledger.enrol(state="active", resource_class="gold", instance_uuid=str(uuid.uuid4()))
    with pytest.raises(NodeAssociated):
        allocate(ledger, node=taken.uuid, uuid=str(uuid.uuid4()))
    allocate(ledger, node=taken.uuid)
    with pytest.raises(AllocationExists):
        allocate(ledger, node=taken.uuid)


def test_node_that_the_caller_does_not_see_is_not_found_for_a_backfill(ledger: Ledger) -> None:
    node = ledger.enrol(state="active", resource_class="gold", owner="red")
    with pytest.raises(BadValue, match=f"Node {node.uuid} could not be found"):
        ledger.runner.write(create_allocation, MEMBER, CreateAllocation(node=node.uuid, owner="blue"))


# --- from a hold ---


def test_held_node_goes_to_the_allocation(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    proof = hold(ledger, node)
    allocation = allocate(ledger, hold=proof, resource_class=None)
    assert (allocation.state, allocation.node_uuid) == ("active", node.uuid)
    assert (ledger.node(node).instance_uuid, holders(ledger, node)) == (allocation.uuid, [allocation.uuid])
    with pytest.raises(HoldNotFound):
        allocate(ledger, hold=proof)


def test_held_node_of_another_kind_stays_held(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    proof = hold(ledger, node)
    with pytest.raises(BadValue, match="Resource class gold does not match"):
        allocate(ledger, hold=proof, resource_class="silver")
    assert allocate(ledger, hold=proof).node_uuid == node.uuid
