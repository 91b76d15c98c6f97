"""Tasks without a running conductor: each test takes and reports them itself."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.machines.model import states
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.driver import Outcome
from dibs.machines.model.errors import TaskLost
from dibs.machines.model.parts.parts import PartKind
from dibs.machines.model.parts.ports import Port
from dibs.machines.model.tasks import ATTEMPTS_MAX
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.provisioning import RequestPower, RequestProvision, request_power, request_provision
from dibs.machines.operations.tasks import (
    ListDue,
    ReportFailure,
    ReportOutcome,
    TakeTask,
    list_due,
    list_orphans,
    release_task,
    report_failure,
    report_outcome,
    take_over_task,
    take_task,
)
from dibs.machines.queries import parts, tasks
from tests.provider_builders import statements


class Process:
    """A conductor process as the database knows it: a name and an incarnation."""

    def __init__(self, ledger, hostname="conductor-1", group="", drivers=("fake-hardware",)):
        self.ledger, self.incarnation = ledger, str(uuid.uuid4())
        registration = RegisterConductor(hostname=hostname, group=group, drivers=drivers, incarnation=self.incarnation)
        ledger.runner.write(register_conductor, SERVICE, registration)

    def due(self):
        return self.ledger.runner.read(list_due, SERVICE, ListDue(incarnation=self.incarnation, count_max=10))

    def take(self, node):
        return self.ledger.runner.write(take_task, SERVICE, self._about(TakeTask, node))

    def finish(self, node, work, **outcome):
        command = self._about(ReportOutcome, node, work=work, outcome=Outcome(**outcome))
        return self.ledger.runner.write(report_outcome, SERVICE, command)

    def fail(self, node, work, reason="broken"):
        self.ledger.runner.write(report_failure, SERVICE, self._about(ReportFailure, node, work=work, reason=reason))

    def give_back(self, node):
        self.ledger.runner.write(release_task, SERVICE, self._about(TakeTask, node))

    def orphans(self):
        return self.ledger.runner.read(list_orphans, SERVICE, self.incarnation)

    def take_over(self, node):
        return self.ledger.runner.write(take_over_task, SERVICE, self._about(TakeTask, node))

    def _about(self, command, node, **values):
        return command(node_uuid=node.uuid, incarnation=self.incarnation, **values)


def begin(ledger, verb, state, **values):
    node = ledger.enrol(state=state, **values)
    return ledger.runner.write(request_provision, SERVICE, RequestProvision(ident=node.uuid, rules=(), verb=verb))


def task_of(ledger, node):
    return ledger.store.read(lambda tx: tasks.get(tx, node.id))


def test_a_task_is_taken_run_and_finished(ledger):
    process, node = Process(ledger), begin(ledger, "active", states.AVAILABLE)
    assert process.due() == [node.uuid]
    assert process.take(node).work == "deploy"
    assert process.due() == []
    assert process.finish(node, "deploy", changes={"power_state": "power on"}) is None
    after = ledger.node(node)
    assert (after.provision_state, after.target_provision_state, after.reservation) == ("active", None, None)
    assert after.power_state == "power on"
    assert task_of(ledger, node) is None


def test_a_task_is_taken_once(ledger):
    process, node = Process(ledger), begin(ledger, "active", states.AVAILABLE)
    assert process.take(node)
    assert process.take(node) is None


def test_taking_and_finishing_a_task_takes_few_statements(ledger):
    process = Process(ledger)
    node = begin(ledger, "manage", "enroll")
    assert statements(ledger, lambda: process.take(node)) == 4
    assert statements(ledger, lambda: process.finish(node, "verify")) == 6


def test_a_conductor_takes_only_its_own_tasks(ledger):
    process, other = Process(ledger), Process(ledger, "other", group="east")
    node = begin(ledger, "active", states.AVAILABLE)
    assert other.due() == []
    assert other.take(node) is None
    assert process.take(node)


def test_a_replaced_process_takes_nothing_and_finishes_nothing(ledger):
    old, node = Process(ledger), begin(ledger, "active", states.AVAILABLE)
    old.take(node)
    new = Process(ledger)
    assert new.due() == [node.uuid]
    assert old.due() == []
    assert new.take(node).work == "deploy"
    with pytest.raises(TaskLost):
        old.finish(node, "deploy")
    with pytest.raises(TaskLost):
        old.fail(node, "deploy")
    assert ledger.node(node).provision_state == "deploying"
    new.finish(node, "deploy")
    assert ledger.node(node).provision_state == "active"


def test_a_report_about_other_work_than_the_task_is_refused(ledger):
    process, node = Process(ledger), begin(ledger, "active", states.AVAILABLE)
    process.take(node)
    with pytest.raises(TaskLost):
        process.finish(node, "clean")


@pytest.mark.parametrize("phase", states.PHASES.values(), ids=lambda phase: phase.state)
def test_a_failed_task_shows_the_failed_state_and_the_reason_and_unlocks_the_node(ledger, phase):
    verb, state = next((v, s) for v, edges in states.VERBS.items() for s, n in edges.items() if n == phase.state)
    process, node = Process(ledger), begin(ledger, verb, state)
    process.take(node)
    process.fail(node, phase.work, "no fans")
    after = ledger.node(node)
    assert (after.provision_state, after.reservation) == (phase.failed, None)
    assert after.last_error.endswith("no fans")
    assert (after.maintenance, after.fault) == (bool(phase.fault), phase.fault)
    assert task_of(ledger, node) is None


def test_a_failed_clean_keeps_its_target_and_says_why_it_is_in_maintenance(ledger):
    process, node = Process(ledger), begin(ledger, "clean", states.MANAGEABLE)
    process.take(node)
    process.fail(node, "clean", "no fans")
    after = ledger.node(node)
    assert after.target_provision_state == "manageable"
    assert after.maintenance_reason == after.last_error


def test_undeploy_removes_the_instance_and_cleans(ledger):
    process, instance = Process(ledger), str(uuid.uuid4())
    node = begin(
        ledger, "deleted", states.ACTIVE, resource_class="gold", instance_uuid=instance, instance_info={"traits": []}
    )
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}
    process.take(node)
    following = process.finish(node, "tear_down")
    assert following.work == "clean"
    between = ledger.node(node)
    assert (between.provision_state, between.target_provision_state) == ("cleaning", "available")
    assert (between.instance_uuid, between.instance_info, between.reservation) == (None, {}, "conductor-1")
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 1, "used": 0}
    process.finish(node, "clean")
    assert ledger.node(node).provision_state == "available"
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}


def test_undeploy_without_automated_clean_is_available_at_once(ledger):
    process, node = Process(ledger), begin(ledger, "deleted", states.ACTIVE, automated_clean=False)
    process.take(node)
    assert process.finish(node, "tear_down") is None
    assert ledger.node(node).provision_state == "available"
    assert task_of(ledger, node) is None


def test_undeploy_detaches_the_virtual_interfaces(ledger):
    process, node = Process(ledger), begin(ledger, "deleted", states.ACTIVE)
    ports, info = parts.TABLES[PartKind.PORT], {"tenant_vif_port_id": "v"}
    port = Port(id=0, uuid=str(uuid.uuid4()), node_uuid=node.uuid, address="a", internal_info=info, created_at=0)
    ledger.run(lambda tx: ports.create(tx, node.id, port))
    process.take(node)
    process.finish(node, "tear_down")
    assert [each.internal_info for each in ledger.run(lambda tx: ports.of_node(tx, node.id))] == [{}]


def test_a_failed_undeploy_removes_the_instance_too(ledger):
    process = Process(ledger)
    node = begin(ledger, "deleted", states.ACTIVE, resource_class="gold", instance_uuid=str(uuid.uuid4()))
    process.take(node)
    process.fail(node, "tear_down")
    assert ledger.node(node).instance_uuid is None
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 1, "used": 0}


def test_a_waiting_task_unlocks_the_node_and_is_due_later(ledger):
    process, node = Process(ledger), begin(ledger, "inspect", states.MANAGEABLE)
    process.take(node)
    process.finish(node, "inspect", wait_seconds=30, progress={"waited": True})
    waiting = ledger.node(node)
    assert (waiting.provision_state, waiting.target_provision_state) == ("inspect wait", "manageable")
    assert waiting.reservation is None
    assert process.due() == []
    assert process.take(node) is None
    ledger.clock.move(31)
    assert process.due() == [node.uuid]
    assert process.take(node).progress == {"waited": True}
    assert (ledger.node(node).provision_state, ledger.node(node).reservation) == ("inspecting", "conductor-1")


def test_a_held_task_continues_after_unhold(ledger):
    process, node = Process(ledger), begin(ledger, "clean", states.MANAGEABLE)
    process.take(node)
    process.finish(node, "clean", held=True, changes={"clean_step": {"step": "hold"}})
    assert ledger.node(node).provision_state == "clean hold"
    ledger.clock.move(10**6)
    assert process.due() == []
    ledger.runner.write(request_provision, SERVICE, RequestProvision(ident=node.uuid, rules=(), verb="unhold"))
    assert process.take(node)
    process.finish(node, "clean")
    after = ledger.node(node)
    assert (after.provision_state, after.clean_step) == ("manageable", {})


def test_power_that_fails_keeps_the_provision_state(ledger):
    process, node = Process(ledger), ledger.enrol()
    ledger.runner.write(request_power, SERVICE, RequestPower(ident=node.uuid, rules=(), target=states.POWER_ON))
    process.take(node)
    process.fail(node, "power", "no current")
    after = ledger.node(node)
    assert (after.provision_state, after.power_state, after.target_power_state) == ("available", "power off", None)
    assert after.last_error == "Failed to change power state to 'power on': no current"


def test_a_released_task_does_not_count_as_an_attempt(ledger):
    process, node = Process(ledger), begin(ledger, "active", states.AVAILABLE)
    for _ in range(ATTEMPTS_MAX + 2):
        assert process.take(node)
        process.give_back(node)
    assert process.due() == [node.uuid]


def test_a_task_that_crashes_its_conductor_each_time_fails_the_node(ledger):
    node = begin(ledger, "active", states.AVAILABLE)
    for _ in range(ATTEMPTS_MAX):
        assert Process(ledger).take(node)
    assert Process(ledger).take(node) is None
    after = ledger.node(node)
    assert (after.provision_state, after.reservation) == ("deploy failed", None)
    assert "conductor conductor-1 failed" in after.last_error
    assert task_of(ledger, node) is None


def test_the_task_of_a_failed_conductor_is_taken_over_with_its_lock(ledger):
    failed, node = Process(ledger), begin(ledger, "active", states.AVAILABLE)
    failed.take(node)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    heir = Process(ledger, "conductor-2")
    assert heir.orphans() == [node.uuid]
    assert heir.take_over(node)
    assert ledger.node(node).reservation == "conductor-2"
    with pytest.raises(TaskLost):
        failed.finish(node, "deploy")
    assert heir.take(node)
    heir.finish(node, "deploy")
    assert ledger.node(node).provision_state == "active"


def test_a_waiting_task_is_taken_over_without_a_lock(ledger):
    failed, node = Process(ledger), begin(ledger, "active", states.AVAILABLE)
    failed.take(node)
    failed.finish(node, "deploy", wait_seconds=30)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    heir = Process(ledger, "conductor-2")
    assert heir.take_over(node)
    assert ledger.node(node).reservation is None
    assert heir.due() == [node.uuid]


def test_the_task_of_a_live_conductor_is_not_taken_over(ledger):
    Process(ledger)
    node, heir = begin(ledger, "active", states.AVAILABLE), Process(ledger, "conductor-2", drivers=("other",))
    assert heir.orphans() == []
    assert not heir.take_over(node)
    assert ledger.node(node).reservation == "conductor-1"


def test_a_task_is_not_taken_over_without_the_driver_or_the_group(ledger):
    begin(ledger, "active", states.AVAILABLE)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    assert Process(ledger, "conductor-2", drivers=("redfish",)).orphans() == []
    assert Process(ledger, "conductor-3", group="east").orphans() == []


def test_after_too_many_attempts_the_node_fails_and_names_the_failed_conductor(ledger):
    node = begin(ledger, "active", states.AVAILABLE)
    for _ in range(ATTEMPTS_MAX):
        assert Process(ledger).take(node)
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    assert not Process(ledger, "conductor-2").take_over(node)
    after = ledger.node(node)
    assert (after.provision_state, after.reservation) == ("deploy failed", None)
    assert "conductor conductor-1 failed" in after.last_error


def test_a_deleted_node_has_no_task(ledger):
    process = Process(ledger)
    assert process.take(type("Gone", (), {"uuid": str(uuid.uuid4())})) is None
