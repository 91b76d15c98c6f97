"""Create and delete allocations in this process, and prepare a command for another one."""

import uuid
from typing import Any, cast

import pytest

from dibs.access.access import SERVICE
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.allocations import Allocation, Lifetime
from dibs.allocations.model.errors import NoConductorAvailable
from dibs.allocations.operations.creating import CreateAllocation
from dibs.allocations.operations.intake import LocalIntake, create_at_once, list_callable_conductors, prepare_to_send
from dibs.database.runner import Runner
from dibs.errors import BadValue, Forbidden
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.errors import NodeClaimed
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from tests import event_rows
from tests.allocation_builders import Steps, allocate, gold, holders, release, show
from tests.builders import Ledger
from tests.lease_builders import lease, register, whole
from tests.provider_builders import statements
from tests.quota_builders import limit
from tests.share_builders import share_fairly


def test_local_intake_wakes_the_conductor_for_the_queue_and_for_released_nodes(ledger: Ledger) -> None:
    woken: list[None] = []
    intake = LocalIntake(ledger.runner, lambda: woken.append(None))
    made = intake.create(SERVICE, CreateAllocation(resource_class="gold"))
    intake.delete(SERVICE, made.uuid)
    node = ledger.enrol(resource_class="gold", state="active")
    intake.create(SERVICE, CreateAllocation(node=node.uuid))
    ledger.change(node, maintenance=True)
    intake.delete_of_node(SERVICE, node.uuid)
    assert ledger.node(node).instance_uuid is None
    assert len(woken) == 3


def test_prepared_command_has_uuids_instead_of_names(ledger: Ledger) -> None:
    node = ledger.enrol(name="one", state="active", instance_uuid=str(uuid.uuid4()))
    command = CreateAllocation(resource_class="gold", candidate_nodes=("one",))
    prepared = ledger.runner.read(prepare_to_send, SERVICE, command)
    assert prepared.candidate_nodes == (node.uuid,)
    assert prepared.uuid is not None
    assert ledger.runner.read(prepare_to_send, SERVICE, prepared) == prepared
    backfill = ledger.runner.read(prepare_to_send, SERVICE, CreateAllocation(node="one"))
    assert (backfill.node, backfill.uuid) == (node.uuid, node.instance_uuid)


def test_command_of_a_caller_without_the_right_is_not_prepared(ledger: Ledger) -> None:
    access = MachinePolicy().access(Actor(user="u", project="blue", roles=frozenset({"member"})))
    with pytest.raises(Forbidden):
        ledger.runner.read(prepare_to_send, access, CreateAllocation(resource_class="gold", owner="red"))


def test_without_a_live_conductor_nothing_is_prepared(ledger: Ledger) -> None:
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    with pytest.raises(NoConductorAvailable):
        ledger.runner.read(prepare_to_send, SERVICE, CreateAllocation(resource_class="gold"))


def test_only_live_conductors_with_an_address_are_callable(ledger: Ledger) -> None:
    command = RegisterConductor(hostname="c", group="", drivers=(), incarnation="i", rpc_url="http://c/rpc")
    ledger.runner.write(register_conductor, SERVICE, command)
    assert [found.hostname for found in ledger.runner.read(list_callable_conductors, SERVICE, None)] == ["c"]
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    assert ledger.runner.read(list_callable_conductors, SERVICE, None) == []


# --- with a node at once ---


def create(ledger: Ledger, **values: Any) -> Allocation:
    """Create an allocation of class gold with a node if one is free; return it as it is stored."""
    made = create_at_once(ledger.runner, SERVICE, CreateAllocation(**{"resource_class": "gold", **values}))
    assert made == show(ledger, made)
    return made


def test_free_node_goes_to_the_new_allocation(ledger: Ledger) -> None:
    node = gold(ledger, with_traits=("CUSTOM_A",))
    made = create(ledger, name="web", traits=("CUSTOM_A",), lifetime=Lifetime(seconds=60), wait_seconds=60)
    assert (made.state, made.node_uuid, made.ends_at) == ("active", node.uuid, made.created_at + 60_000_000)
    assert ledger.node(node).instance_uuid == made.uuid
    assert ledger.node(node).instance_info == {"traits": ["CUSTOM_A"]}
    assert holders(ledger, node) == [made.uuid]
    assert create(ledger, name="next").state == "allocating"


