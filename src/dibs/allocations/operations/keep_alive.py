"""Keep allocations alive by heartbeats of their clients.

A client that was killed, lost its network or went to sleep cannot delete its allocation. A client that asked for
``keep_alive_seconds`` sends heartbeats; when they stop, a conductor ends the allocation: see ``endings``.
"""

from msgspec import UNSET, Struct, UnsetType

from dibs.access.access import Access
from dibs.allocations.model.access import UPDATE, check_allocation
from dibs.allocations.model.allocations import ERROR, Allocation
from dibs.allocations.queries import allocations, keep_alive
from dibs.database.transaction import Again, Transaction
from dibs.machines.model.errors import WrongState


class RecordHeartbeat(Struct, frozen=True, kw_only=True):
    """Record a heartbeat; also change the time until the next one if it is given, where None means no more."""

    ident: str
    keep_alive_seconds: int | UnsetType | None = UNSET


def record_heartbeat(tx: Transaction, access: Access, now: int, command: RecordHeartbeat) -> Allocation:
    """Record a heartbeat for an allocation and all of its batch; return it as it is now, ended or not."""
    ident = command.ident
    allocation = check_allocation(access, allocations.get(tx, ident), ident, UPDATE)
    if allocation.keep_alive_seconds is None:
        raise WrongState(reason=f"Allocation {allocation.uuid} has no keep_alive_seconds and needs no heartbeats")
    alive = allocation.kept_alive_for(command.keep_alive_seconds)
    if not keep_alive.record(tx, alive, alive.alive_from(now)) and allocation.state != ERROR:
        raise Again  # A conductor ended it, or a client deleted it, after it was read.
    return allocations.get(tx, allocation.uuid) or allocation
