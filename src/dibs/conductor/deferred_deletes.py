"""Delete servers whose node was busy when a client deleted them.

Every conductor does this for all servers, each in a transaction of its own. When two conductors delete the same server,
one begins the teardown of its node, and the other finds the server gone.
"""

from functools import partial

from dibs.access.access import SERVICE
from dibs.conductor.rounds import attempt
from dibs.database.runner import Runner
from dibs.servers.operations.deleting import finish_deferred_delete, list_deferred_deletes

COUNT_MAX = 100
"""How many servers one run deletes at most, so that other work does not wait for all of them."""


def finish_deferred_deletes(runner: Runner) -> int:
    """Delete the servers whose node is no longer busy, and return how many teardowns began."""
    found = runner.read(list_deferred_deletes, SERVICE, COUNT_MAX)
    return sum(
        attempt(f"the delete of server {uuid}", partial(runner.write, finish_deferred_delete, SERVICE, uuid))
        for uuid in found
    )
