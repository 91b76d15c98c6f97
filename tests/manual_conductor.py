"""A conductor whose tasks the test takes and finishes one by one."""

import uuid

from dibs.access.access import SERVICE
from dibs.machines.model.driver import Outcome
from dibs.machines.model.nodes import Node
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.tasks import (
    ReportFailure,
    ReportOutcome,
    TakeTask,
    report_failure,
    report_outcome,
    take_task,
)
from tests.builders import Ledger


class ManualConductor:
    """A registered conductor without threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._incarnation = str(uuid.uuid4())
        command = RegisterConductor(
            hostname="conductor-1", group="", drivers=("fake-hardware",), incarnation=self._incarnation
        )
        ledger.runner.write(register_conductor, SERVICE, command)

    def take(self, node: Node) -> str:
        """Take the task of a node and return its kind of work."""
        task = TakeTask(node_uuid=node.uuid, incarnation=self._incarnation)
        assignment = self._ledger.runner.write(take_task, SERVICE, task)
        assert assignment is not None
        return assignment.work

    def finish(self, node: Node, work: str, **changes: object) -> None:
        """Report that the work succeeded."""
        report = ReportOutcome(
            node_uuid=node.uuid, incarnation=self._incarnation, work=work, outcome=Outcome(changes=changes)
        )
        self._ledger.runner.write(report_outcome, SERVICE, report)

    def fail(self, node: Node, work: str, reason: str) -> None:
        """Report that the work failed."""
        report = ReportFailure(node_uuid=node.uuid, incarnation=self._incarnation, work=work, reason=reason)
        self._ledger.runner.write(report_failure, SERVICE, report)
