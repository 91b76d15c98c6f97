"""Lets servers go whose node was busy when somebody deleted them.

Any conductor does it for all of them, each in a transaction of its own. Of several that reach for the same server one
begins the tear-down of its node, and the others find the server gone.
"""

import logging

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.servers.operations.deleting import finish_deferred_delete, list_deferred_deletes

COUNT_MAX = 100
"""How many are looked at in one go, so that other work need not wait for all of them."""

logger = logging.getLogger(__name__)


class Leaving:
    """Looks for servers that wait for their node."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def run(self) -> int:
        """Let those go whose node is free by now; gives how many tear-downs that began."""
        found = self._runner.read(list_deferred_deletes, SERVICE, COUNT_MAX)
        return sum(self._end(uuid) for uuid in found)

    def _end(self, uuid: str) -> bool:
        try:
            return self._runner.write(finish_deferred_delete, SERVICE, uuid)
        except (StoreUnavailable, StoreContended):
            raise
        except Exception:
            # One that cannot go must not keep the others, and all other work, from being done.
            logger.exception("server %s could not be let go", uuid)
            return False
