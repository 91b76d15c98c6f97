"""Start and end leases at their time, and reassign hosts that failed.

Every conductor does this for all leases: each event in a transaction of its own under the lock of its lease. When two
conductors run the same event, the second finds it done.
"""

import logging
import random
from collections.abc import Callable
from contextlib import suppress

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.leases.model.windows import MINUTE
from dibs.leases.operations.events import DueEvent, fail_event, list_due_events, run_event
from dibs.leases.operations.leases import RemoveEndedLeases, remove_ended_leases
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

REMOVAL_SECONDS = 60
"""How often leases that ended long ago are removed, COUNT_MAX at a time."""
DAY = 24 * 60 * MINUTE

logger = logging.getLogger(__name__)


class LeaseWorker:
    """Runs the events of leases that are due, and reassigns hosts."""

    def __init__(
        self,
        runner: Runner,
        clock: Callable[[], int],
        *,
        reassignment_seconds: float,
        cleaning_minutes: int,
        retention_days: int = 0,
    ) -> None:
        self._runner = runner
        self._clock = clock
        self._reassignment_seconds = reassignment_seconds
        self._cleaning_minutes = cleaning_minutes
        self._reassigned_at = clock()
        self._retention_days = retention_days
        self._removed_at = clock()

    def run(self) -> None:
        """Run every event that is due, and check the hosts every ``reassignment_seconds``."""
        while self.run_events():
            # The end of one lease may let another start.
            continue
        now = self._clock()
        if self._reassignment_seconds and now >= after(self._reassigned_at, self._reassignment_seconds):
            self._reassigned_at = now
            self.reassign()
        if self._retention_days and now >= after(self._removed_at, REMOVAL_SECONDS):
            self._removed_at = now
            self.remove_ended()

    def run_events(self) -> int:
        """Run events that are due, in their order; return how many were done."""
        due = self._runner.read(list_due_events, SERVICE, COUNT_MAX)
        done = sum(self._run_event(event) for event in due)
        if done:
            logger.info("%d event(s) of leases are done", done)
        return done

    def reassign(self) -> int:
        """Find other hosts for reservations whose hosts failed; return how many changed."""
        affected = self._runner.read(list_affected_reservations, SERVICE, COUNT_MAX)
        return sum(self._reassign(each) for each in affected)

    def remove_ended(self) -> int:
        """Remove leases that ended more than ``retention_days`` ago; return how many."""
        command = RemoveEndedLeases(age=self._retention_days * DAY, count_max=COUNT_MAX)
        removed = self._runner.write(remove_ended_leases, SERVICE, command)
        if removed:
            logger.info("%d lease(s) that ended more than %d days ago are removed", removed, self._retention_days)
        return removed

    def _run_event(self, event: DueEvent) -> bool:
        try:
            return self._runner.write(run_event, SERVICE, event)
        except StoreUnavailable:
            raise
        except StoreContended:
            # The other leases do not wait for it; the next round tries again.
            logger.debug("%s of lease %s is contended", event.kind, event.lease)
        except Exception:
            # A lease whose event fails must not delay the others.
            logger.exception("%s of lease %s failed", event.kind, event.lease)
            with suppress(StoreContended):
                self._runner.write(fail_event, SERVICE, event)
        return False

    def _reassign(self, affected: AffectedReservation) -> bool:
        command = ReassignHosts(
            lease=affected.lease,
            reservation=affected.reservation,
            cleaning_minutes=self._cleaning_minutes,
            seed=random.getrandbits(32),
        )
        try:
            could = self._runner.read(can_reassign, SERVICE, command)
            return could and self._runner.write(reassign_hosts, SERVICE, command)
        except StoreUnavailable:
            raise
        except StoreContended:
            logger.debug("hosts of lease %s are contended", affected.lease)
            return False
        except Exception:
            logger.exception("hosts of lease %s cannot be reassigned", affected.lease)
            return False
