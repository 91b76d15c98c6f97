"""Remove old events."""

from sqlalchemy import bindparam, delete, select
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.events.tables import events

_FIRST = select(events.c.id, events.c.happened_at).order_by(events.c.id).limit(bindparam("count_max"))


def remove(tx: Transaction, before: int, count_max: int) -> int:
    """Delete those of the first ``count_max`` events that are from before a moment; return how many."""
    first = tx.tuples(_FIRST, {"count_max": count_max})
    found = [row_id for row_id, happened_at in first if happened_at < before]
    return sum(tx.change(_delete(len(piece)), sets.numbered("id", piece)) for piece in sets.pieces(found))


@sets.cached
def _delete(count: int) -> Delete:
    return delete(events).where(events.c.id.in_(sets.binds("id", count)))
