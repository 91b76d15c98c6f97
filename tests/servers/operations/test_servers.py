import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.errors import BadValue, Forbidden
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.model.driver import Outcome
from dibs.machines.model.nodes import Node
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.nodes import DeleteNode, SetMaintenance, delete_node, set_maintenance
from dibs.machines.operations.tasks import (
    ReportFailure,
    ReportOutcome,
    TakeTask,
    report_failure,
    report_outcome,
    take_task,
)
from dibs.servers.model.errors import ServerHasNoMachine, ServerNotFound
from dibs.servers.model.servers import Server, ServerQuery, ServerView
from dibs.servers.operations.servers import (
    ChangeServer,
    ListLeaving,
    OneServer,
    SwitchServer,
    change_server,
    delete_server,
    end_leaving,
    list_leaving,
    list_servers,
    switch_server,
)
from tests.builders import Ledger, allow
from tests.provider_builders import statements
from tests.server_builders import any_settings, anyone, delete, flavor, host, launch, look, node_flavor


class Worker:
    """A conductor that does one task after the other, when the test says so."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._incarnation = str(uuid.uuid4())
        command = RegisterConductor(
            hostname="conductor-1", group="", drivers=("fake-hardware",), incarnation=self._incarnation
        )
        ledger.runner.write(register_conductor, SERVICE, command)

    def take(self, node: Node) -> str:
        task = TakeTask(node_uuid=node.uuid, incarnation=self._incarnation)
        assignment = self._ledger.runner.write(take_task, SERVICE, task)
        assert assignment is not None
        return assignment.work

    def finish(self, node: Node, work: str, **changes: object) -> None:
        report = ReportOutcome(
            node_uuid=node.uuid, incarnation=self._incarnation, work=work, outcome=Outcome(changes=changes)
        )
        self._ledger.runner.write(report_outcome, SERVICE, report)

    def fail(self, node: Node, work: str, reason: str) -> None:
        report = ReportFailure(node_uuid=node.uuid, incarnation=self._incarnation, work=work, reason=reason)
        self._ledger.runner.write(report_failure, SERVICE, report)


@pytest.fixture
def worker(ledger: Ledger) -> Worker:
    return Worker(ledger)


@pytest.fixture
def node(ledger: Ledger, worker: Worker) -> Node:
    return ledger.enrol(resource_class="gold", automated_clean=False)


@pytest.fixture
def built(ledger: Ledger, node: Node) -> ServerView:
    """A server that a conductor is to deploy."""
    return launch(ledger, node_flavor(ledger, "gold"))


def found(ledger: Ledger, **query: object) -> list[str]:
    asked = ServerQuery(**{"every_project": True, **query})  # type: ignore[arg-type]
    return [view.server.name for view in ledger.runner.read(list_servers, SERVICE, asked)]


def leaving(ledger: Ledger) -> list[str]:
    return ledger.runner.read(list_leaving, SERVICE, ListLeaving(count_max=10))


def test_a_server_is_active_once_its_node_is(ledger: Ledger, worker: Worker, node: Node, built: ServerView) -> None:
    assert built.status == "BUILD"
    worker.finish(node, worker.take(node), power_state=states.POWER_ON)
    after = look(ledger, built)
    assert (after.status, after.fault) == ("ACTIVE", None)
    assert after.launched_at is not None
    assert found(ledger, statuses=("ACTIVE",)) == ["server"]
    assert found(ledger, statuses=("BUILD", "ERROR")) == []


def test_a_server_whose_deployment_fails_says_why(
    ledger: Ledger, worker: Worker, node: Node, built: ServerView
) -> None:
    worker.fail(node, worker.take(node), "the disk is full")
    after = look(ledger, built)
    assert (after.status, after.fault) == ("ERROR", "Failed to deploy: the disk is full")


def test_a_server_that_goes_tears_its_node_down(ledger: Ledger, worker: Worker, node: Node, built: ServerView) -> None:
    worker.finish(node, worker.take(node), power_state=states.POWER_ON)
    delete(ledger, built)
    with pytest.raises(ServerNotFound):
        look(ledger, built)
    assert ledger.node(node).provision_state == states.DELETING
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}
    worker.finish(node, worker.take(node), power_state=states.POWER_OFF)
    after = ledger.node(node)
    assert (after.provision_state, after.instance_uuid) == (states.AVAILABLE, None)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}
    assert ledger.store.read(lambda tx: claim_views.of_consumer(tx, built.server.uuid)) == []


def test_a_server_whose_node_is_busy_goes_as_soon_as_it_can(
    ledger: Ledger, worker: Worker, node: Node, built: ServerView
) -> None:
    work = worker.take(node)
    delete(ledger, built)
    assert (look(ledger, built).leaving, leaving(ledger)) == (True, [])
    worker.finish(node, work, power_state=states.POWER_ON)
    assert leaving(ledger) == [built.server.uuid]
    assert ledger.runner.write(end_leaving, SERVICE, OneServer(uuid=built.server.uuid, guard=anyone))
    assert ledger.node(node).provision_state == states.DELETING
    assert leaving(ledger) == []


def test_a_server_whose_node_was_removed_is_lost_and_can_be_deleted(
    ledger: Ledger, worker: Worker, node: Node, built: ServerView
) -> None:
    worker.finish(node, worker.take(node), power_state=states.POWER_ON)
    ledger.runner.write(set_maintenance, SERVICE, SetMaintenance(ident=node.uuid, guard=allow, on=True))
    ledger.runner.write(delete_node, SERVICE, DeleteNode(ident=node.uuid, guard=allow))
    after = look(ledger, built)
    assert (after.status, after.fault) == ("ERROR", "The bare-metal node of this server was taken from it.")
    delete(ledger, built)
    assert found(ledger) == []


def test_a_server_that_is_a_node_can_be_switched(ledger: Ledger, worker: Worker, node: Node, built: ServerView) -> None:
    worker.finish(node, worker.take(node), power_state=states.POWER_ON)
    switch(ledger, built, "os-stop", states.POWER_OFF)
    worker.finish(node, worker.take(node), power_state=states.POWER_OFF)
    assert look(ledger, built).status == "SHUTOFF"
    assert found(ledger, statuses=("SHUTOFF",)) == ["server"]


def test_a_server_on_a_compute_host_cannot_be_switched_from_here(ledger: Ledger) -> None:
    host(ledger)
    with pytest.raises(ServerHasNoMachine, match="os-stop"):
        switch(ledger, launch(ledger, flavor(ledger)), "os-stop", states.POWER_OFF)


def switch(ledger: Ledger, view: ServerView, action: str, target: str) -> None:
    command = SwitchServer(uuid=view.server.uuid, guard=anyone, action=action, target=target, validate=any_settings)
    ledger.runner.write(switch_server, SERVICE, command)


def test_a_guard_keeps_strangers_off(ledger: Ledger) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger))

    def refuse(server: Server) -> None:
        raise Forbidden(resource=server.uuid)

    with pytest.raises(Forbidden):
        ledger.runner.write(delete_server, SERVICE, OneServer(uuid=made.server.uuid, guard=refuse))
    assert look(ledger, made).status == "ACTIVE"


def test_a_server_gets_another_name(ledger: Ledger) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger))
    command = ChangeServer(uuid=made.server.uuid, guard=anyone, edit=lambda server: ("other", {"metadata": {"a": "b"}}))
    after = ledger.runner.write(change_server, SERVICE, command)
    assert (after.server.name, after.server.properties) == ("other", {"metadata": {"a": "b"}})


def test_a_list_has_filters_and_pages(ledger: Ledger) -> None:
    host(ledger, "compute-1", vcpus=3)
    small, other = flavor(ledger, name="s%m"), flavor(ledger, name="s_m")
    for name, size in (("one", small), ("two", other), ("a_b", small), ("acb", small)):
        launch(ledger, size, name=name)
    assert found(ledger) == ["acb", "a_b", "two", "one"]
    assert found(ledger, flavor="s%m") == ["acb", "a_b", "one"]
    assert found(ledger, name="A_B") == ["a_b"]
    assert found(ledger, host="compute-1", statuses=("ACTIVE",)) == ["a_b", "two", "one"]
    assert found(ledger, statuses=("ERROR",)) == ["acb"]
    assert found(ledger, every_project=False, project="q") == []
    assert found(ledger, sort_key="name", descending=False, limit=2) == ["a_b", "acb"]
    first = ledger.runner.read(list_servers, SERVICE, ServerQuery(every_project=True, limit=2))
    assert found(ledger, marker=first[-1].server.uuid) == ["two", "one"]
    with pytest.raises(BadValue, match="marker"):
        found(ledger, marker=str(uuid.uuid4()))


def test_a_list_takes_as_many_statements_for_many_servers_as_for_one(ledger: Ledger) -> None:
    host(ledger, vcpus=50)
    size = flavor(ledger)
    launch(ledger, size)
    few = statements(ledger, lambda: found(ledger))
    for _ in range(10):
        launch(ledger, size)
    assert statements(ledger, lambda: found(ledger)) == few
