"""A running conductor: its threads, and the order in which it looks for work."""

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from dibs.allocations.model.events import AllocationQueued, AllocationWaits
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.conductor import retention
from dibs.conductor.allocations import AllocationWorker
from dibs.conductor.deferred_deletes import finish_deferred_deletes
from dibs.conductor.events.notifications import NotificationWorker, Notifier
from dibs.conductor.events.publishing import publish_events
from dibs.conductor.events.webhooks import Sender, WebhookWorker
from dibs.conductor.expiry import end_allocations, expire_holds
from dibs.conductor.leases import LeaseWorker
from dibs.conductor.outbox import OutboxRunner
from dibs.conductor.periodic import PeriodicTask
from dibs.conductor.registration import Identity, Registration
from dibs.conductor.retention import KEEP_ALL, Retention, RetentionDays
from dibs.conductor.rounds import Step, run_steps
from dibs.conductor.session import Session
from dibs.conductor.tasks import TaskWorker
from dibs.conductor.threads import WatchedThread, note_progress
from dibs.database.runner import Runner
from dibs.leases.model.enforcement import Enforcement
from dibs.leases.model.events import LeaseChanged
from dibs.leases.model.outbox import ComputeService
from dibs.ledger.model.events import CapacityFreed
from dibs.machines.model.conductors import TIMEOUT_SECONDS, after
from dibs.machines.model.driver import Driver
from dibs.machines.model.events import TaskQueued

STOP_SECONDS = 10
"""Time for the threads of a conductor to finish when it stops."""

CHECKS_PER_TAKE_OVER = 10
"""How often within a take-over period a conductor checks for failed ones.

The timeout takes at most half of the period and the check a tenth; the rest is left for the work itself.
"""

PROMISE_SECONDS = 2
"""How often the promised starts of waiting allocations are compared with a new forecast."""

logger = logging.getLogger(__name__)


class Worker(Protocol):
    """Works in threads of its own."""

    def close(self, seconds: float) -> bool:
        """Begin nothing new, and wait for what is in work; return False when something goes on."""


