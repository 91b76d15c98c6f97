"""A running conductor: its threads, and what happens when the database or its name is lost."""

import logging
import threading
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from dibs.access.access import SERVICE
from dibs.conductor.allocations import AllocationWorker
from dibs.conductor.deferred_deletes import Leaving
from dibs.conductor.expiry import Expiry
from dibs.conductor.leases import LeaseKeeper
from dibs.conductor.outbox import OutboxRunner
from dibs.conductor.periodic import Chore
from dibs.conductor.session import Session
from dibs.conductor.worker import Worker
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.leases.model.enforcement import Enforcement
from dibs.leases.model.outbox import ComputeService
from dibs.ledger.model.events import CapacityFreed
from dibs.machines.model.conductors import TIMEOUT_SECONDS, after
from dibs.machines.model.driver import Driver
from dibs.machines.model.errors import ConductorReplaced
from dibs.machines.operations.conductors import Heartbeat, RegisterConductor, record_heartbeat, register_conductor
from dibs.machines.operations.tasks import ListDue, TakeOver, TakeTask, list_due, list_orphans, take_over_task

LOOKS_PER_TAKE_OVER = 10
"""How often within a take-over period the dead are looked for.

The time-out takes at most half of the period and the look a tenth, so that the rest is left for the work itself.
"""

logger = logging.getLogger(__name__)


