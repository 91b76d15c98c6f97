"""Insert events."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Insert, bindparam, insert

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.events.tables import events

_SHARED = ("happened_at", "request_id", "operation")
"""The columns that all events of one transaction have in common."""
_OWN = ("type", "object_id", "node", "project_id", "actor_user", "actor_project", "before_state", "after_state")


def add(tx: Transaction, shared: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the events of a transaction: in one statement, unless there are more than fit into one."""
    for piece in sets.pieces(rows):
        tx.change(_insert(len(piece)), {**shared, **sets.columns(piece)})


@sets.cached
def _insert(count: int) -> Insert:
    shared: dict[str, Any] = {name: bindparam(name) for name in _SHARED}
    rows: list[dict[str, Any]] = [
        {**shared, **{name: bindparam(f"{name}_{place}") for name in _OWN}} for place in range(count)
    ]
    return insert(events).values(rows)