class Conductor:
    """Does the work of one registered name until it is stopped or another process registers under the name.

    The work of a failed conductor is finished or begun anew within ``take_over_seconds`` of its failure, if its timeout
    is at most half of that; 0 turns take-over off. ``poll_seconds`` is how often a conductor looks for work that
    another process may have queued. ``clock`` measures intervals, in microseconds. ``compute`` keeps the flavors and
    servers of leases when Dibs does not, and ``enforcement`` is notified when leases end. ``sender`` posts the
    events of webhooks; without one, they wait for another conductor. ``notifier`` sends events to a message broker.
    """

    def __init__(
        self,
        runner: Runner,
        drivers: Mapping[str, Driver],
        clock: Callable[[], int],
        *,
        hostname: str,
        group: str = "",
        workers: int = 32,
        heartbeat_seconds: float = 10,
        timeout_seconds: float = TIMEOUT_SECONDS,
        take_over_seconds: float = 60,
        poll_seconds: float = 0.5,
        reassignment_seconds: float = 10,
        cleaning_minutes: int = 0,
        before_start_minutes: int = 0,
        lifetime_rules: LifetimeRules | None = None,
        retention_days: RetentionDays = KEEP_ALL,
        sender: Sender | None = None,
        notifier: Notifier | None = None,
        compute: ComputeService | None = None,
        enforcement: Enforcement | None = None,
        rpc_url: str | None = None,
    ) -> None:
        self._runner = runner = runner.observed(note_progress)
        self._hostname = hostname
        self._clock = clock
        self._take_over_seconds, self._checked_for_failed_at = take_over_seconds, 0
        self._registration = Registration(
            runner,
            clock,
            Identity(
                hostname=hostname, group=group, drivers=tuple(drivers), timeout_seconds=timeout_seconds, rpc_url=rpc_url
            ),
            heartbeat_seconds=heartbeat_seconds,
            retry_seconds=poll_seconds,
            registered=self._wake_for_everything,
        )
        self._tasks = TaskWorker(runner, drivers, hostname, self.wake, threads=workers)
        self._allocations = AllocationWorker(runner, hostname, self.wake, lifetime_rules or LifetimeRules())
        self._dispatcher = self._periodic_task("dispatch", self._poll, poll_seconds, self._start_queued_work)
        # Many leases may begin in the same minute, and other services may be slow: work on nodes must not wait.
        leases = LeaseWorker(
            runner,
            clock,
            reassignment_seconds=reassignment_seconds,
            cleaning_minutes=cleaning_minutes,
            before_start_minutes=before_start_minutes,
        )
        self._lease_tasks = [self._periodic_task("leases", leases.run, poll_seconds)]
        self._add_outbox(compute, enforcement, poll_seconds)
        self._periodic = [
            self._dispatcher,
            *self._lease_tasks,
            self._periodic_task("promises", partial(self._run, self._allocations.update_promises), PROMISE_SECONDS),
            self._periodic_task("events", partial(publish_events, runner), poll_seconds),
            self._periodic_task("retention", Retention(runner, retention_days).run, retention.POLL_SECONDS),
        ]
        self._workers: list[Worker] = [self._tasks, self._allocations]
        self._add_receivers(sender, notifier, poll_seconds)

    @property
    def running(self) -> bool:
        """False once it was stopped, or another process registered under its name."""
        return self._registration.active

    @property
    def incarnation(self) -> str | None:
        """The incarnation that this process is registered as; None while it is not registered."""
        session = self._registration.session
        return None if session is None or session.ended.is_set() else session.incarnation

    def start(self) -> None:
        """Register and start every thread. Without a database, the conductor registers once it can be reached."""
        self._checked_for_failed_at = self._clock()
        # These two only say what to look for: the caller that queued the work wakes the conductor.
        self._runner.subscribe(TaskQueued, self._tasks.notice)
        self._runner.subscribe(AllocationQueued, self._allocations.notice_queued)
        self._runner.subscribe(CapacityFreed, self._wake_if_allocations_wait)
        self._runner.subscribe(AllocationWaits, self._wake_for_the_queue)
        for task in self._lease_tasks:
            self._runner.subscribe(LeaseChanged, task.wake)
        self._registration.start()
        for task in self._periodic:
            task.start()

    def wake(self) -> None:
        """Look for work now: this process has just queued some."""
        self._dispatcher.wake()

    def problems(self) -> list[str]:
        """Return a sentence for each thread that hangs or has died."""
        return [problem for thread in self._threads if self.running and (problem := thread.problem())]

    def stop(self) -> None:
        """Start no new work, interrupt the work in progress, which a conductor restarts later, and sign off.

        This takes ``STOP_SECONDS`` at most, whatever hangs: a thread that goes on ends with the process.
        """
        deadline = time.monotonic() + STOP_SECONDS
        self._registration.stop()
        for task in self._periodic:
            task.stop()
        ended = [thread.join_until(deadline) for thread in self._threads]
        self._registration.end_session()
        for worker in self._workers:
            ended.append(worker.close(max(0.0, deadline - time.monotonic())))
        if not all(ended):
            logger.error("conductor %s stops although work in its threads goes on", self._hostname)
        self._registration.sign_off(deadline)

    @property
    def _threads(self) -> list[WatchedThread]:
        return [self._registration.thread, *(task.thread for task in self._periodic)]

    def _periodic_task(
        self, name: str, run: Callable[[], object], poll_seconds: float, woken: Callable[[], object] | None = None
    ) -> PeriodicTask:
        return PeriodicTask(
            f"{name}-{self._hostname}", run, registered=self._is_registered, poll_seconds=poll_seconds, woken=woken
        )

    def _add_outbox(self, compute: ComputeService | None, enforcement: Enforcement | None, poll_seconds: float) -> None:
        if compute is not None or enforcement is not None:
            outbox = OutboxRunner(self._runner, compute, enforcement)
            self._lease_tasks.append(self._periodic_task("outbox", outbox.run, poll_seconds))

    def _add_receivers(self, sender: Sender | None, notifier: Notifier | None, poll_seconds: float) -> None:
        """Add the threads that pass events on. A slow receiver delays neither the other kind nor the work on nodes."""
        if sender is not None:
            webhooks = WebhookWorker(self._runner, sender, self._hostname)
            self._periodic.append(self._periodic_task("webhooks", webhooks.run, poll_seconds))
            self._workers.append(webhooks)
        if notifier is not None:
            notifications = NotificationWorker(self._runner, notifier)
            self._periodic.append(self._periodic_task("notifications", notifications.run, poll_seconds))

    def _poll(self) -> None:
        """Do what time brings, and start queued work: the tasks that the first four steps create are started too."""
        self._run(
            self._expire_holds,
            self._end_allocations,
            self._finish_deferred_deletes,
            self._take_over,
            self._allocations.notice_events,
            self._tasks.dispatch,
            self._allocations.dispatch,
        )

    def _start_queued_work(self) -> None:
        """React to a wake-up, which says that work was queued or a node became free."""
        self._run(self._tasks.dispatch_queued, self._allocations.dispatch_queued)

    def _run(self, *steps: Step) -> None:
        session = self._registration.session
        if session is not None:
            run_steps(steps, session)

    def _is_registered(self) -> bool:
        return self.incarnation is not None

    def _wake_for_everything(self) -> None:
        """Wake up after a registration: other processes may have queued work for this name meanwhile."""
        self._tasks.notice()
        self._allocations.notice_queued()
        self.wake()

    def _wake_if_allocations_wait(self) -> None:
        """Wake up for a freed node. An allocation that began to wait after the last look woke the conductor itself."""
        if self._allocations.any_waiting:
            self._wake_for_the_queue()

    def _wake_for_the_queue(self) -> None:
        self._allocations.notice()
        self.wake()

    def _expire_holds(self, session: Session) -> None:
        if expire_holds(self._runner):
            # An allocation may wait for these nodes, and more holds may have expired.
            self.wake()

    def _end_allocations(self, session: Session) -> None:
        end_allocations(self._runner)

    def _finish_deferred_deletes(self, session: Session) -> None:
        finish_deferred_deletes(self._runner)

    def _take_over(self, session: Session) -> None:
        """Take the work of failed conductors, several times within each take-over period."""
        now = self._clock()
        if not self._take_over_seconds:
            return
        if now < after(self._checked_for_failed_at, self._take_over_seconds / CHECKS_PER_TAKE_OVER):
            return
        self._checked_for_failed_at = now
        self._allocations.take_over(session)
        self._tasks.take_over(session)
