"""Find nodes for the allocations of one conductor: queue → match → grant → outcome.

Entries that are listed together are matched and granted together, in one transaction. Those that do not get their nodes
so, because there are none, or a node is lost to another transaction, are worked on one by one, each in a thread: an
entry holds up no other one.

Two lists give it work. The ready entries wait, and the simulation of the queue found nodes for them: however many wait,
only those are tried. The due entries do not wait and need an answer now; an entry that finds only locked nodes pauses
for a moment and lets the entries behind it go first.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from dibs.access.access import SERVICE
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry
from dibs.allocations.operations.granting import Choice, FailEntry, GrantNodes, fail_entry, grant_nodes
from dibs.allocations.operations.matching import MatchEntry, MatchTogether, match_entry, match_together
from dibs.allocations.operations.promises import UpdatePromises, update_promises
from dibs.allocations.operations.queue import (
    ListEntries,
    TakeOverAllocations,
    list_due_entries,
    list_failed_conductors,
    list_ready_entries,
    take_over_allocations,
)
from dibs.conductor.entries import EntryTracker
from dibs.conductor.session import Session
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.errors import DibsError
from dibs.events.operations.listing import count_events
from dibs.machines.model.errors import InstanceAssociated, NodeClaimed
from dibs.quotas.model.errors import QuotaExceeded

THREADS = 8
"""Threads of their own, so that work on hardware, which may take an hour, delays no allocation."""

ENTRIES_MAX = 32
"""How many entries are in work at a time, and so in one transaction at most."""

ROUNDS_MAX = 100
"""How often an entry that loses its nodes to others is matched again before the entries behind it go first."""

LOOK_SECONDS = 5.0
"""How often the queue is simulated although no event says that something changed: deadlines pass without one."""

FORECAST_SECONDS = 15.0
"""How often the promises are renewed although no event says that something changed: a node may be late."""

logger = logging.getLogger(__name__)


class AllocationWorker:
    """Works on the allocations of one conductor.

    The simulation of the queue costs most, so it runs only after something changed: ``notice`` says so for changes of
    this process, and ``notice_events`` finds those of the others.
    """

    def __init__(self, runner: Runner, hostname: str, wake: Callable[[], None], lifetime_rules: LifetimeRules) -> None:
        self._runner = runner
        self._hostname = hostname
        self._wake = wake
        self._lifetime_rules = lifetime_rules
        self._entries = EntryTracker(ENTRIES_MAX)
        self._running: set[Future[None]] = set()
        self._together: set[tuple[QueueEntry, ...]] = set()
        """The entries that are matched and granted together now."""
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=f"dibs-allocations-{hostname}")
        self.any_waiting = False
        """Whether an allocation waited when the queue was last read."""
        self._queued, self._changed = threading.Event(), threading.Event()
        self._queued.set()
        self._changed.set()
        self._events_seen = self._events_forecast = -1
        self._looked_at = self._forecast_at = 0.0
        self._any_left = False
        """Whether there may be an entry that no thread has begun; then an entry that ends wakes the conductor."""

    def notice_queued(self) -> None:
        """List the due entries at the next wake-up: one was queued, or there is a thread for one."""
        self._queued.set()

    def notice(self) -> None:
        """Simulate the queue in the next round: an allocation began to wait, or a node may be free."""
        self._changed.set()

    def notice_events(self, session: Session) -> None:
        """Simulate the queue in the next round if any process changed anything since, or time may have."""
        count = self._runner.read(count_events, SERVICE, None)
        if count != self._events_seen or time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._events_seen = count
            self._changed.set()

    def dispatch_queued(self, session: Session) -> None:
        """Start work if an entry was queued in this process since the last look, or the queue is to be simulated."""
        if self._queued.is_set() or self._changed.is_set():
            self.dispatch(session)

    def dispatch(self, session: Session) -> None:
        """Start work on the ready entries, then on the due ones."""
        self._queued.clear()
        # Until the lists are read: an entry that ends meanwhile may be the one that leaves its thread to another.
        self._any_left = True
        if self._together:
            # The entries that came meanwhile follow together, when these end: the more come, the less each costs.
            return
        left = self._start_ready(session) if self._changed.is_set() else False
        # Paused entries are listed too: ask for enough to see the entries behind them.
        count_max = ENTRIES_MAX + self._entries.forget_old_pauses()
        command = ListEntries(incarnation=session.incarnation, count_max=count_max)
        due = self._runner.read(list_due_entries, SERVICE, command)
        left |= not self._start([each for each in due if not self._entries.is_paused(each)], session, ready=False)
        self._any_left = left or len(due) == count_max

    def _start_ready(self, session: Session) -> bool:
        """Start work on the ready entries; return True when some may be left."""
        self._changed.clear()
        self._looked_at = time.monotonic()
        command = ListEntries(incarnation=session.incarnation, count_max=ENTRIES_MAX)
        try:
            ready = self._runner.read(list_ready_entries, SERVICE, command)
        except Exception:
            self._changed.set()
            raise
        self.any_waiting = ready.any_waiting
        started = self._start(ready.entries, session, ready=True)
        left = len(ready.entries) == ENTRIES_MAX or not started
        if left:
            self._changed.set()
        return left

    def take_over(self, session: Session) -> None:
        """Take the allocations of failed conductors."""
        for conductor_id in self._runner.read(list_failed_conductors, SERVICE, None):
            command = TakeOverAllocations(conductor_id=conductor_id, incarnation=session.incarnation)
            if taken := self._runner.write(take_over_allocations, SERVICE, command):
                logger.warning("conductor %s takes over %d allocation(s) of a failed one", self._hostname, taken)

    def update_promises(self, session: Session) -> None:
        """Compare the promised starts of the waiting allocations with a new forecast, if it may have changed."""
        seen, now = self._events_seen, time.monotonic()
        if not self.any_waiting or (seen == self._events_forecast and now - self._forecast_at < FORECAST_SECONDS):
            return
        command = UpdatePromises(incarnation=session.incarnation, rules=self._lifetime_rules)
        self._runner.write(update_promises, SERVICE, command)
        self._events_forecast, self._forecast_at = seen, now

    def close(self, seconds: float) -> bool:
        """Wait for the entries in work, each of which takes moments; return False when one goes on."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not wait(set(self._running), timeout=seconds).not_done

    def _start(self, entries: Iterable[QueueEntry], session: Session, *, ready: bool) -> bool:
        """Begin work on entries; return False when one of them is in work, or enough others are."""
        entries = tuple(entries)
        begun = tuple(entry for entry in entries if self._entries.begin(entry))
        if len(begun) > 1:
            self._together.add(begun)
            self._submit(self._work_on_all, begun, session, ready)
        elif begun:
            self._submit(self._work_on, begun[0], session, ready)
        return len(begun) == len(entries)

    def _submit(self, work: Callable[[Any, Session, bool], None], what: object, session: Session, ready: bool) -> None:
        running = self._pool.submit(work, what, session, ready)
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    def _work_on_all(self, entries: tuple[QueueEntry, ...], session: Session, ready: bool) -> None:
        settled: set[str] = set()
        try:
            settled = self._settle_together(entries, session)
        except DibsError as error:
            logger.debug("%d allocations are matched one by one: %s", len(entries), error)
        except Exception:
            logger.exception("%d allocations failed unexpectedly and are matched one by one", len(entries))
        finally:
            self._together.discard(entries)
        for entry in entries:
            if entry.key in settled:
                self._entries.finish(entry, Outcome.SETTLED)
            else:
                self._submit(self._work_on, entry, session, ready)
        if self._any_left:
            self._look_again()

    def _settle_together(self, entries: tuple[QueueEntry, ...], session: Session) -> set[str]:
        """Match entries and grant them nodes in one transaction; return the keys of those that are settled."""
        match = MatchTogether(entries=entries, seed=random.getrandbits(32))
        choices = self._runner.read(match_together, SERVICE, match)
        if not choices or session.ended.is_set():
            return set()
        outcomes = self._runner.write(grant_nodes, SERVICE, self._command(choices, session))
        return {key for key, outcome in outcomes.items() if outcome is Outcome.SETTLED}

    def _work_on(self, entry: QueueEntry, session: Session, ready: bool) -> None:
        outcome = None
        try:
            outcome = self.attempt(entry, session)
        except (StoreUnavailable, StoreContended):
            logger.debug("allocation %s is retried when the database is available", entry.key)
        except Exception:
            logger.exception("allocation %s failed unexpectedly", entry.key)
            self._fail_after_error(entry, session)
        finally:
            self._entries.finish(entry, outcome)
        if ready and outcome is not Outcome.SETTLED:
            # It would be ready again at once, so it waits for the next poll.
            self._changed.set()
        elif self._any_left:
            self._look_again()

    def _look_again(self) -> None:
        self.notice_queued()
        self._wake()

    def attempt(self, entry: QueueEntry, session: Session) -> Outcome:
        """Match the entry and grant it nodes, until it is settled, waits or must be retried later."""
        retry = self._entries.may_retry(entry)
        for _ in range(ROUNDS_MAX):
            if session.ended.is_set():
                break
            command = MatchEntry(entry=entry, seed=random.getrandbits(32), retry=retry)
            match = self._runner.read(match_entry, SERVICE, command)
            if match.outcome is Outcome.FAILED:
                self._fail(entry, session, match.reason)
                return Outcome.SETTLED
            if match.outcome is not None:
                return match.outcome
            for nodes in match.choices:
                outcome = self._grant(entry, nodes, session)
                if outcome is not Outcome.LOST:
                    return outcome
        return Outcome.RETRY

    def _grant(self, entry: QueueEntry, nodes: tuple[str, ...], session: Session) -> Outcome:
        command = self._command((Choice(entry, nodes),), session)
        try:
            return self._runner.write(grant_nodes, SERVICE, command)[entry.key]
        except NodeClaimed:
            return Outcome.LOST
        except QuotaExceeded as error:
            if entry.waits:
                return Outcome.WAITING
            self._fail(entry, session, str(error))
            return Outcome.SETTLED
        except InstanceAssociated as error:
            # A client set the allocation's uuid as the instance of a node, so no other node can carry it.
            self._fail(entry, session, str(error))
            return Outcome.SETTLED

    def _command(self, choices: tuple[Choice, ...], session: Session) -> GrantNodes:
        return GrantNodes(choices=choices, incarnation=session.incarnation, lifetime_rules=self._lifetime_rules)

    def _fail(self, entry: QueueEntry, session: Session, reason: str) -> None:
        self._runner.write(fail_entry, SERVICE, FailEntry(entry=entry, incarnation=session.incarnation, reason=reason))

    def _fail_after_error(self, entry: QueueEntry, session: Session) -> None:
        try:
            self._fail(entry, session, "an unexpected error; the log of the conductor has the details")
        except (StoreUnavailable, StoreContended):
            logger.debug("allocation %s is retried when the database is available", entry.key)
