"""A node has one task at a time, however many clients request one and however many threads take it."""

import uuid

from dibs.access.access import SERVICE
from dibs.machines.model import states
from dibs.machines.model.driver import Outcome
from dibs.machines.model.errors import NodeLocked, TaskLost
from dibs.machines.model.nodes import Node
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.provisioning import RequestPower, RequestProvision, request_power, request_provision
from dibs.machines.operations.tasks import Assignment, ReportOutcome, TakeTask, report_outcome, take_task
from tests.builders import Ledger
from tests.races.crowd import all_at_once

CALLERS = 16
ROUNDS = 5


def deploy(ledger: Ledger, node: Node) -> Node:
    command = RequestProvision(ident=node.uuid, rules=(), verb="active")
    return ledger.runner.write(request_provision, SERVICE, command)


def power_on(ledger: Ledger, node: Node) -> Node:
    command = RequestPower(ident=node.uuid, rules=(), target=states.POWER_ON)
    return ledger.runner.write(request_power, SERVICE, command)


def register(ledger: Ledger) -> str:
    incarnation = str(uuid.uuid4())
    registration = RegisterConductor(
        hostname="conductor-1", group="", drivers=("fake-hardware",), incarnation=incarnation
    )
    ledger.runner.write(register_conductor, SERVICE, registration)
    return incarnation


def take(ledger: Ledger, node: Node, incarnation: str) -> Assignment | None:
    return ledger.runner.write(take_task, SERVICE, TakeTask(node_uuid=node.uuid, incarnation=incarnation))


def test_one_of_many_concurrent_deploys_of_a_node_is_accepted(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        node = ledger.enrol(resource_class="gold")
        answers = all_at_once(CALLERS, lambda _, node=node: deploy(ledger, node))
        assert sum(isinstance(answer, Node) for answer in answers) == 1, answers
        assert sum(isinstance(answer, NodeLocked) for answer in answers) == CALLERS - 1, answers


def test_one_of_concurrent_deploy_and_power_requests_is_accepted(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        node = ledger.enrol(resource_class="gold")
        answers = all_at_once(CALLERS, lambda n, node=node: (deploy if n % 2 else power_on)(ledger, node))
        assert sum(isinstance(answer, Node) for answer in answers) == 1, answers
        assert sum(isinstance(answer, NodeLocked) for answer in answers) == CALLERS - 1, answers


def test_one_of_many_threads_takes_a_task(ledger: Ledger) -> None:
    incarnation = register(ledger)
    for _ in range(ROUNDS):
        node = deploy(ledger, ledger.enrol())
        answers = all_at_once(CALLERS, lambda _, node=node: take(ledger, node, incarnation))
        assert [isinstance(answer, Assignment) for answer in answers].count(True) == 1, answers
        assert answers.count(None) == CALLERS - 1, answers


def test_only_the_newest_process_of_a_conductor_takes_its_tasks(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        incarnations = [register(ledger) for _ in range(CALLERS)]
        node = deploy(ledger, ledger.enrol())
        answers = all_at_once(
            CALLERS, lambda n, node=node, incarnations=incarnations: take(ledger, node, incarnations[n])
        )
        assert answers[:-1] == [None] * (CALLERS - 1), answers
        assert isinstance(answers[-1], Assignment), answers


def test_one_of_many_concurrent_reports_on_a_task_is_accepted(ledger: Ledger) -> None:
    incarnation = register(ledger)
    for _ in range(ROUNDS):
        node = deploy(ledger, ledger.enrol())
        take(ledger, node, incarnation)
        report = ReportOutcome(node_uuid=node.uuid, incarnation=incarnation, work="deploy", outcome=Outcome())
        answers = all_at_once(CALLERS, lambda _, report=report: ledger.runner.write(report_outcome, SERVICE, report))
        assert answers.count(None) == 1, answers
        assert sum(isinstance(answer, TaskLost) for answer in answers) == CALLERS - 1, answers
        assert ledger.node(node).provision_state == states.ACTIVE
