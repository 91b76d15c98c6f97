"""Read events in tests."""

import json
from typing import Any

from sqlalchemy import select

from dibs.database import Store
from dibs.events.tables import events

_ALL = select(*events.c).order_by(events.c.id)


def rows(store: Store) -> list[dict[str, Any]]:
    """Return every event as it is stored, the states decoded."""
    found = store.read(lambda tx: tx.rows(_ALL))
    for row in found:
        for name in ("before_state", "after_state"):
            row[name] = None if row[name] is None else json.loads(row[name])
    return found


def types(store: Store, *, after: int = 0) -> list[str]:
    """Return the types of the events with larger ids."""
    return [row["type"] for row in rows(store) if row["id"] > after]


def last_id(store: Store) -> int:
    """Return the id of the last event; 0 without events."""
    return max((row["id"] for row in rows(store)), default=0)