def test_events_are_those_of_an_allocation_that_was_in_the_queue(ledger: Ledger) -> None:
    node, steps = gold(ledger), Steps(ledger, "conductor-1")
    before = event_rows.last_id(ledger.store)
    release(ledger, create(ledger))
    at_once, before = event_rows.types(ledger.store, after=before), event_rows.last_id(ledger.store)
    queued = allocate(ledger)
    steps.grant(queued, node.uuid)
    release(ledger, queued)
    assert sorted(event_rows.types(ledger.store, after=before)) == sorted(at_once)
    assert [each for each in at_once if each.startswith("allocation.")] == [
        "allocation.created", "allocation.granted", "allocation.deleted"
    ]  # fmt: skip


def test_new_allocation_gets_the_node_with_its_name(ledger: Ledger) -> None:
    namesake, *_ = (gold(ledger, name=f"db-{number}") for number in range(5))
    assert create(ledger, name="db-0").node_uuid == namesake.uuid


def test_new_allocation_gets_only_a_candidate_of_its_project(ledger: Ledger) -> None:
    gold(ledger, name="foreign")
    own = gold(ledger, name="own", owner="p")
    assert create(ledger, owner="p").node_uuid == own.uuid
    assert create(ledger, candidate_nodes=("own",)).state == "allocating"
    assert create(ledger, candidate_nodes=("foreign",)).state == "active"
    with pytest.raises(BadValue, match="Nodes cannot be found: none"):
        create(ledger, candidate_nodes=("none",))


def test_node_that_was_taken_after_the_search_is_left_alone(ledger: Ledger) -> None:
    node = gold(ledger)
    first, second = (allocate(ledger, chosen=node.uuid) for _ in range(2))
    assert (first.state, second.state, second.node_uuid) == ("active", "allocating", None)
    assert allocate(ledger, chosen=str(uuid.uuid4())).state == "allocating"


def test_chosen_node_must_have_the_traits(ledger: Ledger) -> None:
    assert allocate(ledger, chosen=gold(ledger).uuid, traits=("CUSTOM_A",)).state == "allocating"


def test_node_for_which_another_allocation_waits_is_left_to_it(ledger: Ledger) -> None:
    waiting = allocate(ledger, wait_seconds=600)
    node = gold(ledger)
    assert create(ledger).state == "allocating"
    assert allocate(ledger, chosen=node.uuid).state == "allocating"
    release(ledger, waiting)
    assert create(ledger).node_uuid == node.uuid


def test_node_of_a_lease_to_come_is_left_to_the_lease(ledger: Ledger) -> None:
    node = gold(ledger)
    register(ledger, node)
    lease(ledger, 1, 2, whole())
    assert create(ledger).state == "allocating"
    with pytest.raises(NodeClaimed):
        allocate(ledger, chosen=node.uuid)


def test_queue_decides_when_the_quota_is_used_up(ledger: Ledger) -> None:
    limit(ledger, "p", nodes=1)
    for _ in range(2):
        gold(ledger, owner="p")
    assert [create(ledger, owner="p").state for _ in range(2)] == ["active", "allocating"]


def test_quota_that_shrinks_after_the_search_leaves_the_allocation_to_the_queue(ledger: Ledger) -> None:
    gold(ledger, owner="p")

    class Late:
        """A runner before whose first write another client sets a quota."""

        read = staticmethod(ledger.runner.read)

        def write(self, *arguments: Any, **options: Any) -> Any:
            limit(ledger, "p", nodes=0)
            return ledger.runner.write(*arguments, **options)

    command = CreateAllocation(resource_class="gold", owner="p")
    assert create_at_once(cast(Runner, Late()), SERVICE, command).state == "allocating"


def test_fair_share_leaves_every_allocation_to_the_queue(ledger: Ledger) -> None:
    gold(ledger)
    share_fairly(ledger)
    assert create(ledger).state == "allocating"


def test_allocation_at_once_needs_a_live_conductor(ledger: Ledger) -> None:
    node = gold(ledger)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    with pytest.raises(NoConductorAvailable):
        create(ledger)
    assert ledger.node(node).instance_uuid is None


def test_allocation_at_once_takes_few_statements_for_any_number_of_nodes(ledger: Ledger) -> None:
    counts = []
    for number in (1, 60):
        for _ in range(number):
            gold(ledger, with_traits=("CUSTOM_A",))
        create(ledger, traits=("CUSTOM_A",))  # Loads the new traits into the index.
        gold(ledger, with_traits=("CUSTOM_A",))
        counts.append(statements(ledger, lambda: create(ledger, traits=("CUSTOM_A",))))
    assert max(counts) <= 27
