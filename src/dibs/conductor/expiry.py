"""End holds that have expired, and remove failures whose retention time has passed.

Every conductor does this for all rows: each hold in a transaction of its own under the lock of its node. When two
conductors end the same hold or remove the same row, the second finds it gone.
"""

import logging

from dibs.access.access import SERVICE
from dibs.allocations.operations.retention import remove_old_failures
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.machines.operations.holds import expire_hold, list_expired_holds

COUNT_MAX = 100
"""How many holds one run ends at most, so that other work does not wait for all of them."""

RETENTION_POLL_SECONDS = 60.0
"""How often failures are removed, a bounded number each time."""

DAY_SECONDS = 24 * 60 * 60

logger = logging.getLogger(__name__)


def expire_holds(runner: Runner) -> int:
    """End expired holds, and return how many nodes became free."""
    found = runner.read(list_expired_holds, SERVICE, COUNT_MAX)
    ended = sum(_expire(runner, uuid) for uuid in found)
    if ended:
        logger.info("%d hold(s) expired", ended)
    return ended


def _expire(runner: Runner, uuid: str) -> bool:
    try:
        return runner.write(expire_hold, SERVICE, uuid)
    except StoreUnavailable:
        raise
    except StoreContended:
        # The other holds do not wait for it; the next round tries again.
        logger.debug("an expired hold is contended")
        return False
    except Exception:
        # A hold that cannot be ended must not stop other work. Its uuid is a proof and stays out of the log.
        logger.exception("cannot end an expired hold")
        return False


def remove_failures(runner: Runner, retention_days: float) -> None:
    """Remove the oldest failed allocations and conductors whose retention time has passed."""
    removed = runner.write(remove_old_failures, SERVICE, retention_days * DAY_SECONDS)
    if removed.allocations or removed.conductors:
        logger.info("removed %d failed allocation(s) and %d old conductor(s)", removed.allocations, removed.conductors)
