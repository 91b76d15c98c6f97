"""Does the work on one node: take the task, run the driver, report."""

import logging
from collections.abc import Callable, Mapping
from typing import TypeVar

from dibs.access.access import SERVICE
from dibs.conductor.session import Session
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.errors import DibsError
from dibs.machines.model.driver import Driver, DriverFailure, Interrupted, Outcome
from dibs.machines.model.errors import TaskLost
from dibs.machines.operations.tasks import (
    Assignment,
    ReportFailure,
    ReportOutcome,
    TakeTask,
    release_task,
    report_failure,
    report_outcome,
    take_task,
)

RETRY_SECONDS = 0.5
"""How long to wait before telling a database that was away again."""

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class Worker:
    """Works on nodes with the drivers that it has. Any number of threads may use it."""

    def __init__(self, runner: Runner, drivers: Mapping[str, Driver]) -> None:
        self._runner = runner
        self._drivers = drivers

    def work_on(self, node_uuid: str, session: Session) -> None:
        """Do all that is to be done to a node now. Whatever goes wrong, the task ends, fails or is free for others."""
        task = TakeTask(node_uuid=node_uuid, incarnation=session.incarnation)
        try:
            assignment = self._runner.write(take_task, SERVICE, task)
            while assignment is not None:
                assignment = self._do(assignment, session)
        except TaskLost as lost:
            logger.warning("%s", lost)
        except Interrupted:
            logger.info("interrupted the work on node %s; it will be begun anew", node_uuid)
        except (StoreUnavailable, StoreContended):
            logger.debug("the work on node %s waits for the database", node_uuid)
        else:
            return
        self._give_back(task, session)

    def _do(self, assignment: Assignment, session: Session) -> Assignment | None:
        node, work = assignment.node, assignment.work
        logger.info("node %s: %s begins", node.uuid, work)
        try:
            outcome = self._run(assignment, session)
            report = ReportOutcome(node_uuid=node.uuid, incarnation=session.incarnation, work=work, outcome=outcome)
            following = self._until_told(lambda: self._runner.write(report_outcome, SERVICE, report), session)
        except (Interrupted, DibsError):
            raise
        except DriverFailure as failure:
            self._fail(assignment, session, str(failure))
            return None
        except Exception:
            logger.exception("node %s: %s broke", node.uuid, work)
            self._fail(assignment, session, "an unexpected error; the log of the conductor has the details")
            return None
        logger.info("node %s: %s %s", node.uuid, work, "is done" if outcome.finished else "waits")
        return following

    def _run(self, assignment: Assignment, session: Session) -> Outcome:
        driver = self._drivers.get(assignment.node.driver)
        if driver is None:
            raise DriverFailure(f"this conductor does not have the driver {assignment.node.driver}")
        return driver.run(assignment.node, assignment.work, assignment.arguments, assignment.progress, session.pause)

    def _fail(self, assignment: Assignment, session: Session, reason: str) -> None:
        logger.warning("node %s: %s failed: %s", assignment.node.uuid, assignment.work, reason)
        report = ReportFailure(
            node_uuid=assignment.node.uuid, incarnation=session.incarnation, work=assignment.work, reason=reason
        )
        self._until_told(lambda: self._runner.write(report_failure, SERVICE, report), session)

    def _give_back(self, task: TakeTask, session: Session) -> None:
        """Free a task that may still be ours. Once the session has ended one try must do: the next takes it anyway."""
        try:
            self._until_told(lambda: self._runner.write(release_task, SERVICE, task), session)
        except (Interrupted, StoreUnavailable, StoreContended):
            logger.debug("the task of node %s could not be given back", task.node_uuid)

    def _until_told(self, tell: Callable[[], Result], session: Session) -> Result:
        """Tell the database, however long it is away: what the hardware did must not be forgotten.

        It may have heard us the first time; then it answers TaskLost, since the task is no longer what it was.
        """
        while True:
            try:
                return tell()
            except (StoreUnavailable, StoreContended):
                session.pause(RETRY_SECONDS)
