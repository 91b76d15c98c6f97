"""Write bookings. Only ``operations.booking`` may import it; ``queries.bookings`` reads."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Insert, Update, bindparam, insert, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.tables import bookings

_COLUMNS = ("reservation_id", "host_id", "start_at", "end_at", "amount")


def add(tx: Transaction, new: Sequence[Booking]) -> None:
    """Insert bookings."""
    for piece in sets.pieces(new):
        rows = [{name: getattr(booking, name) for name in _COLUMNS} for booking in piece]
        tx.change(_insert(len(piece)), sets.columns(rows))


def remove(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Delete all bookings of reservations."""
    for piece in sets.pieces(reservation_ids):
        tx.change(_remove(len(piece)), sets.numbered("id", piece))


def move(tx: Transaction, reservation_ids: Sequence[int], start_at: int, end_at: int) -> None:
    """Give all bookings of reservations another window."""
    for piece in sets.pieces(reservation_ids):
        values = {"new_start": start_at, "new_end": end_at, **sets.numbered("id", piece)}
        tx.change(_move(len(piece)), values)


@sets.cached
def _insert(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {name: bindparam(f"{name}_{position}") for name in _COLUMNS} for position in range(count)
    ]
    return insert(bookings).values(rows)


@sets.cached
def _remove(count: int) -> Delete:
    return delete_rows(bookings).where(bookings.c.reservation_id.in_(sets.binds("id", count)))


@sets.cached
def _move(count: int) -> Update:
    return (
        update(bookings)
        .where(bookings.c.reservation_id.in_(sets.binds("id", count)))
        .values(start_at=bindparam("new_start"), end_at=bindparam("new_end"))
    )
