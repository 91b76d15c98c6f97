import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.errors import Forbidden
from dibs.machines.model import states
from dibs.machines.model.access import SEE_NODE
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.driver import boot_device_of
from dibs.machines.model.errors import (
    NoConductorForDriver,
    NodeInMaintenance,
    NodeLocked,
    NodeNotFound,
    NodeProtected,
    NodeRetired,
    NoLiveConductor,
    NotOffered,
    ValidationFailed,
    WrongState,
    WrongVerb,
)
from dibs.machines.operations.provisioning import (
    RequestBootDevice,
    RequestPower,
    RequestProvision,
    request_boot_device,
    request_power,
    request_provision,
)
from dibs.machines.queries import nodes, tasks
from tests.builders import granted

RULE = "baremetal:node:set_provision_state"


def provision(ledger, node, verb, access=SERVICE, **arguments):
    command = RequestProvision(**{"ident": node.uuid, "rules": (RULE,), "verb": verb, **arguments})
    return ledger.runner.write(request_provision, access, command)


def power(ledger, node, target, access=SERVICE, **arguments):
    command = RequestPower(**{"ident": node.uuid, "rules": (RULE,), "target": target, **arguments})
    return ledger.runner.write(request_power, access, command)


def put(ledger, node, **changes):
    """Write attributes of a node without checking any rule."""

    def write(tx):
        return nodes.update(tx, nodes.lock(tx, node.uuid, ledger.clock()), ledger.clock(), **changes)

    return ledger.store.write(write)


def task_of(ledger, node):
    return ledger.store.read(lambda tx: tasks.get(tx, node.id))


def refused(ledger, node, error, request, *arguments, match=None, **keywords):
    """Check that a request is refused and changes nothing."""
    before = ledger.node(node)
    with pytest.raises(error, match=match):
        request(ledger, node, *arguments, **keywords)
    assert ledger.node(node) == before
    assert task_of(ledger, node) is None


def test_a_verb_changes_the_state_locks_the_node_and_queues_the_task(ledger):
    node = put(ledger, ledger.enrol(resource_class="gold"), last_error="old trouble")
    after = provision(ledger, node, "active", deploy_steps=[{"step": "x"}], configdrive="Zm9v")
    assert after == ledger.node(node)
    assert (after.provision_state, after.target_provision_state) == ("deploying", "active")
    assert (after.reservation, after.last_error) == ("conductor-1", None)
    assert after.provision_updated_at is not None
    assert after.instance_info == {"configdrive": "Zm9v"}
    task = task_of(ledger, node)
    assert (task.work, task.arguments, task.runner) == ("deploy", {"steps": [{"step": "x"}]}, None)
    assert ledger.unit(node)["reserved"] == 1


@pytest.mark.parametrize(("state", "verb"), [(s, v) for v, edges in states.VERBS.items() for s in edges])
def test_every_verb_begins_in_every_state_that_allows_it(ledger, state, verb):
    node = put(ledger, ledger.enrol(), provision_state=state)
    after = provision(ledger, node, verb)
    assert after.provision_state == states.next_state(verb, state)
    task = task_of(ledger, node)
    if after.provision_state in states.PHASES:
        assert after.reservation == "conductor-1"
        assert task.work == states.PHASES[after.provision_state].work
    else:
        assert after.reservation is None
        assert task is None


def test_the_rescue_password_is_stored_with_the_task_and_not_on_the_node(ledger):
    node = put(ledger, ledger.enrol(), provision_state=states.ACTIVE)
    after = provision(ledger, node, "rescue", rescue_password="s3cret")
    assert "s3cret" not in repr(after)
    assert task_of(ledger, node).arguments == {"password": "s3cret"}


def test_a_manual_clean_returns_to_manageable(ledger):
    node = ledger.enrol(state=states.MANAGEABLE)
    assert provision(ledger, node, "clean", clean_steps=[{"step": "x"}]).target_provision_state == "manageable"


def test_provide_without_automated_clean_is_immediate(ledger):
    node = ledger.enrol(state=states.MANAGEABLE, automated_clean=False, resource_class="gold")
    after = provision(ledger, node, "provide")
    assert (after.provision_state, after.target_provision_state, after.reservation) == ("available", None, None)
    assert ledger.unit(node)["reserved"] == 0


