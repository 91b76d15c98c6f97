"""Real processes with real time: a conductor killed in the middle of its work loses nothing."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.model.lifetimes import Step
from dibs.allocations.operations.endings import end_due_allocation
from dibs.machines.model.nodes import is_free
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.machines.queries import tasks
from dibs.wiring.hooks import build_runner
from tests.allocation_builders import allocate_node, force, show
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.conductor.process import real_clock


@pytest.fixture
def ledger(store):
    """A ledger that lives in real time, as the processes do."""
    made = Ledger(store)
    made.clock = real_clock
    made.runner = build_runner(store, real_clock)
    return made


def killed_while_deploying(ledger, spawn_conductor):
    """A node whose conductor was killed in the middle of the first of its three seconds of work."""
    node = ledger.enrol(driver_info={"fake_delay_deploy": 3})
    process = spawn_conductor("conductor-1")
    request = RequestProvision(ident=node.uuid, rules=(), verb="active")
    ledger.runner.write(request_provision, SERVICE, request)
    eventually(lambda: ledger.store.read(lambda tx: tasks.get(tx, node.id)).runner, seconds=30, what="work begun")
    process.kill()
    process.wait()
    assert (ledger.node(node).provision_state, ledger.node(node).reservation) == ("deploying", "conductor-1")
    return node


def deployed(ledger, node):
    found = ledger.node(node)
    return (found.provision_state, found.reservation) == ("active", None)


def test_work_of_a_killed_conductor_is_finished_by_its_next_start(ledger, spawn_conductor):
    node = killed_while_deploying(ledger, spawn_conductor)
    spawn_conductor("conductor-1")
    eventually(lambda: deployed(ledger, node), seconds=30)


def test_work_of_a_killed_conductor_is_finished_by_another(ledger, spawn_conductor):
    node = killed_while_deploying(ledger, spawn_conductor)
    spawn_conductor("conductor-2")
    eventually(lambda: deployed(ledger, node), seconds=30)


def test_node_of_an_allocation_that_ends_is_undeployed_although_the_conductor_is_killed(ledger, spawn_conductor):
    made, node = allocate_node(ledger, lifetime=Lifetime(seconds=1))
    force(ledger, node, provision_state="active", driver_info={"fake_delay_tear_down": 300})
    process = spawn_conductor("conductor-1")
    eventually(lambda: ledger.node(node).provision_state == "deleting", what="the end of the allocation")
    process.kill()
    process.wait()
    force(ledger, node, driver_info={})
    assert show(ledger, made).last_error == f"Its lifetime is over, so node {node.uuid} was released."
    spawn_conductor("conductor-2")
    eventually(lambda: is_free(ledger.node(node)), what="the node to be free")
    assert ledger.runner.write(end_due_allocation, SERVICE, made.uuid) is Step.NOTHING
