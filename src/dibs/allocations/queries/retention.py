"""Rows that are of no more use: allocations that failed, and conductors that no longer run."""

from sqlalchemy import bindparam, delete, exists, func, select
from sqlalchemy.sql.dml import Delete

from dibs.allocations.model.allocations import ERROR
from dibs.allocations.model.events import removed_allocation_event
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Again, Transaction
from dibs.machines.tables import conductors, node_tasks, nodes

_FAILED = (
    allocations.c.state == ERROR,
    allocations.c.node_id.is_(None),
    func.coalesce(allocations.c.updated_at, allocations.c.created_at) < bindparam("before"),
)
_UNUSED = (
    conductors.c.alive_until < bindparam("before"),
    *(~exists().where(table.c.conductor_id == conductors.c.id) for table in (nodes, node_tasks, allocations)),
)
_OLD_ALLOCATIONS = (
    select(allocations.c.id, allocations.c.uuid, allocations.c.owner, allocations.c.last_error)
    .where(*_FAILED)
    .order_by(allocations.c.id)
    .limit(bindparam("count_max"))
)
_OLD_CONDUCTORS = select(conductors.c.id).where(*_UNUSED).order_by(conductors.c.id).limit(bindparam("count_max"))


def remove_allocations(tx: Transaction, before: int, count_max: int) -> int:
    """Delete allocations that failed before a moment, at most ``count_max``; return how many."""
    found = tx.tuples(_OLD_ALLOCATIONS, {"before": before, "count_max": count_max})
    for piece in sets.pieces(found):
        ids = sets.numbered("id", [row_id for row_id, *_ in piece])
        if tx.change(_delete_allocations(len(piece)), {"before": before, **ids}) != len(piece):
            raise Again  # A client retried or deleted one of them meanwhile.
    for _, uuid, owner, last_error in found:
        tx.record(removed_allocation_event(uuid, owner, last_error))
    return len(found)


def remove_conductors(tx: Transaction, before: int, count_max: int) -> int:
    """Delete conductors that failed or stopped before a moment and that no row refers to; return how many."""
    found = tx.values(_OLD_CONDUCTORS, {"before": before, "count_max": count_max})
    return sum(
        tx.change(_delete_conductors(len(piece)), {"before": before, **sets.numbered("id", piece)})
        for piece in sets.pieces(found)
    )


@sets.cached
def _delete_allocations(count: int) -> Delete:
    return delete(allocations).where(allocations.c.id.in_(sets.binds("id", count)), *_FAILED)


@sets.cached
def _delete_conductors(count: int) -> Delete:
    return delete(conductors).where(conductors.c.id.in_(sets.binds("id", count)), *_UNUSED)
