"""Remove rows whose retention time has passed. Every conductor does this; the second finds the rows gone."""

import logging

from dibs.access.access import SERVICE
from dibs.allocations.operations.retention import remove_old_failures
from dibs.database.runner import Runner
from dibs.events.operations.retention import COUNT_MAX as EVENTS_MAX
from dibs.events.operations.retention import RemoveOldEvents, remove_old_events
from dibs.leases.operations.leases import RemoveEndedLeases, remove_ended_leases

POLL_SECONDS = 60.0
"""How often rows are removed, a bounded number each time."""

LEASES_MAX = 500
"""How many leases one run removes at most."""

EVENT_BATCHES_MAX = 250
"""How many transactions one run uses for events: with 400 events each, more than clients cause in a minute."""

DAY_SECONDS = 24 * 60 * 60

logger = logging.getLogger(__name__)


class Retention:
    """Removes what failed or ended longer ago than a number of days; 0 days keep it forever."""

    def __init__(self, runner: Runner, *, failure_days: float, lease_days: float, event_days: float) -> None:
        self._runner = runner
        self._failure_days = failure_days
        self._lease_days = lease_days
        self._event_days = event_days

    def run(self) -> None:
        """Remove the oldest failed allocations, conductors, ended leases and events."""
        if self._failure_days:
            self._remove_failures()
        if self._lease_days:
            self._remove_leases()
        if self._event_days:
            self._remove_events()

    def _remove_failures(self) -> None:
        removed = self._runner.write(remove_old_failures, SERVICE, self._failure_days * DAY_SECONDS)
        if removed.allocations or removed.conductors:
            logger.info(
                "removed %d failed allocation(s) and %d old conductor(s)", removed.allocations, removed.conductors
            )

    def _remove_leases(self) -> None:
        command = RemoveEndedLeases(seconds=self._lease_days * DAY_SECONDS, count_max=LEASES_MAX)
        removed = self._runner.write(remove_ended_leases, SERVICE, command)
        if removed:
            logger.info("removed %d lease(s) that ended more than %g days ago", removed, self._lease_days)

    def _remove_events(self) -> None:
        command = RemoveOldEvents(seconds=self._event_days * DAY_SECONDS)
        for _ in range(EVENT_BATCHES_MAX):
            if self._runner.write(remove_old_events, SERVICE, command) < EVENTS_MAX:
                return
