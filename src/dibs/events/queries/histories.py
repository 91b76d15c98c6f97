"""Read what an attribute of nodes was, back to a moment or as far as a bounded number of events reaches."""

from typing import Any, NamedTuple

from sqlalchemy import bindparam, or_, select

from dibs.database.transaction import Transaction
from dibs.events.model.events import decode_state
from dibs.events.tables import events

EVENTS_MAX = 100_000
"""The latest events that are looked at. There is no index of types, and a page must not read all events of a year."""

_LAST = select(events.c.id).order_by(events.c.id.desc()).limit(1)
_AT = select(events.c.happened_at).where(events.c.id > bindparam("after_id")).order_by(events.c.id).limit(1)
_CHANGES = (
    select(events.c.node, events.c.happened_at, events.c.before_state, events.c.after_state)
    .where(
        events.c.id > bindparam("after_id"),
        events.c.type.like("node.%"),
        events.c.happened_at >= bindparam("since"),
        or_(events.c.before_state.like(bindparam("named")), events.c.after_state.like(bindparam("named"))),
    )
    .order_by(events.c.id.desc())
)


class NodeChange(NamedTuple):
    """A change of the attribute of a node."""

    node: str
    moment: int
    before: Any
    after: Any


class NodeHistory(NamedTuple):
    """The changes of an attribute of all nodes, the newest first."""

    since: int
    """The moment from which on all changes are known."""
    changes: list[NodeChange]


class Reach(NamedTuple):
    """Where to begin to read events."""

    after_id: int
    since: int


def reach_back(tx: Transaction, since: int, events_max: int) -> Reach:
    """Return where to begin to read back to a moment, or to a later one when there are too many events since then."""
    last = tx.values(_LAST)
    after_id = (last[0] if last else 0) - events_max
    known = tx.values(_AT, {"after_id": after_id})
    return Reach(after_id, max(since, known[0] if known else since))


def of_attribute(tx: Transaction, name: str, since: int) -> NodeHistory:
    """Return the changes of an attribute since a moment, or since a later one when there are too many events."""
    reach = reach_back(tx, since, EVENTS_MAX)
    rows = tx.tuples(_CHANGES, {**reach._asdict(), "named": f'%"{name}":%'})
    return NodeHistory(
        reach.since,
        [NodeChange(node, moment, _value(before, name), _value(after, name)) for node, moment, before, after in rows],
    )


def _value(state: str | None, name: str) -> Any:
    return (decode_state(state) or {}).get(name)