class Conductor:
    """Works off the tasks and allocations of one registered name, with bounded threads, until stopped or replaced.

    What a conductor leaves behind that dies is done or begun anew within ``take_over_seconds`` of its death, if its own
    time-out is at most half of that; 0 leaves the work of the dead alone. ``poll_seconds`` is how often it looks for
    work that another process may have queued; ``rpc_url`` is where this process takes calls, if it does; ``compute``
    keeps the flavors and servers of leases when we do not, and ``enforcement`` is told when leases end.
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
        compute: ComputeService | None = None,
        enforcement: Enforcement | None = None,
        rpc_url: str | None = None,
    ) -> None:
        self._runner = runner
        self._drivers = drivers
        self._clock = clock
        self._hostname = hostname
        self._group = group
        self._workers = workers
        self._heartbeat_seconds = heartbeat_seconds
        self._timeout_seconds = timeout_seconds
        self._take_over_seconds = take_over_seconds
        self._poll_seconds = poll_seconds
        self._rpc_url = rpc_url
        self._worker = Worker(runner, drivers)
        self._expiry = Expiry(runner)
        self._leaving = Leaving(runner)
        self._allocations = AllocationWorker(runner, hostname, self.wake)
        # Many leases may begin in the same minute, and external services may be slow: machines must not wait for them.
        keeper = LeaseKeeper(
            runner, clock, reassignment_seconds=reassignment_seconds, cleaning_minutes=cleaning_minutes
        )
        chores: dict[str, Callable[[], object]] = {"leases": keeper.run}
        if compute is not None or enforcement is not None:
            chores["outbox"] = OutboxRunner(runner, compute, enforcement).run
        self._chores = [
            Chore(f"{name}-{hostname}", do, registered=self._is_registered, poll_seconds=poll_seconds)
            for name, do in chores.items()
        ]
        self._session: Session | None = None
        self._beat_at = 0
        self._looked_for_dead_at = 0
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self._busy: set[str] = set()
        self._busy_lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=f"dibs-work-{hostname}")
        self._threads = [
            threading.Thread(target=self._beat_forever, name=f"dibs-beat-{hostname}", daemon=True),
            threading.Thread(target=self._dispatch_forever, name=f"dibs-dispatch-{hostname}", daemon=True),
        ]

    @property
    def running(self) -> bool:
        """False once it was stopped, or another process took its name."""
        return not self._stopping.is_set()

    @property
    def incarnation(self) -> str | None:
        """What this process is registered as just now; None while it is not."""
        session = self._session
        return None if session is None or session.ended.is_set() else session.incarnation

    def _is_registered(self) -> bool:
        return self.incarnation is not None

    def start(self) -> None:
        """Register and begin to work. When the database is away, that happens as soon as it is back."""
        self._looked_for_dead_at = self._clock()
        self._runner.subscribe(CapacityFreed, self._hear_of_free_node)
        self._try_to_beat()
        for thread in self._threads:
            thread.start()
        for chore in self._chores:
            chore.start()

    def wake(self) -> None:
        """Look for work now: somebody in this process has just queued some."""
        self._woken.set()

    def _hear_of_free_node(self) -> None:
        """Somebody may be waiting for it. When nobody was at the last look, whoever came since is looked at anyway."""
        if self._allocations.any_waiting:
            self.wake()

    def stop(self) -> None:
        """Begin nothing new, interrupt what runs, and leave in good order; what was interrupted is begun anew later."""
        self._stopping.set()
        self._woken.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        for chore in self._chores:
            chore.stop()
        self._end_session()
        self._pool.shutdown()
        self._allocations.close()
        if self._session is not None:
            self._leave(self._session)

    # --- staying alive ---

    def _beat_forever(self) -> None:
        while not self._stopping.wait(self._heartbeat_seconds if self._session else self._poll_seconds):
            self._try_to_beat()

    def _try_to_beat(self) -> None:
        try:
            self._register_or_beat()
        except ConductorReplaced as replaced:
            logger.error("%s", replaced)
            self._stopping.set()
            self._woken.set()
            self._end_session()
            self._session = None
        except (StoreUnavailable, StoreContended):
            # By now the others take us for dead and may begin our work themselves, so we must not go on with it.
            if self._session and after(self._beat_at, self._timeout_seconds) < self._clock():
                logger.error("conductor %s could not beat for too long and interrupts its work", self._hostname)
                self._end_session()
                self._session = None
        except Exception:
            logger.exception("conductor %s could not beat", self._hostname)

    def _register_or_beat(self) -> None:
        now = self._clock()
        if self._session is None:
            session = Session(str(uuid.uuid4()))
            registration = RegisterConductor(
                hostname=self._hostname,
                group=self._group,
                drivers=tuple(self._drivers),
                incarnation=session.incarnation,
                timeout_seconds=self._timeout_seconds,
                rpc_url=self._rpc_url,
            )
            self._runner.write(register_conductor, SERVICE, registration)
            self._session = session
            logger.info("conductor %s is registered", self._hostname)
            self.wake()
        else:
            command = Heartbeat(
                hostname=self._hostname,
                incarnation=self._session.incarnation,
                timeout_seconds=self._timeout_seconds,
            )
            self._runner.write(record_heartbeat, SERVICE, command)
        self._beat_at = now

    def _end_session(self) -> None:
        if self._session is not None:
            self._session.ended.set()

    def _leave(self, session: Session) -> None:
        try:
            command = Heartbeat(hostname=self._hostname, incarnation=session.incarnation, online=False)
            self._runner.write(record_heartbeat, SERVICE, command)
        except (ConductorReplaced, StoreUnavailable, StoreContended) as error:
            logger.warning("conductor %s stopped without signing off: %s", self._hostname, error)

    # --- finding work ---

    def _dispatch_forever(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait(self._poll_seconds)
            self._woken.clear()
            session = self._session
            if session is None or self._stopping.is_set():
                continue
            try:
                # What is over is over at once; a take-over may find much to do.
                if self._expiry.run():
                    # Somebody may be waiting for the nodes that are free now, and more holds may be over.
                    self.wake()
                # The tear-downs that this begins are found right below.
                self._leaving.run()
                self._take_over(session)
                self._dispatch(session)
                self._allocations.dispatch(session)
            except (StoreUnavailable, StoreContended, ConductorReplaced):
                # The store says once that the database is away, and the next heartbeat says that we were replaced.
                self._stopping.wait(self._poll_seconds)
            except Exception:
                logger.exception("conductor %s could not look for work", self._hostname)
                self._stopping.wait(self._poll_seconds)

    def _dispatch(self, session: Session) -> None:
        with self._busy_lock:
            busy = set(self._busy)
        if len(busy) >= self._workers:
            return
        # What is being taken just now is still listed as due, so ask for enough to find others behind it.
        command = ListDue(incarnation=session.incarnation, count_max=self._workers)
        for node_uuid in self._runner.read(list_due, SERVICE, command):
            if node_uuid not in busy and len(busy) < self._workers:
                busy.add(node_uuid)
                with self._busy_lock:
                    self._busy.add(node_uuid)
                self._pool.submit(self._work_on, node_uuid, session)

    def _work_on(self, node_uuid: str, session: Session) -> None:
        try:
            if not session.ended.is_set():
                self._worker.work_on(node_uuid, session)
            # There may be more work than threads.
            self._woken.set()
        except Exception:
            logger.exception("the work on node %s broke", node_uuid)
        finally:
            with self._busy_lock:
                self._busy.discard(node_uuid)

    def _take_over(self, session: Session) -> None:
        """Every now and then, take the work of dead conductors."""
        now = self._clock()
        if not self._take_over_seconds:
            return
        if now < after(self._looked_for_dead_at, self._take_over_seconds / LOOKS_PER_TAKE_OVER):
            return
        self._looked_for_dead_at = now
        self._allocations.take_over(session)
        search = TakeOver(incarnation=session.incarnation)
        for node_uuid in self._runner.read(list_orphans, SERVICE, search):
            command = TakeTask(node_uuid=node_uuid, incarnation=session.incarnation)
            if self._runner.write(take_over_task, SERVICE, command):
                logger.warning("conductor %s takes over the work on node %s", self._hostname, node_uuid)
