"""Give events their positions in streams."""

from collections.abc import Sequence

from sqlalchemy import BigInteger, BindParameter, Update, bindparam, case, func, insert, or_, select, update

from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.events.tables import event_positions, events

WITHOUT_MAX = 1_000
"""The most events without a position that are counted: with more of them, the last position moves all the time."""

_LOCK = update(event_positions).where(event_positions.c.id == 1).values(position=event_positions.c.position)
_CREATE = insert(event_positions).values(id=1, position=0)
_LAST = select(event_positions.c.position).where(event_positions.c.id == 1)
_MOVE = update(event_positions).where(event_positions.c.id == 1).values(position=bindparam("new_position"))
_WITHOUT = select(events.c.id).where(events.c.position.is_(None)).order_by(events.c.id).limit(bindparam("count_max"))
# One statement, and so one snapshot: an event that gets its position meanwhile is counted once.
_COUNT = select(
    func.coalesce(_LAST.scalar_subquery(), 0) + select(func.count()).select_from(_WITHOUT.subquery()).scalar_subquery()
)


def any_without(tx: Transaction) -> bool:
    """Return True when an event has no position yet."""
    return bool(tx.values(_WITHOUT, {"count_max": 1}))


def lock(tx: Transaction) -> int:
    """Keep all other transactions from giving positions until this one ends; return the last position."""
    if tx.change(_LOCK) != 1:
        try:
            tx.change(_CREATE)
        except Duplicate as error:
            # Another transaction inserted the row at the same moment; the next attempt finds it.
            raise Again from error
    return int(tx.values(_LAST)[0])


def last(tx: Transaction) -> int:
    """Return the position of the last event; 0 when there is none."""
    found = tx.values(_LAST)
    return int(found[0]) if found else 0


def count(tx: Transaction) -> int:
    """Return how many events were ever committed, as long as not too many of them wait for a position."""
    return int(tx.values(_COUNT, {"count_max": WITHOUT_MAX})[0])


def give(tx: Transaction, after: int, count_max: int) -> int:
    """Give the positions after ``after`` to events that have none, in the order of their ids; return how many."""
    ids = tx.values(_WITHOUT, {"count_max": min(count_max, sets.PIECE_MAX)})
    if ids:
        runs = sets.padded(_runs(ids, after + 1))
        tx.change(_give(len(runs)), sets.columns(runs))
        tx.change(_MOVE, {"new_position": after + len(ids)})
    return len(ids)


def _runs(ids: Sequence[int], position: int) -> list[dict[str, int]]:
    """Return the runs of consecutive ids, each with the difference between the positions and the ids.

    Most ids are consecutive. One run is one condition, while a value for each id would be compared with each row.
    """
    runs: list[dict[str, int]] = []
    for place, event_id in enumerate(ids, position):
        if runs and event_id == runs[-1]["last"] + 1:
            runs[-1]["last"] = event_id
        else:
            runs.append({"first": event_id, "last": event_id, "ahead": place - event_id})
    return runs


@sets.cached
def _give(count: int) -> Update:
    def bound(name: str) -> list[BindParameter[int]]:
        return sets.binds(name, count, BigInteger())

    within = [events.c.id.between(first, last) for first, last in zip(bound("first"), bound("last"), strict=True)]
    positions = (events.c.id + ahead for ahead in bound("ahead"))
    return update(events).where(or_(*within)).values(position=case(*zip(within, positions, strict=True)))
