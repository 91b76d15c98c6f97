"""Ends holds whose time is over.

Any conductor does it for all of them: each hold in a transaction of its own, under the lock of its node. Of several
that reach for the same hold one ends it, and the others find it gone.
"""

import logging

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.machines.operations.holds import ListExpiredHolds, OneHold, expire_hold, list_expired_holds

COUNT_MAX = 100
"""How many are ended in one go, so that other work need not wait for all of them."""

logger = logging.getLogger(__name__)


class Expiry:
    """Looks for holds that are over."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def run(self) -> int:
        """End what is over; gives how many nodes that freed."""
        ended = 0
        for uuid in self._runner.read(list_expired_holds, SERVICE, ListExpiredHolds(count_max=COUNT_MAX)):
            ended += self._end(uuid)
        if ended:
            logger.info("%d hold(s) ended", ended)
        return ended

    def _end(self, uuid: str) -> bool:
        try:
            return self._runner.write(expire_hold, SERVICE, OneHold(uuid=uuid))
        except (StoreUnavailable, StoreContended):
            raise
        except Exception:
            # One that cannot be ended must not keep the others, and all other work, from being done. Its uuid is a
            # proof and stays out of the log.
            logger.exception("a hold could not be ended")
            return False
