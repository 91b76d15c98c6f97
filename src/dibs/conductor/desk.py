"""Serves requests for a node: each in a thread, from the search to the node or to the reason why there is none."""

import logging
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from dibs.conductor.batches import ROUNDS_MAX, Batches
from dibs.conductor.worker import Session
from dibs.domain.actor import SERVICE
from dibs.domain.errors import InstanceAssociated, NodeClaimed, StoreContended, StoreUnavailable
from dibs.usecases.runner import Runner
from dibs.usecases.serving import (
    ORPHANS_MAX,
    FailRequest,
    ListRequests,
    Outcome,
    ServeRequest,
    TakeOverRequest,
    TryNode,
    fail_request,
    find_nodes,
    judge_request,
    list_due_requests,
    list_orphaned_requests,
    list_waiting_requests,
    take_over_request,
    try_node,
)

THREADS = 8
"""Of their own, so that no work on hardware, which may take an hour, keeps a request waiting."""

BUSY_MAX = 2 * THREADS

Find = Callable[[str, Session], Outcome]
Fail = Callable[[str, Session, str], None]

logger = logging.getLogger(__name__)


class Desk:
    """The requests of one conductor."""

    def __init__(self, runner: Runner, hostname: str, wake: Callable[[], None]) -> None:
        self._runner = runner
        self._hostname = hostname
        self._wake = wake
        self._busy: set[str] = set()
        self._busy_lock = threading.Lock()
        self._after_id = 0
        self._batches = Batches(runner)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=f"dibs-requests-{hostname}")

    def dispatch(self, session: Session) -> None:
        """Begin to serve what is due. Those that wait take turns, so that the first in line do not hide the others."""
        command = ListRequests(incarnation=session.incarnation, count_max=BUSY_MAX, after_id=self._after_id)
        due = self._runner.read(list_due_requests, SERVICE, command)
        waiting = self._runner.read(list_waiting_requests, SERVICE, command)
        self._after_id = waiting[-1][0] if len(waiting) == command.count_max else 0
        for uuid in (*due, *(uuid for _, uuid in waiting)):
            self._begin(uuid, session, self._find, self._fail)
        for batch in self._batches.due(session):
            self._begin(batch, session, self._batches.find, self._batches.fail)

    def take_over(self, session: Session) -> None:
        """Take the requests of dead conductors."""
        command = ListRequests(incarnation=session.incarnation, count_max=ORPHANS_MAX)
        for orphan in self._runner.read(list_orphaned_requests, SERVICE, command):
            take = TakeOverRequest(orphan=orphan, incarnation=session.incarnation)
            if self._runner.write(take_over_request, SERVICE, take):
                logger.warning("conductor %s takes over request %s", self._hostname, orphan.uuid)

    def close(self) -> None:
        """Wait for what is being served; a request is served in moments."""
        self._pool.shutdown()

    def _begin(self, uuid: str, session: Session, find: Find, fail: Fail) -> None:
        with self._busy_lock:
            if uuid in self._busy or len(self._busy) >= BUSY_MAX:
                return
            self._busy.add(uuid)
        self._pool.submit(self._serve, uuid, session, find, fail)

    def _serve(self, uuid: str, session: Session, find: Find, fail: Fail) -> None:
        outcome = Outcome.LATER
        try:
            outcome = find(uuid, session)
        except (StoreUnavailable, StoreContended):
            logger.debug("request %s waits for the database", uuid)
        except Exception:
            logger.exception("request %s broke", uuid)
            self._end(uuid, session, fail, "an unexpected error; the log of the conductor has the details")
        finally:
            with self._busy_lock:
                self._busy.discard(uuid)
        if outcome is Outcome.SETTLED:
            # There may be more requests than threads; one that waits must not wake itself for ever.
            self._wake()

    def _find(self, uuid: str, session: Session) -> Outcome:
        for _ in range(ROUNDS_MAX):
            if session.ended.is_set():
                break
            seed = random.getrandbits(32)
            command = ServeRequest(uuid=uuid, incarnation=session.incarnation, seed=seed)
            for node in self._runner.read(find_nodes, SERVICE, command):
                if self._try(uuid, node, session) is Outcome.SETTLED:
                    return Outcome.SETTLED
            verdict = self._runner.read(judge_request, SERVICE, command)
            if isinstance(verdict, str):
                self._fail(uuid, session, verdict)
                return Outcome.SETTLED
            if verdict is not Outcome.AGAIN:
                return verdict
        return Outcome.LATER

    def _try(self, uuid: str, node: str, session: Session) -> Outcome:
        command = TryNode(uuid=uuid, incarnation=session.incarnation, node=node)
        try:
            return self._runner.write(try_node, SERVICE, command)
        except NodeClaimed:
            return Outcome.LOST
        except InstanceAssociated as error:
            # Somebody gave the request's uuid to a node as its instance, so that no other node can have it.
            self._fail(uuid, session, str(error))
            return Outcome.SETTLED

    def _fail(self, uuid: str, session: Session, reason: str) -> None:
        command = FailRequest(uuid=uuid, incarnation=session.incarnation, reason=reason)
        self._runner.write(fail_request, SERVICE, command)

    def _end(self, uuid: str, session: Session, fail: Fail, reason: str) -> None:
        try:
            fail(uuid, session, reason)
        except (StoreUnavailable, StoreContended):
            logger.debug("request %s waits for the database", uuid)
