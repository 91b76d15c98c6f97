"""Start the tasks of one conductor, each in a thread of a bounded pool."""

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial

from dibs.access.access import SERVICE
from dibs.conductor.rounds import attempt
from dibs.conductor.session import Session
from dibs.conductor.task_runner import TaskRunner
from dibs.database.runner import Runner
from dibs.machines.model.driver import Driver
from dibs.machines.operations.tasks import ListDue, TakeTask, list_due, list_orphans, take_over_task

logger = logging.getLogger(__name__)


class TaskWorker:
    """Works on nodes: at most one task of a node, and at most ``threads`` nodes, at a time."""

    def __init__(
        self, runner: Runner, drivers: Mapping[str, Driver], hostname: str, wake: Callable[[], None], *, threads: int
    ) -> None:
        self._runner = runner
        self._tasks = TaskRunner(runner, drivers)
        self._hostname = hostname
        self._wake = wake
        self._threads = threads
        self._in_work: set[str] = set()
        self._queued = threading.Event()
        """Whether there may be a task that was not listed yet."""
        self._queued.set()
        self._any_left = False
        """Whether there may be a task that no thread has begun; then a task that ends wakes the conductor."""
        self._lock = threading.Lock()
        self._running: set[Future[None]] = set()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"dibs-work-{hostname}")

    def notice(self) -> None:
        """Look for tasks at the next wake-up: one was queued, or there is a thread for one."""
        self._queued.set()

    def dispatch_queued(self, session: Session) -> None:
        """Start the tasks that are due, if one was queued in this process since the last look."""
        if self._queued.is_set():
            self.dispatch(session)

    def dispatch(self, session: Session) -> None:
        """Start the tasks that are due, as far as there are threads."""
        self._queued.clear()
        # Until the list is read: a thread that ends meanwhile may be the one for which a task waits.
        self._any_left = True
        with self._lock:
            in_work = set(self._in_work)
        if len(in_work) >= self._threads:
            return
        # A task that a thread is about to take is still listed: ask for enough to see the tasks behind it.
        command = ListDue(incarnation=session.incarnation, count_max=self._threads)
        due = self._runner.read(list_due, SERVICE, command)
        self._any_left = len(due) == self._threads or not in_work.isdisjoint(due)
        for node_uuid in due:
            if node_uuid not in in_work and len(in_work) < self._threads:
                in_work.add(node_uuid)
                with self._lock:
                    self._in_work.add(node_uuid)
                running = self._pool.submit(self._run, node_uuid, session)
                self._running.add(running)
                running.add_done_callback(self._running.discard)

    def take_over(self, session: Session) -> None:
        """Take the tasks of failed conductors."""
        for node_uuid in self._runner.read(list_orphans, SERVICE, session.incarnation):
            command = TakeTask(node_uuid=node_uuid, incarnation=session.incarnation)
            take_over = partial(self._runner.write, take_over_task, SERVICE, command)
            if attempt(f"the take-over of node {node_uuid}", take_over):
                logger.warning("conductor %s takes over the work on node %s", self._hostname, node_uuid)

    def close(self, seconds: float) -> bool:
        """Wait for the tasks in work, which the end of the session interrupts; return False when one goes on."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not wait(set(self._running), timeout=seconds).not_done

    def _run(self, node_uuid: str, session: Session) -> None:
        try:
            if not session.ended.is_set():
                self._tasks.run(node_uuid, session)
        except Exception:
            logger.exception("the work on node %s failed unexpectedly", node_uuid)
        finally:
            with self._lock:
                self._in_work.discard(node_uuid)
            if self._any_left:
                self.notice()
                self._wake()
