"""Remove what failed long ago."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.allocations.queries import retention
from dibs.database.transaction import Transaction
from dibs.machines.model.conductors import after

COUNT_MAX = 500
"""How many rows of a kind one transaction removes."""


class RemovedRows(Struct, frozen=True, kw_only=True):
    """How many rows were removed."""

    allocations: int
    conductors: int


def remove_old_failures(tx: Transaction, access: Access, now: int, retention_seconds: float) -> RemovedRows:
    """Remove allocations that failed, and conductors that stopped or failed, longer ago than the retention time.

    A conductor stays while a node, a task or an allocation refers to it.
    """
    before = after(now, -retention_seconds)
    return RemovedRows(
        allocations=retention.remove_allocations(tx, before, COUNT_MAX),
        conductors=retention.remove_conductors(tx, before, COUNT_MAX),
    )
