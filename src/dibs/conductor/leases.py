"""Start and end leases at their time, announce their starts, and reassign hosts that failed.

Every conductor does this for all leases, each event under the lock of its lease: when two conductors run the same
event, the second finds it done. Many leases start in the same minute, so up to TOGETHER_MAX of them start in one
transaction, which leaves out leases that another transaction has locked. Other events have transactions of their own,
and so have the starts of a batch that failed: a broken lease does not keep the others from starting. Transactions run
side by side, because most of their time is spent waiting for the database.
"""

import logging
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from dibs.access.access import SERVICE
from dibs.conductor.rounds import attempt
from dibs.conductor.threads import note_progress
from dibs.database.errors import StoreUnavailable
from dibs.database.runner import Runner
from dibs.leases.model.leases import START
from dibs.leases.operations.events import (
    DueEvent,
    ListStartingLeases,
    fail_event,
    list_due_events,
    list_starting_leases,
    notice_start,
    run_event,
)
from dibs.leases.operations.reassignment import (
    AffectedReservation,
    ReassignHosts,
    can_reassign,
    list_affected_reservations,
    reassign_hosts,
)
from dibs.leases.operations.starting.together import StartedLeases, StartLeases, start_leases
from dibs.machines.model.conductors import after

COUNT_MAX = 500
"""How many events or reservations one run handles at most."""

THREADS = 4
"""How many transactions run at the same time."""

TOGETHER_MAX = 16
"""How many leases start in one transaction: about 40 ms of CPU time, so that others hardly wait for its locks."""

NOTICE_SECONDS = 10
"""How often leases that start soon are looked for."""

logger = logging.getLogger(__name__)


class LeaseWorker:
    """Runs the events of leases that are due, announces starts, and reassigns hosts."""

    def __init__(
        self,
        runner: Runner,
        clock: Callable[[], int],
        *,
        reassignment_seconds: float,
        cleaning_minutes: int,
        before_start_minutes: int = 0,
    ) -> None:
        self._runner = runner
        self._clock = clock
        self._reassignment_seconds = reassignment_seconds
        self._cleaning_minutes = cleaning_minutes
        self._before_start_minutes = before_start_minutes
        self._reassigned_at = clock()
        self._noticed_at = 0

    def run(self) -> None:
        """Run every event that is due; from time to time, check the hosts and announce starts."""
        while self.run_events():
            # The end of one lease may let another start.
            continue
        now = self._clock()
        if self._reassignment_seconds and now >= after(self._reassigned_at, self._reassignment_seconds):
            self._reassigned_at = now
            self.reassign()
        if self._before_start_minutes and now >= after(self._noticed_at, NOTICE_SECONDS):
            self._noticed_at = now
            self.notice_starts()

    def run_events(self) -> int:
        """Run events that are due, those of one lease in their order; return how many were done."""
        of_lease: dict[str, list[DueEvent]] = defaultdict(list)
        for event in self._runner.read(list_due_events, SERVICE, COUNT_MAX):
            of_lease[event.lease].append(event)
        starting = {lease for lease, events in of_lease.items() if any(event.kind == START for event in events)}
        only_start = [lease for lease, events in of_lease.items() if lease in starting and len(events) == 1]
        with ThreadPoolExecutor(THREADS, thread_name_prefix="dibs-work-leases") as pool:
            # A lease that ends at noon releases its hosts before the next one starts at noon.
            done = self._run_alone(pool, [events for lease, events in of_lease.items() if lease not in starting])
            alone = starting.difference(only_start)
            for together in pool.map(self._start_together, _in_batches(only_start)):
                note_progress()
                done += together.count
                alone |= together.alone
            done += self._run_alone(pool, [events for lease, events in of_lease.items() if lease in alone])
        if done:
            logger.info("%d event(s) of leases are done", done)
        return done

    def reassign(self) -> int:
        """Find other hosts for reservations whose hosts failed; return how many changed."""
        affected = self._runner.read(list_affected_reservations, SERVICE, COUNT_MAX)
        return sum(self._reassign(each) for each in affected)

    def notice_starts(self) -> int:
        """Announce the leases that start soon; return how many."""
        command = ListStartingLeases(minutes=self._before_start_minutes, count_max=COUNT_MAX)
        return sum(
            attempt(f"the notice of lease {uuid}", partial(self._runner.write, notice_start, SERVICE, uuid))
            for uuid in self._runner.read(list_starting_leases, SERVICE, command)
        )

    def _start_together(self, leases: Sequence[str]) -> StartedLeases:
        """Start leases in one transaction. If that fails, each of them is to start alone: one may be broken."""
        on_their_own = StartedLeases(count=0, alone=frozenset(leases))
        if len(leases) == 1:
            return on_their_own
        try:
            return self._runner.write(start_leases, SERVICE, StartLeases(leases=tuple(leases)))
        except StoreUnavailable:
            raise
        except Exception as error:
            logger.info("%d leases start one by one; together they could not: %r", len(leases), error)
            return on_their_own

    def _run_alone(self, pool: ThreadPoolExecutor, of_leases: Iterable[Sequence[DueEvent]]) -> int:
        """Run events, each in a transaction of its own, side by side those of different leases."""
        done = 0
        for count in pool.map(self._run_events_of_lease, of_leases):
            note_progress()
            done += count
        return done

    def _run_events_of_lease(self, events: Sequence[DueEvent]) -> int:
        done = 0
        for event in events:
            if self._run_event(event):
                done += 1
            elif event.kind == START:
                # The lease waits for the end of an earlier one: it must not end before it has started.
                break
        return done

    def _run_event(self, event: DueEvent) -> bool:
        return attempt(
            f"{event.kind} of lease {event.lease}",
            partial(self._runner.write, run_event, SERVICE, event),
            partial(self._runner.write, fail_event, SERVICE, event),
        )

    def _reassign(self, affected: AffectedReservation) -> bool:
        command = ReassignHosts(
            lease=affected.lease,
            reservation=affected.reservation,
            cleaning_minutes=self._cleaning_minutes,
            seed=random.getrandbits(32),
        )

        def reassign() -> bool:
            could = self._runner.read(can_reassign, SERVICE, command)
            return could and self._runner.write(reassign_hosts, SERVICE, command)

        return attempt(f"the reassignment of hosts of lease {affected.lease}", reassign)


def _in_batches(leases: Sequence[str]) -> list[Sequence[str]]:
    return [leases[first : first + TOGETHER_MAX] for first in range(0, len(leases), TOGETHER_MAX)]
