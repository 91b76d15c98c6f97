"""Serves allocations for a node: each in a thread, from the search to the node or to the reason why there is none.

Two lists give it work. The line tells whose turn it is among those who wait, so that however many wait, only those are
tried for whom there is a node. The other list has all who want an answer now, and who of those finds only locked nodes
rests for a moment and lets those behind go first.
"""

import logging
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from dibs.access.access import SERVICE
from dibs.allocations.operations.matching import (
    Fail,
    ListDead,
    ListDue,
    Outcome,
    Serve,
    TakeOverAllocations,
    TryNodes,
    fail_order,
    find_nodes,
    judge,
    list_dead,
    list_due_orders,
    take_over_allocations,
    try_nodes,
)
from dibs.allocations.operations.queue import LookAtLine, Order, look_at_line
from dibs.conductor.worker import Session
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.machines.model.errors import InstanceAssociated, NodeClaimed

THREADS = 8
"""Of their own, so that no work on hardware, which may take an hour, keeps an allocation waiting."""

BUSY_MAX = 2 * THREADS

ROUNDS_MAX = 100
"""How often one that always loses its nodes to others looks again before it lets the others go first."""

LOCK_RETRIES = 3
LOCK_RETRY_SECONDS = 1.0
"""As specification 000 has it for nodes that somebody has locked: a passing lock is no reason to fail."""

HOPE_SECONDS = 60.0
"""How often a batch that waits is looked at whether there still are as many nodes as it wants."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rest:
    """Until when an order is left alone, how often it has been tried, and whether it stands in the line meanwhile."""

    until: float
    tries: int = 0
    in_line: bool = False


class Desk:
    """The allocations of one conductor."""

    def __init__(self, runner: Runner, hostname: str, wake: Callable[[], None]) -> None:
        self._runner = runner
        self._hostname = hostname
        self._wake = wake
        self._busy: set[str] = set()
        self._resting: dict[str, _Rest] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=f"dibs-allocations-{hostname}")
        self.anybody_waits = False
        """Whether somebody stood in the line when it was last looked at."""

    def dispatch(self, session: Session) -> None:
        """Begin to serve whose turn it is, and then what is due."""
        look = LookAtLine(incarnation=session.incarnation, count_max=BUSY_MAX)
        turns = self._runner.read(look_at_line, SERVICE, look)
        self.anybody_waits = turns.anybody
        for order in turns.orders:
            self._begin(order, session, turn=True)
        # Those at rest are listed too, so ask for enough to find others behind them.
        due = ListDue(incarnation=session.incarnation, count_max=BUSY_MAX + self._forget_the_rested())
        for order in self._runner.read(list_due_orders, SERVICE, due):
            if not self._rests(order):
                self._begin(order, session, turn=False)

    def take_over(self, session: Session) -> None:
        """Take the allocations of dead conductors."""
        for conductor_id in self._runner.read(list_dead, SERVICE, ListDead()):
            command = TakeOverAllocations(conductor_id=conductor_id, incarnation=session.incarnation)
            if taken := self._runner.write(take_over_allocations, SERVICE, command):
                logger.warning("conductor %s takes over %d allocation(s) from a dead one", self._hostname, taken)

    def close(self) -> None:
        """Wait for what is being served; an allocation is served in moments."""
        self._pool.shutdown()

    # --- who is tried, and when again ---

    def _begin(self, order: Order, session: Session, *, turn: bool) -> None:
        with self._lock:
            if order.key in self._busy or len(self._busy) >= BUSY_MAX:
                return
            self._busy.add(order.key)
        self._pool.submit(self._serve, order, session, turn)

    def _rests(self, order: Order) -> bool:
        with self._lock:
            rest = self._resting.get(order.key)
        if rest is None or rest.until <= time.monotonic():
            return False
        # One that has left the line, since its time is up, is not let rest there.
        return order.waits or not rest.in_line

    def _forget_the_rested(self) -> int:
        """Keep what may still count, though the allocation may have been withdrawn; gives how many that are."""
        long_ago = time.monotonic() - HOPE_SECONDS
        with self._lock:
            self._resting = {key: rest for key, rest in self._resting.items() if rest.until > long_ago}
            return len(self._resting)

    def _note(self, order: Order, outcome: Outcome | None) -> None:
        """An order has been tried; None: it could not be."""
        now = time.monotonic()
        with self._lock:
            tries = self._tries(order)
            self._busy.discard(order.key)
            if outcome is Outcome.SETTLED:
                self._resting.pop(order.key, None)
            elif outcome is Outcome.WAITS:
                self._resting[order.key] = _Rest(until=now + HOPE_SECONDS, in_line=True)
            else:
                tries += outcome is Outcome.LATER
                self._resting[order.key] = _Rest(until=now + LOCK_RETRY_SECONDS, tries=tries)

    def _tries(self, order: Order) -> int:
        rest = self._resting.get(order.key)
        return rest.tries if rest else 0

    # --- one order ---

    def _serve(self, order: Order, session: Session, turn: bool) -> None:
        outcome = None
        try:
            outcome = self._find(order, session)
        except (StoreUnavailable, StoreContended):
            logger.debug("allocation %s waits for the database", order.key)
        except Exception:
            logger.exception("allocation %s broke", order.key)
            self._end(order, session, "an unexpected error; the log of the conductor has the details")
        finally:
            self._note(order, outcome)
        if outcome is Outcome.SETTLED or not turn:
            # There may be more than threads. A turn that came to nothing would be looked at again, for ever.
            self._wake()

    def _find(self, order: Order, session: Session) -> Outcome:
        """Look for nodes and try to take them, until the order is served, waits or fails."""
        with self._lock:
            patient = self._tries(order) < LOCK_RETRIES
        for _ in range(ROUNDS_MAX):
            if session.ended.is_set():
                break
            seed = random.getrandbits(32)
            command = Serve(order=order, incarnation=session.incarnation, seed=seed, patient=patient)
            for nodes in self._runner.read(find_nodes, SERVICE, command):
                if self._try(order, nodes, session) is Outcome.SETTLED:
                    return Outcome.SETTLED
            verdict = self._runner.read(judge, SERVICE, command)
            if isinstance(verdict, str):
                self._fail(order, session, verdict)
                return Outcome.SETTLED
            if verdict is not Outcome.AGAIN:
                return verdict
        return Outcome.LATER

    def _try(self, order: Order, nodes: tuple[str, ...], session: Session) -> Outcome:
        command = TryNodes(order=order, incarnation=session.incarnation, nodes=nodes)
        try:
            return self._runner.write(try_nodes, SERVICE, command)
        except NodeClaimed:
            return Outcome.LOST
        except InstanceAssociated as error:
            # Somebody gave the allocation's uuid to a node as its instance, so that no other node can have it.
            self._fail(order, session, str(error))
            return Outcome.SETTLED

    def _fail(self, order: Order, session: Session, reason: str) -> None:
        self._runner.write(fail_order, SERVICE, Fail(order=order, incarnation=session.incarnation, reason=reason))

    def _end(self, order: Order, session: Session, reason: str) -> None:
        try:
            self._fail(order, session, reason)
        except (StoreUnavailable, StoreContended):
            logger.debug("allocation %s waits for the database", order.key)
