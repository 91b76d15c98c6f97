"""The tasks of a failed conductor go to one live conductor, and two conductors never run the same task."""

import threading
import uuid
from collections import Counter

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.allocations.model.allocations import Allocation, AllocationQuery
from dibs.allocations.operations.allocations import delete_allocation, list_allocations
from dibs.allocations.operations.batches import CreateBatch, create_batch
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.allocations.operations.queue import TakeOverAllocations, take_over_allocations
from dibs.conductor import Conductor
from dibs.drivers.fake import FakeDriver
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.driver import Outcome
from dibs.machines.model.errors import TaskLost
from dibs.machines.model.nodes import Json, Node
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.machines.operations.tasks import ReportOutcome, TakeTask, report_outcome, take_over_task, take_task
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.races.crowd import all_at_once

CALLERS = 16
ROUNDS = 5


def register(ledger: Ledger, hostname: str) -> str:
    incarnation = str(uuid.uuid4())
    registration = RegisterConductor(hostname=hostname, group="", drivers=("fake-hardware",), incarnation=incarnation)
    ledger.runner.write(register_conductor, SERVICE, registration)
    return incarnation


def deploy(ledger: Ledger, node: Node) -> Node:
    command = RequestProvision(ident=node.uuid, rules=(), verb="active")
    return ledger.runner.write(request_provision, SERVICE, command)


def test_one_of_many_successors_takes_over_a_task(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ledger.clock.move(TIMEOUT_SECONDS + 1)
        register(ledger, "conductor-1")
        node = deploy(ledger, ledger.enrol())
        ledger.clock.move(TIMEOUT_SECONDS + 1)
        successors = [register(ledger, f"successor-{number}") for number in range(CALLERS)]

        def take_over(number: int, node: Node = node, successors: list[str] = successors) -> bool:
            command = TakeTask(node_uuid=node.uuid, incarnation=successors[number])
            return ledger.runner.write(take_over_task, SERVICE, command)

        answers = all_at_once(CALLERS, take_over)
        assert sorted(answers) == [False] * (CALLERS - 1) + [True], answers
        assert ledger.node(node).reservation == f"successor-{answers.index(True)}"


def test_slow_conductor_either_finishes_or_loses_its_task(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ledger.clock.move(TIMEOUT_SECONDS + 1)
        slow = register(ledger, "conductor-1")
        node = deploy(ledger, ledger.enrol())
        ledger.runner.write(take_task, SERVICE, TakeTask(node_uuid=node.uuid, incarnation=slow))
        ledger.clock.move(TIMEOUT_SECONDS + 1)
        successor = register(ledger, "successor")

        def act(number: int, node: Node = node, slow: str = slow, successor: str = successor) -> object:
            if number % 2:
                command = TakeTask(node_uuid=node.uuid, incarnation=successor)
                return ledger.runner.write(take_over_task, SERVICE, command)
            report = ReportOutcome(node_uuid=node.uuid, incarnation=slow, work="deploy", outcome=Outcome())
            ledger.runner.write(report_outcome, SERVICE, report)
            return "finished"

        answers = all_at_once(2, act)
        finished, taken = answers[0] == "finished", answers[1] is True
        assert finished != taken, answers
        assert finished or isinstance(answers[0], TaskLost), answers
        after = ledger.node(node)
        assert (after.provision_state, after.reservation) == (
            ("active", None) if finished else ("deploying", "successor")
        )


class RecordingDriver(FakeDriver):
    """A fake driver that counts the runs on each node and records two concurrent runs on one node."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.runs: Counter[str] = Counter()
        self.now: Counter[str] = Counter()
        self.clashes: list[str] = []

    def run(self, node: Node, work: str, arguments: Json, progress: Json, pause: object) -> Outcome:
        with self.lock:
            self.runs[node.uuid] += 1
            self.now[node.uuid] += 1
            if self.now[node.uuid] > 1:
                self.clashes.append(node.uuid)
        outcome = super().run(node, work, arguments, progress, pause)  # type: ignore[arg-type]
        with self.lock:
            self.now[node.uuid] -= 1
        return outcome


def test_successors_run_each_task_of_a_failed_conductor_once(ledger: Ledger) -> None:
    nodes = [deploy(ledger, ledger.enrol(driver_info={"fake_delay_deploy": 0.01})) for _ in range(40)]
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    driver = RecordingDriver()
    successors = [
        Conductor(
            ledger.runner,
            {"fake-hardware": driver},
            ledger.clock,
            hostname=f"successor-{number}",
            workers=4,
            heartbeat_seconds=0.1,
            take_over_seconds=1e-6,
            poll_seconds=0.02,
        )
        for number in range(3)
    ]
    try:
        for successor in successors:
            successor.start()
        eventually(lambda: {ledger.node(node).provision_state for node in nodes} == {"active"}, seconds=60)
    finally:
        for successor in successors:
            successor.stop()
    assert driver.clashes == []
    assert driver.runs == {node.uuid: 1 for node in nodes}


def test_one_of_many_successors_takes_over_all_allocations_and_splits_no_batch(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        kind = CreateAllocation(resource_class="gold")
        batches = [ledger.runner.write(create_batch, SERVICE, CreateBatch(kind=kind, count=3)) for _ in range(10)]
        alone = [ledger.runner.write(create_allocation, SERVICE, kind) for _ in range(10)]
        orphaned = [allocation for batch in batches for allocation in batch] + alone
        (failed,) = {allocation.conductor_id for allocation in orphaned}
        ledger.clock.move(TIMEOUT_SECONDS + 1)
        successors = [register(ledger, str(uuid.uuid4())) for _ in range(8)]

        def take(number: int, failed: int | None = failed, successors: list[str] = successors) -> int:
            assert failed is not None
            command = TakeOverAllocations(conductor_id=failed, incarnation=successors[number])
            return ledger.runner.write(take_over_allocations, SERVICE, command)

        assert sorted(all_at_once(8, take)) == [0] * 7 + [len(orphaned)]
        owners = {
            allocation.conductor_id for allocation in every_allocation(ledger) if allocation.state == "allocating"
        }
        assert len(owners) == 1
        assert failed not in owners
        for allocation in orphaned:
            ledger.runner.write(delete_allocation, SERVICE, allocation.uuid)
        ledger.clock.move(TIMEOUT_SECONDS + 1)
        register(ledger, f"next-{uuid.uuid4()}")


def every_allocation(ledger: Ledger) -> list[Allocation]:
    return ledger.runner.read(list_allocations, SERVICE, AllocationQuery(projects=EVERY_PROJECT))