def test_an_inspection_records_its_start(ledger):
    node = ledger.enrol(state=states.MANAGEABLE)
    assert provision(ledger, node, "inspect").inspection_started_at is not None


def test_a_node_that_does_not_exist_is_not_found(ledger):
    with pytest.raises(NodeNotFound):
        provision(ledger, ledger.enrol(), "active", ident="nosuch")


@pytest.mark.parametrize(
    "request_it", [lambda *a, **k: provision(*a, "active", **k), lambda *a, **k: power(*a, "x", **k)]
)
def test_the_rules_are_checked_before_everything_else(ledger, request_it):
    node = put(ledger, ledger.enrol(), reservation="conductor-2")
    refused(ledger, node, Forbidden, request_it, access=granted(SEE_NODE))
    refused(ledger, node, NodeNotFound, request_it, access=granted(RULE))


def test_a_verb_that_the_api_does_not_offer_in_this_state_is_refused(ledger):
    node = put(ledger, ledger.enrol(), provision_state=states.INSPECT_WAIT)
    unoffered = frozenset({states.INSPECT_WAIT})
    refused(ledger, node, NotOffered, provision, "abort", unoffered_states=unoffered)
    assert provision(ledger, node, "abort", unoffered_states=frozenset({states.DEPLOY_WAIT})).provision_state == (
        states.INSPECT_FAILED
    )


def test_a_locked_node_names_its_conductor(ledger):
    node = put(ledger, ledger.enrol(), reservation="conductor-2")
    refused(ledger, node, NodeLocked, provision, "active", match="is locked by host conductor-2")
    refused(ledger, node, NodeLocked, provision, "frobnicate")
    refused(ledger, node, NodeLocked, power, states.POWER_ON)


def test_a_wrong_verb_is_refused_in_the_words_of_the_original(ledger):
    node = ledger.enrol(state=states.ENROLL)
    words = f'The requested action "active" can not be performed on node "{node.uuid}" while it is in state "enroll".'
    refused(ledger, node, WrongVerb, provision, "active", match=words)


@pytest.mark.parametrize(("verb", "state"), [("deleted", states.ACTIVE), ("rebuild", states.ACTIVE)])
def test_a_protected_node_is_neither_undeployed_nor_rebuilt(ledger, verb, state):
    node = put(ledger, ledger.enrol(), provision_state=state, protected=True)
    refused(ledger, node, NodeProtected, provision, verb)


@pytest.mark.parametrize(
    ("verb", "state"), [("active", states.AVAILABLE), ("rescue", states.ACTIVE), ("clean", states.MANAGEABLE)]
)
def test_a_node_in_maintenance_is_not_deployed(ledger, verb, state):
    node = put(ledger, ledger.enrol(), provision_state=state, maintenance=True)
    refused(ledger, node, NodeInMaintenance, provision, verb)


def test_a_node_in_maintenance_may_be_undeployed(ledger):
    node = put(ledger, ledger.enrol(), provision_state=states.ACTIVE, maintenance=True)
    assert provision(ledger, node, "deleted").provision_state == "deleting"


def test_a_retired_node_is_not_provided(ledger):
    node = put(ledger, ledger.enrol(state=states.MANAGEABLE), retired=True)
    refused(ledger, node, NodeRetired, provision, "provide", match="because it is retired")


@pytest.mark.parametrize(("verb", "state"), [("active", states.AVAILABLE), ("rebuild", states.ACTIVE)])
def test_an_instance_cannot_require_traits_that_the_node_lacks(ledger, verb, state):
    node = ledger.enrol(with_traits=("CUSTOM_GPU",))
    node = put(ledger, node, provision_state=state, instance_info={"traits": ["CUSTOM_GPU", "CUSTOM_X"]})
    words = (
        f"Failed to validate deploy or power info for node {node.uuid}: Cannot specify instance traits that are not "
        f"also set on the node. Node {node.uuid} is missing traits CUSTOM_X"
    )
    refused(ledger, node, ValidationFailed, provision, verb, match=words)


