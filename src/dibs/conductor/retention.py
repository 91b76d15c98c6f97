"""Remove rows whose retention time has passed. Every conductor does this; the second finds the rows gone."""

import logging

from msgspec import Struct

from dibs.access.access import SERVICE
from dibs.allocations.operations.retention import remove_old_failures
from dibs.database.runner import Runner
from dibs.events.operations.retention import COUNT_MAX as EVENTS_MAX
from dibs.events.operations.retention import RemoveOldEvents, remove_old_events
from dibs.leases.operations.leases import RemoveEndedLeases, remove_ended_leases
from dibs.quotas.operations.shares import forget_shares
from dibs.webhooks.operations.delivering import DELIVERIES_REMOVED_MAX, RemoveOldDeliveries, remove_old_deliveries

POLL_SECONDS = 60.0
"""How often rows are removed, a bounded number each time."""

LEASES_MAX = 500
"""How many leases one run removes at most."""

BATCHES_MAX = 250
"""How many transactions one run uses for events: with 400 events each, more than clients cause in a minute."""

DAY_SECONDS = 24 * 60 * 60

logger = logging.getLogger(__name__)


class RetentionDays(Struct, frozen=True, kw_only=True):
    """For how many days rows are kept; 0 keeps them forever."""

    failures: float = 0
    """Failed allocations, and conductors that no longer run."""
    leases: float = 0
    """Leases that have ended."""
    events: float = 0
    deliveries: float = 0
    """Deliveries of webhooks."""


KEEP_ALL = RetentionDays()


class Retention:
    """Removes what failed, ended or happened longer ago than the operator wants to keep it."""

    def __init__(self, runner: Runner, days: RetentionDays) -> None:
        self._runner = runner
        self._days = days

    def run(self) -> None:
        """Remove the oldest failed allocations, conductors, ended leases, events, deliveries and shares."""
        if self._days.failures:
            self._remove_failures()
        if self._days.leases:
            self._remove_leases()
        if self._days.events:
            self._remove_events()
        if self._days.deliveries:
            self._remove_deliveries()
        self._runner.write(forget_shares, SERVICE, None)

    def _remove_failures(self) -> None:
        removed = self._runner.write(remove_old_failures, SERVICE, self._days.failures * DAY_SECONDS)
        if removed.allocations or removed.conductors:
            logger.info(
                "removed %d failed allocation(s) and %d old conductor(s)", removed.allocations, removed.conductors
            )

    def _remove_leases(self) -> None:
        command = RemoveEndedLeases(seconds=self._days.leases * DAY_SECONDS, count_max=LEASES_MAX)
        removed = self._runner.write(remove_ended_leases, SERVICE, command)
        if removed:
            logger.info("removed %d lease(s) that ended more than %g days ago", removed, self._days.leases)

    def _remove_events(self) -> None:
        command = RemoveOldEvents(seconds=self._days.events * DAY_SECONDS)
        for _ in range(BATCHES_MAX):
            if self._runner.write(remove_old_events, SERVICE, command) < EVENTS_MAX:
                return

    def _remove_deliveries(self) -> None:
        command = RemoveOldDeliveries(seconds=self._days.deliveries * DAY_SECONDS)
        for _ in range(BATCHES_MAX):
            if self._runner.write(remove_old_deliveries, SERVICE, command) < DELIVERIES_REMOVED_MAX:
                return
