"""Run the task of one node: take it, run the driver, report the outcome."""

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
"""How long to wait before a report is retried while the database cannot be reached."""

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class TaskRunner:
    """Runs tasks with the drivers of this conductor. Any number of threads may use it."""

    def __init__(self, runner: Runner, drivers: Mapping[str, Driver]) -> None:
        self._runner = runner
        self._drivers = drivers

    def run(self, node_uuid: str, session: Session) -> None:
        """Do all the work that is due on a node. After any error the task has ended, has failed or is released."""
        task = TakeTask(node_uuid=node_uuid, incarnation=session.incarnation)
        try:
            assignment = self._runner.write(take_task, SERVICE, task)
            while assignment is not None:
                assignment = self._run_assignment(assignment, session)
        except TaskLost as lost:
            logger.warning("%s", lost)
        except Interrupted:
            logger.info("the work on node %s is interrupted and will be begun anew", node_uuid)
        except (StoreUnavailable, StoreContended):
            logger.debug("the work on node %s is retried when the database is available", node_uuid)
        else:
            return
        self._release(task, session)

    def _run_assignment(self, assignment: Assignment, session: Session) -> Assignment | None:
        node, work = assignment.node, assignment.work
        logger.info("node %s: %s begins", node.uuid, work)
        try:
            outcome = self._run_driver(assignment, session)
            report = ReportOutcome(node_uuid=node.uuid, incarnation=session.incarnation, work=work, outcome=outcome)
            following = self._report(lambda: self._runner.write(report_outcome, SERVICE, report), session)
        except (Interrupted, DibsError):
            raise
        except DriverFailure as failure:
            self._fail(assignment, session, str(failure))
            return None
        except Exception:
            logger.exception("node %s: %s failed unexpectedly", node.uuid, work)
            self._fail(assignment, session, "an unexpected error; the log of the conductor has the details")
            return None
        logger.info("node %s: %s %s", node.uuid, work, "is done" if outcome.finished else "waits")
        return following

    def _run_driver(self, assignment: Assignment, session: Session) -> Outcome:
        driver = self._drivers.get(assignment.node.driver)
        if driver is None:
            raise DriverFailure(f"this conductor does not have the driver {assignment.node.driver}")
        return driver.run(assignment.node, assignment.work, assignment.arguments, assignment.progress, session.pause)

    def _fail(self, assignment: Assignment, session: Session, reason: str) -> None:
        logger.warning("node %s: %s failed: %s", assignment.node.uuid, assignment.work, reason)
        report = ReportFailure(
            node_uuid=assignment.node.uuid, incarnation=session.incarnation, work=assignment.work, reason=reason
        )
        self._report(lambda: self._runner.write(report_failure, SERVICE, report), session)

    def _release(self, task: TakeTask, session: Session) -> None:
        """Release a task that may still be this conductor's. An ended session tries once; a take-over follows."""
        try:
            self._report(lambda: self._runner.write(release_task, SERVICE, task), session)
        except (Interrupted, StoreUnavailable, StoreContended):
            logger.debug("the task of node %s was not released", task.node_uuid)

    def _report(self, write: Callable[[], Result], session: Session) -> Result:
        """Retry a write until the database can be reached: the result of work on hardware must not be lost.

        The first attempt may have been committed although it raised; then the next one raises TaskLost.
        """
        while True:
            try:
                return write()
            except (StoreUnavailable, StoreContended):
                session.pause(RETRY_SECONDS)
