"""Heartbeats of the clients that use allocations."""

from typing import Any

from sqlalchemy import bindparam, or_, select, update

from dibs.allocations.model.allocations import ALLOCATING, ERROR, Allocation
from dibs.allocations.tables import allocations
from dibs.database.transaction import Transaction

_OF_ID = allocations.c.id == bindparam("of_id")
_EXPIRED = allocations.c.alive_until <= bindparam("now")
_RENEW = (
    update(allocations)
    .where(or_(allocations.c.batch == bindparam("of_batch"), _OF_ID), allocations.c.alive_until.is_not(None))
    .values(keep_alive_seconds=bindparam("new_keep_alive_seconds"), alive_until=bindparam("new_alive_until"))
)
_ABANDONED = (
    select(allocations.c.uuid).where(_EXPIRED).order_by(allocations.c.alive_until).limit(bindparam("count_max"))
)
_END = (
    update(allocations)
    .where(_OF_ID, _EXPIRED)
    .values(state=ERROR, node_id=None, alive_until=None, last_error=bindparam("new_error"), updated_at=bindparam("now"))
)
_END_QUEUED = _END.where(allocations.c.state == ALLOCATING)
_POSTPONE = update(allocations).where(_OF_ID, _EXPIRED).values(alive_until=bindparam("new_alive_until"))


def renew(tx: Transaction, allocation: Allocation, alive_until: int | None) -> bool:
    """Extend the life of an allocation and of all of its batch; return False when it has ended."""
    values: dict[str, Any] = {
        "of_id": allocation.id,
        "of_batch": allocation.batch,
        "new_keep_alive_seconds": allocation.keep_alive_seconds,
        "new_alive_until": alive_until,
    }
    return tx.change(_RENEW, values) > 0


def abandoned(tx: Transaction, now: int, count_max: int) -> list[str]:
    """Return the uuids of allocations without a heartbeat in time, the oldest first."""
    return tx.values(_ABANDONED, {"now": now, "count_max": count_max})


def end(tx: Transaction, allocation: Allocation, reason: str, now: int) -> bool:
    """End an abandoned allocation, whose node is locked if it has one; return False when a heartbeat came meanwhile."""
    statement = _END_QUEUED if allocation.node_id is None else _END
    return tx.change(statement, {"of_id": allocation.id, "new_error": reason, "now": now}) == 1


def postpone(tx: Transaction, allocation: Allocation, until: int, now: int) -> None:
    """Look at an abandoned allocation again later."""
    tx.change(_POSTPONE, {"of_id": allocation.id, "new_alive_until": until, "now": now})
