"""The work on one node, with a running conductor and fake hardware: every verb from the request to the end."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.machines.model import states
from dibs.machines.operations.provisioning import RequestPower, request_power
from tests.bed.waiting import eventually
from tests.conductor.fakes import Absence, Broken, Counting, arrive, ask


def test_node_goes_from_enroll_to_active_and_back(ledger, start):
    conductor = start()
    instance = str(uuid.uuid4())
    node = ledger.enrol(state=states.ENROLL, power_state=None, resource_class="gold")
    ask(ledger, node, "manage")
    conductor.wake()
    assert arrive(ledger, node, "manageable").power_state == "power off"
    ask(ledger, node, "inspect")
    assert arrive(ledger, node, "manageable").inspection_finished_at
    ask(ledger, node, "clean", clean_steps=[{"interface": "deploy", "step": "erase_devices"}])
    arrive(ledger, node, "manageable")
    ask(ledger, node, "provide")
    arrive(ledger, node, "available")
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}
    ledger.change(node, instance_uuid=instance)
    ask(ledger, node, "active")
    assert arrive(ledger, node, "active").instance_uuid == instance
    for verb, arguments, state in (
        ("rebuild", {}, "active"),
        ("rescue", {"rescue_password": "x"}, "rescue"),
        ("unrescue", {}, "active"),
        ("service", {"service_steps": [{"interface": "firmware", "step": "update"}]}, "active"),
    ):
        ask(ledger, node, verb, **arguments)
        arrive(ledger, node, state)
    ask(ledger, node, "deleted")
    assert arrive(ledger, node, "available").instance_uuid is None
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}


@pytest.mark.parametrize(
    ("verb", "before", "after"), [("clean", "manageable", "clean failed"), ("service", "active", "service failed")]
)
def test_unknown_step_fails_the_work_and_the_node_shows_the_reason(ledger, start, verb, before, after):
    start()
    node = ledger.enrol(state=before)
    ask(ledger, node, verb, **{f"{verb}_steps": [{"interface": "deploy", "step": "nosuch"}]})
    assert f"node does not support this {verb} step: " in arrive(ledger, node, after).last_error


def test_deployed_machine_is_adopted(ledger, start):
    start()
    node = ledger.enrol(state=states.MANAGEABLE, instance_uuid=str(uuid.uuid4()))
    ask(ledger, node, "adopt")
    arrive(ledger, node, "active")


@pytest.mark.parametrize("target", states.POWER_TARGETS)
def test_power_state_follows_the_request(ledger, start, target):
    start()
    node = ledger.enrol()
    ledger.runner.write(request_power, SERVICE, RequestPower(ident=node.uuid, rules=(), target=target))
    after = arrive(ledger, node, "available")
    assert (after.power_state, after.target_power_state) == (states.POWER_TARGETS[target], None)


@pytest.mark.parametrize(
    ("verb", "state", "work", "failed"),
    [
        ("manage", states.ENROLL, "verify", "enroll"),
        ("inspect", states.MANAGEABLE, "inspect", "inspect failed"),
        ("provide", states.MANAGEABLE, "clean", "clean failed"),
        ("adopt", states.MANAGEABLE, "adopt", "adopt failed"),
        ("active", states.AVAILABLE, "deploy", "deploy failed"),
        ("deleted", states.ACTIVE, "tear_down", "error"),
        ("deleted", states.ACTIVE, "clean", "clean failed"),
        ("rescue", states.ACTIVE, "rescue", "rescue failed"),
        ("unrescue", states.RESCUE, "unrescue", "unrescue failed"),
        ("service", states.ACTIVE, "service", "service failed"),
    ],
)
def test_failure_of_the_hardware_is_shown_with_its_reason(ledger, start, verb, state, work, failed):
    start()
    node = ledger.enrol(state=state, driver_info={f"fake_fail_{work}": "no fans"})
    ask(ledger, node, verb)
    eventually(lambda: ledger.node(node).last_error)
    after = arrive(ledger, node, failed)
    assert after.last_error.endswith("no fans")
    assert after.fault == {"clean": "clean failure", "service": "service failure"}.get(work)


@pytest.mark.parametrize(
    ("verb", "state", "work", "waiting", "aborted"),
    [
        ("inspect", states.MANAGEABLE, "inspect", "inspect wait", "inspect failed"),
        ("provide", states.MANAGEABLE, "clean", "clean wait", "clean failed"),
        ("active", states.AVAILABLE, "deploy", "wait call-back", "deploy failed"),
        ("rescue", states.ACTIVE, "rescue", "rescue wait", "rescue failed"),
        ("service", states.ACTIVE, "service", "service wait", "active"),
    ],
)
def test_waiting_work_is_aborted_or_continues(ledger, start, verb, state, work, waiting, aborted):
    start()
    first, second = (ledger.enrol(state=state, driver_info={f"fake_wait_{work}": 5}) for _ in range(2))
    ask(ledger, first, verb)
    target = ask(ledger, second, verb).target_provision_state
    arrive(ledger, first, waiting)
    arrive(ledger, second, waiting)
    ask(ledger, first, "abort")
    ledger.clock.move(6)
    arrive(ledger, second, target)
    assert "abort" in arrive(ledger, first, aborted).last_error


def test_work_is_held_until_unhold(ledger, start):
    start()
    node = ledger.enrol(state=states.MANAGEABLE)
    hold = {"interface": "deploy", "step": "hold"}
    ask(ledger, node, "clean", clean_steps=[hold])
    assert arrive(ledger, node, "clean hold").clean_step == hold
    ask(ledger, node, "unhold")
    arrive(ledger, node, "manageable")


def test_error_in_a_driver_fails_the_node(ledger, start):
    start(driver=Broken())
    node = ledger.enrol()
    ask(ledger, node, "active")
    assert "an unexpected error; the log" in arrive(ledger, node, "deploy failed").last_error


def test_outcome_is_reported_when_the_database_is_back(ledger, start):
    absence, driver = Absence(ledger), Counting()
    driver.on_run = absence.set
    start(runner=absence.runner, driver=driver)
    node = ledger.enrol()
    ask(ledger, node, "active")
    eventually(lambda: absence.refusals > 2)
    assert ledger.node(node).provision_state == "deploying"
    driver.on_run = lambda: None
    absence.clear()
    arrive(ledger, node, "active")
    assert driver.runs == ["deploy"]
