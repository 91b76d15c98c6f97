"""Read events: pages by id, and what was published after a position.

There is no index of times: ids follow the time, apart from transactions that ran at the same moment. So a moment is
found by a binary search of ids.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam, false, select

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database import sets
from dibs.database.transaction import Row, Transaction
from dibs.events.model.events import decode_state
from dibs.events.model.stored import EventQuery, StoredEvent
from dibs.events.tables import events

OVERLAP = 600_000_000
"""How much later, in microseconds, an event may have happened than one with a larger id: as long as no transaction."""

_NEXT = (
    select(events.c.id, events.c.happened_at).where(events.c.id >= bindparam("from_id")).order_by(events.c.id).limit(1)
)
_LAST = select(events.c.id).order_by(events.c.id.desc()).limit(1)
_SELECT = select(*events.c)


class _Shape(NamedTuple):
    """A page query without its values."""

    filters: tuple[str, ...]
    projects: int | None
    """The number of projects; None for every project."""
    oldest_first: bool


def page(tx: Transaction, query: EventQuery) -> list[StoredEvent]:
    """Return one page of events."""
    values: dict[str, Any] = {"of_limit": query.limit}
    if query.node is not None:
        values["of_node"] = query.node
    if query.type is not None:
        exact = "." in query.type
        values["of_type" if exact else "of_kind"] = query.type if exact else f"{_literal(query.type)}.%"
    if query.marker is not None:
        values["after_id" if query.oldest_first else "before_id"] = query.marker
    if query.since is not None:
        values |= {"since": query.since, "first_id": _first_from(tx, query.since - OVERLAP)}
    if query.until is not None:
        values |= {"until": query.until, "end_id": _first_from(tx, query.until + OVERLAP)}
    projects, named = _projects(query.projects)
    shape = _Shape(tuple(sorted(values)), projects, query.oldest_first)
    return [_event(row) for row in tx.rows(_page(shape), {**values, **named})]


def published(tx: Transaction, after: int, count_max: int) -> list[StoredEvent]:
    """Return the events after a position, of every project, in the order of their positions."""
    return [_event(row) for row in tx.rows(_PUBLISHED, {"after": after, "count_max": count_max})]


def at_positions(tx: Transaction, positions: Sequence[int]) -> dict[int, StoredEvent]:
    """Return the events at these positions, as far as they still exist."""
    found = {}
    for piece in sets.pieces(positions):
        for row in tx.rows(_at_positions(len(piece)), sets.numbered("position", piece)):
            found[row["position"]] = _event(row)
    return found


def oldest_moment(tx: Transaction) -> int | None:
    """Return when the oldest event that still exists happened; None without events."""
    found = tx.tuples(_NEXT, {"from_id": 0})
    return found[0][1] if found else None


def _first_from(tx: Transaction, moment: int) -> int:
    """Return the smallest id whose event happened at or after a moment; one beyond the last when there is none."""
    last = tx.values(_LAST)
    low, high = 0, (last[0] + 1 if last else 0)
    while low < high:
        middle = (low + high) // 2
        ((found, happened_at),) = tx.tuples(_NEXT, {"from_id": middle})
        if happened_at >= moment:
            high = middle
        else:
            low = found + 1
    return low


_FILTERS: dict[str, Any] = {
    "of_node": events.c.node == bindparam("of_node"),
    "of_type": events.c.type == bindparam("of_type"),
    "of_kind": events.c.type.like(bindparam("of_kind"), escape="/"),
    "before_id": events.c.id < bindparam("before_id"),
    "after_id": events.c.id > bindparam("after_id"),
    "since": events.c.happened_at >= bindparam("since"),
    "first_id": events.c.id >= bindparam("first_id"),
    "until": events.c.happened_at < bindparam("until"),
    "end_id": events.c.id < bindparam("end_id"),
}
_PUBLISHED = (
    _SELECT.where(events.c.position > bindparam("after")).order_by(events.c.position).limit(bindparam("count_max"))
)


@sets.cached
def _at_positions(count: int) -> Select[Any]:
    return _SELECT.where(events.c.position.in_(sets.binds("position", count)))


@lru_cache(maxsize=256)
def _page(shape: _Shape) -> Select[Any]:
    statement = _SELECT.where(*(_FILTERS[name] for name in shape.filters if name in _FILTERS))
    if shape.projects is not None:
        visible = events.c.project_id.in_(sets.binds("project", shape.projects)) if shape.projects else false()
        statement = statement.where(visible)
    order = events.c.id.asc() if shape.oldest_first else events.c.id.desc()
    return statement.order_by(order).limit(bindparam("of_limit"))


def _projects(visible: VisibleProjects) -> tuple[int | None, dict[str, Any]]:
    if visible is EVERY_PROJECT:
        return None, {}
    return len(visible), sets.numbered("project", sorted(visible))


def _literal(text: str) -> str:
    """Escape text for a LIKE pattern, so that it matches only itself."""
    return text.replace("/", "//").replace("%", "/%").replace("_", "/_")


def _event(row: Row) -> StoredEvent:
    before, after = row.pop("before_state"), row.pop("after_state")
    return StoredEvent(**row, before=decode_state(before), after=decode_state(after))
