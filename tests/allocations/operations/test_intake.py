"""Create and delete allocations in this process, and prepare a command for another one."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.errors import NoConductorAvailable
from dibs.allocations.operations.creating import CreateAllocation
from dibs.allocations.operations.intake import LocalIntake, list_callable_conductors, prepare_to_send
from dibs.errors import Forbidden
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from tests.builders import Ledger


def test_local_intake_wakes_the_conductor_after_each_change(ledger: Ledger) -> None:
    woken: list[None] = []
    intake = LocalIntake(ledger.runner, lambda: woken.append(None))
    made = intake.create(SERVICE, CreateAllocation(resource_class="gold"))
    intake.delete(SERVICE, made.uuid)
    node = ledger.enrol(resource_class="gold", state="active")
    intake.create(SERVICE, CreateAllocation(node=node.uuid))
    ledger.change(node, maintenance=True)
    intake.delete_of_node(SERVICE, node.uuid)
    assert ledger.node(node).instance_uuid is None
    assert len(woken) == 4


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
