"""Delete servers whose node was busy when a client deleted them.

Every conductor does this for all servers, each in a transaction of its own. When two conductors delete the same server,
one begins the teardown of its node, and the other finds the server gone.
"""

import logging

from dibs.access.access import SERVICE
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.servers.operations.deleting import finish_deferred_delete, list_deferred_deletes

COUNT_MAX = 100
"""How many servers one run deletes at most, so that other work does not wait for all of them."""

logger = logging.getLogger(__name__)


def finish_deferred_deletes(runner: Runner) -> int:
    """Delete the servers whose node is no longer busy, and return how many teardowns began."""
    return sum(_finish(runner, uuid) for uuid in runner.read(list_deferred_deletes, SERVICE, COUNT_MAX))


def _finish(runner: Runner, uuid: str) -> bool:
    try:
        return runner.write(finish_deferred_delete, SERVICE, uuid)
    except StoreUnavailable:
        raise
    except StoreContended:
        # The other servers do not wait for it; the next round tries again.
        logger.debug("server %s is contended", uuid)
        return False
    except Exception:
        # A server that cannot be deleted must not stop other work.
        logger.exception("cannot delete server %s", uuid)
        return False