def test_an_instance_may_require_some_of_the_traits_of_the_node(ledger):
    node = ledger.enrol(with_traits=("CUSTOM_GPU", "CUSTOM_X"), instance_info={"traits": ["CUSTOM_GPU"]})
    assert provision(ledger, node, "active").provision_state == "deploying"


def test_settings_that_the_driver_cannot_work_with_are_refused(ledger):
    node = ledger.enrol(driver_info={"fake_delay_deploy": "soon"})
    refused(ledger, node, ValidationFailed, provision, "active", match="number of seconds")
    assert provision(ledger, node, "active", check_settings=False).provision_state == states.DEPLOYING


def test_a_task_needs_a_live_conductor(ledger):
    node = ledger.enrol()
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    refused(ledger, node, NoLiveConductor, provision, "active")


def test_a_task_needs_a_conductor_of_the_node_group(ledger):
    node = put(ledger, ledger.enrol(), conductor_group="east")
    refused(ledger, node, NoConductorForDriver, provision, "active")


def test_a_verb_without_a_task_needs_no_conductor(ledger):
    node = ledger.enrol()
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    assert provision(ledger, node, "manage").provision_state == "manageable"


def test_abort_removes_the_waiting_task(ledger):
    node = provision(ledger, ledger.enrol(state=states.MANAGEABLE), "clean", clean_steps=[{"step": "x"}])
    node = put(ledger, node, provision_state=states.CLEAN_WAIT, reservation=None)
    after = provision(ledger, node, "abort")
    assert (after.provision_state, after.target_provision_state) == ("clean failed", "manageable")
    assert after.last_error == "By request, the clean operation was aborted"
    assert task_of(ledger, node) is None


def test_undeploy_replaces_the_waiting_task(ledger):
    node = put(
        ledger, provision(ledger, ledger.enrol(), "active"), provision_state=states.DEPLOY_WAIT, reservation=None
    )
    provision(ledger, node, "deleted")
    assert task_of(ledger, node).work == "tear_down"


def test_power_is_queued_and_shows_its_target(ledger):
    node = ledger.enrol()
    after = power(ledger, node, states.REBOOT, timeout=7)
    assert (after.target_power_state, after.power_state, after.reservation) == ("power on", "power off", "conductor-1")
    assert task_of(ledger, node).arguments == {"target": "rebooting", "timeout": 7}


def test_an_unknown_power_state_is_refused(ledger):
    refused(ledger, ledger.enrol(), WrongVerb, power, "frob", match='"frob" .* while it is in state "power off"')


@pytest.mark.parametrize("state", [states.CLEANING, *states.PAUSED])
def test_power_cannot_change_while_a_task_waits_for_the_machine(ledger, state):
    node = put(ledger, ledger.enrol(), provision_state=state)
    refused(ledger, node, WrongVerb, power, states.POWER_OFF, match=f'in state "{state}"')


def test_a_node_with_disable_power_off_is_not_powered_off(ledger):
    node = ledger.enrol(disable_power_off=True)
    refused(ledger, node, WrongState, power, states.SOFT_POWER_OFF)
    assert power(ledger, node, states.REBOOT).target_power_state == "power on"


def test_the_boot_device_is_pxe_until_it_is_set(ledger):
    node = ledger.enrol()
    assert (boot_device_of(node).device, boot_device_of(node).persistent) == ("pxe", False)
    command = RequestBootDevice(ident=node.uuid, rules=(), boot_device="disk", persistent=True)
    ledger.runner.write(request_boot_device, SERVICE, command)
    assert (boot_device_of(ledger.node(node)).device, boot_device_of(ledger.node(node)).persistent) == ("disk", True)


def test_a_request_takes_the_same_few_statements_for_any_number_of_nodes(ledger):
    def statements():
        node = ledger.enrol(resource_class="gold", instance_uuid=str(uuid.uuid4()))
        before = ledger.store.statistics.statements
        provision(ledger, node, "active")
        return ledger.store.statistics.statements - before

    alone = statements()
    for _ in range(20):
        ledger.enrol(resource_class="gold")
    assert statements() == alone <= 10
