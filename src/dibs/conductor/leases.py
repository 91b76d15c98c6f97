"""Start and end leases at their time, announce their starts, and reassign hosts that failed.

Every conductor does this for all leases: each event in a transaction of its own under the lock of its lease. When two
conductors run the same event, the second finds it done. Events of different leases run side by side, because most of
the time of a transaction is spent waiting for the database, and many leases start in the same minute.
"""

import logging
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from dibs.access.access import SERVICE
from dibs.conductor.rounds import attempt
from dibs.conductor.threads import note_progress
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
from dibs.machines.model.conductors import after

COUNT_MAX = 500
"""How many events or reservations one run handles at most."""

THREADS = 4
"""How many leases start or end at the same time."""

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
        due = self._runner.read(list_due_events, SERVICE, COUNT_MAX)
        starting = {event.lease for event in due if event.kind == START}
        of_lease: dict[str, list[DueEvent]] = defaultdict(list)
        for event in due:
            of_lease[event.lease].append(event)
        done = 0
        with ThreadPoolExecutor(THREADS, thread_name_prefix="dibs-work-leases") as pool:
            # A lease that ends at noon releases its hosts before the next one starts at noon.
            for leases in (of_lease.keys() - starting, starting):
                in_order = [events for lease, events in of_lease.items() if lease in leases]
                for count in pool.map(self._run_events_of_lease, in_order):
                    note_progress()
                    done += count
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
