"""The position of the last event that was sent, and which conductor sends."""

from sqlalchemy import bindparam, select, update

from dibs.database.transaction import Row, Transaction
from dibs.notifications.tables import notification_position as positions

_ROW = positions.c.id == 1
_GET = select(positions.c.position, positions.c.due_at, positions.c.failures).where(_ROW)
_TAKE = update(positions).where(_ROW, positions.c.due_at <= bindparam("now")).values(due_at=bindparam("until"))
_RELEASE = (
    update(positions)
    .where(_ROW, positions.c.due_at == bindparam("taken_until"))
    .values(
        position=bindparam("new_position"),
        due_at=bindparam("new_due_at"),
        failures=bindparam("new_failures"),
        last_error=bindparam("new_error"),
    )
)


def get(tx: Transaction) -> Row:
    """Return the position, when the next attempt is due, and how many have failed in a row."""
    row = tx.row(_GET)
    assert row is not None
    return row


def take(tx: Transaction, now: int, until: int) -> bool:
    """Keep other conductors from sending until a moment; return False when another one sends, or has to wait."""
    return tx.change(_TAKE, {"now": now, "until": until}) == 1


def release(
    tx: Transaction, taken_until: int, *, position: int, due_at: int, failures: int = 0, error: str | None = None
) -> bool:
    """Store what was sent, and let any conductor go on; return False when another one has taken over meanwhile."""
    values = {"new_position": position, "new_due_at": due_at, "new_failures": failures, "new_error": error}
    return tx.change(_RELEASE, {"taken_until": taken_until, **values}) == 1
