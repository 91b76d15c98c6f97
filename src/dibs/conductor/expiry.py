"""End holds that have expired, and allocations whose client stopped sending heartbeats.

Every conductor does this for all rows, each in a transaction of its own under the lock of its node. When two conductors
end the same one, the second finds it ended.
"""

import logging
from functools import partial

from dibs.access.access import SERVICE
from dibs.allocations.operations.keep_alive import (
    NodeBusy,
    end_abandoned_allocation,
    list_abandoned_allocations,
    postpone_abandoned_allocation,
)
from dibs.conductor.rounds import attempt
from dibs.database.runner import Runner
from dibs.machines.operations.holds import expire_hold, list_expired_holds

COUNT_MAX = 100
"""How many holds or allocations one run ends at most, so that other work does not wait for all of them."""

logger = logging.getLogger(__name__)


def expire_holds(runner: Runner) -> int:
    """End expired holds, and return how many nodes became free."""
    found = runner.read(list_expired_holds, SERVICE, COUNT_MAX)
    # The uuid of a hold is a proof and stays out of the log.
    ended = sum(
        attempt("the end of an expired hold", partial(runner.write, expire_hold, SERVICE, uuid)) for uuid in found
    )
    if ended:
        logger.info("%d hold(s) expired", ended)
    return ended


def end_abandoned_allocations(runner: Runner) -> int:
    """End the allocations whose heartbeat is overdue, and return how many ended."""
    found = runner.read(list_abandoned_allocations, SERVICE, COUNT_MAX)
    return sum(_end_abandoned(runner, uuid) for uuid in found)


def _end_abandoned(runner: Runner, uuid: str) -> bool:
    postpone = partial(runner.write, postpone_abandoned_allocation, SERVICE, uuid)

    def end() -> bool:
        try:
            return runner.write(end_abandoned_allocation, SERVICE, uuid)
        except NodeBusy:
            postpone()
            return False

    ended = attempt(f"the end of the abandoned allocation {uuid}", end, postpone)
    if ended:
        logger.warning("allocation %s ended: its client sent no heartbeat", uuid)
    return ended
