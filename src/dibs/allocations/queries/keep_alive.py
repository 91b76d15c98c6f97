"""Heartbeats of the clients that use allocations."""

from typing import Any

from sqlalchemy import bindparam, or_, update

from dibs.allocations.model.allocations import Allocation
from dibs.allocations.tables import allocations
from dibs.database.transaction import Transaction

_BEAT = (
    update(allocations)
    .where(
        or_(allocations.c.batch == bindparam("of_batch"), allocations.c.id == bindparam("of_id")),
        allocations.c.alive_until.is_not(None),
    )
    .values(keep_alive_seconds=bindparam("new_keep_alive_seconds"), alive_until=bindparam("new_alive_until"))
)


def record(tx: Transaction, allocation: Allocation, alive_until: int | None) -> bool:
    """Extend the life of an allocation and of all of its batch; return False when it has ended."""
    values: dict[str, Any] = {
        "of_id": allocation.id,
        "of_batch": allocation.batch,
        "new_keep_alive_seconds": allocation.keep_alive_seconds,
        "new_alive_until": alive_until,
    }
    return tx.change(_BEAT, values) > 0
