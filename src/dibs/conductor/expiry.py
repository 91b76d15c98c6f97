"""End holds that have expired, and allocations whose client is gone or whose lifetime is over.

Every conductor does this for all rows, each in a transaction of its own under the lock of its node. When two conductors
end the same one, the second finds it ended.
"""

import logging
from functools import partial

from dibs.access.access import SERVICE
from dibs.allocations.model.lifetimes import Step
from dibs.allocations.operations.endings import NodeBusy, end_due_allocation, list_due_allocations, postpone_end
from dibs.conductor.rounds import attempt
from dibs.database.runner import Runner
from dibs.machines.operations.holds import expire_hold, list_expired_holds

COUNT_MAX = 100
"""How many holds or allocations one run ends at most, so that other work does not wait for all of them."""

_LOGGED = {
    Step.NOTICE: "ends soon",
    Step.REPORT: "keeps its node although its lifetime is over",
    Step.END: "ended",
}

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


def end_allocations(runner: Runner) -> int:
    """Give notice of ends, and end the allocations that are due; return how many ended."""
    return sum(_end(runner, uuid) for uuid in runner.read(list_due_allocations, SERVICE, COUNT_MAX))


def _end(runner: Runner, uuid: str) -> bool:
    postpone = partial(runner.write, postpone_end, SERVICE, uuid)

    def end() -> bool:
        try:
            step = runner.write(end_due_allocation, SERVICE, uuid)
        except NodeBusy:
            postpone()
            return False
        if step in _LOGGED:
            logger.warning("allocation %s %s", uuid, _LOGGED[step])
        return step is Step.END

    return attempt(f"the end of allocation {uuid}", end, postpone)
