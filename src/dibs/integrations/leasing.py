"""Create and change leases with the services of a site: external flavors, and the approval of an enforcement service.

Both are asked before the transaction, never inside it, by the reservation API and by the console alike.
"""

from random import getrandbits

from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.runner import Runner
from dibs.leases.model.enforcement import Enforcement
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.leases import Lease
from dibs.leases.operations.leases import create_lease
from dibs.leases.operations.planning import CreateLease
from dibs.leases.operations.proposals import propose_lease, propose_update
from dibs.leases.operations.updates import UpdateLease, update_lease


def create_approved(runner: Runner, access: Access, command: CreateLease, enforcement: Enforcement | None) -> Lease:
    """Create a lease, after the enforcement service has approved the hosts that it would get."""
    if enforcement is not None:
        # With the same seed creating the lease chooses the same hosts, unless another lease has booked them.
        command = replace(command, seed=getrandbits(32))
        enforcement.check_create(runner.read(propose_lease, access, command))
    elif command.is_large:
        # On SQLite every other write would wait for the search for the hosts of a lease that is refused.
        runner.read(propose_lease, access, command)
    try:
        return runner.write(create_lease, access, replace(command, moving=False))
    except NotEnoughHosts as refused:
        if refused.final:
            raise
        # The search for leases to move takes longest when it is in vain, so it runs outside a write first.
        runner.read(propose_lease, access, command)
    return runner.write(create_lease, access, command)


def update_approved(runner: Runner, access: Access, command: UpdateLease, enforcement: Enforcement | None) -> Lease:
    """Change a lease, after the enforcement service has approved the change, unless only the name changes."""
    if enforcement is not None and not command.only_renames:
        command = replace(command, seed=getrandbits(32))
        enforcement.check_update(runner.read(propose_update, access, command))
    try:
        return runner.write(update_lease, access, replace(command, moving=False))
    except NotEnoughHosts as refused:
        if refused.final:
            raise
        runner.read(propose_update, access, command)
    return runner.write(update_lease, access, command)
