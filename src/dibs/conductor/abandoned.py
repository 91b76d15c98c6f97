"""End allocations whose client stopped sending heartbeats.

Every conductor does this for all allocations, each in a transaction of its own under the lock of its node. When two
conductors end the same allocation, the second finds it ended.
"""

import logging

from dibs.access.access import SERVICE
from dibs.allocations.operations.keep_alive import (
    NodeBusy,
    end_abandoned_allocation,
    list_abandoned_allocations,
    postpone_abandoned_allocation,
)
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner

COUNT_MAX = 100
"""How many allocations one run ends at most, so that other work does not wait for all of them."""

logger = logging.getLogger(__name__)


def end_abandoned_allocations(runner: Runner) -> int:
    """End the allocations whose heartbeat is overdue, and return how many ended."""
    return sum(_end(runner, uuid) for uuid in runner.read(list_abandoned_allocations, SERVICE, COUNT_MAX))


def _end(runner: Runner, uuid: str) -> bool:
    try:
        ended = runner.write(end_abandoned_allocation, SERVICE, uuid)
    except StoreUnavailable:
        raise
    except StoreContended:
        # The other allocations do not wait for it; the next round tries again.
        logger.debug("allocation %s is contended", uuid)
        return False
    except NodeBusy:
        runner.write(postpone_abandoned_allocation, SERVICE, uuid)
        return False
    except Exception:
        # An allocation that cannot be ended must not stop other work.
        logger.exception("cannot end the abandoned allocation %s", uuid)
        runner.write(postpone_abandoned_allocation, SERVICE, uuid)
        return False
    if ended:
        logger.warning("allocation %s ended: its client sent no heartbeat", uuid)
    return ended
