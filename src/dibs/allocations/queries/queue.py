"""The queue as conductors read and write it.

Every write is guarded by the conductor's incarnation, which is the one in the row of the allocation's conductor only
until another conductor takes the allocation over, or another process the conductor's name: the compare-and-set of
specification 000. ``queries.waiting`` reads the entries that wait.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import BigInteger, Select, Update, and_, bindparam, exists, or_, select
from sqlalchemy import update as update_rows

from dibs.allocations.model.allocations import ACTIVE, ALLOCATING, ERROR, Allocation
from dibs.allocations.model.events import allocation_event
from dibs.allocations.model.lifetimes import End
from dibs.allocations.model.queue import QueueEntry
from dibs.allocations.queries.allocations import SELECT, decode, of_batch
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Again, Transaction
from dibs.machines.model.nodes import Node
from dibs.machines.tables import conductors

_OF_ID = allocations.c.id == bindparam("of_id")
_OPEN = allocations.c.state == ALLOCATING
_MINE = (
    allocations.c.conductor_id
    == select(conductors.c.id).where(conductors.c.incarnation == bindparam("of_incarnation")).scalar_subquery()
)
_FAIL = (
    update_rows(allocations)
    .where(_OF_ID, _OPEN, _MINE)
    .values(state=ERROR, last_error=bindparam("new_error"), updated_at=bindparam("now"))
)
_REOPEN = (
    update_rows(allocations)
    .where(or_(allocations.c.batch == bindparam("of_batch"), _OF_ID), allocations.c.state == ERROR)
    .values(
        state=ALLOCATING,
        last_error=None,
        conductor_id=bindparam("new_conductor"),
        wait_until=bindparam("new_wait_until"),
        keep_alive_seconds=bindparam("new_keep_alive_seconds"),
        alive_until=bindparam("new_alive_until"),
        ends_at=bindparam("new_ends_at"),
        end_due_at=bindparam("new_ends_at"),
        noticed_at=None,
        promised_at=None,
        promise_nodes="[]",
        depends_on=None,
        moved_by=None,
        updated_at=bindparam("now"),
    )
)
_MOVE_ALL = (
    update_rows(allocations)
    .where(_OPEN, allocations.c.conductor_id == bindparam("of_conductor"))
    .values(conductor_id=bindparam("new_conductor"))
)
_FAILED_CONDUCTORS = (
    select(conductors.c.id)
    .where(
        or_(conductors.c.online == 0, conductors.c.alive_until < bindparam("now")),
        exists().where(_OPEN, allocations.c.conductor_id == conductors.c.id),
    )
    .order_by(conductors.c.id)
)

_EARLIER = allocations.alias("earlier")
_FIRST_OF_BATCH = and_(
    allocations.c.batch.is_not(None),
    ~exists().where(
        _EARLIER.c.batch == allocations.c.batch,
        _EARLIER.c.state == ALLOCATING,
        _EARLIER.c.id < allocations.c.id,
    ),
)
_SINGLE_AND_NOT_WAITING = and_(
    allocations.c.batch.is_(None),
    or_(allocations.c.wait_until.is_(None), allocations.c.wait_until <= bindparam("now")),
)
_DUE = (
    select(allocations.c.uuid, allocations.c.batch, allocations.c.wait_until)
    .where(_OPEN, _MINE, or_(_SINGLE_AND_NOT_WAITING, _FIRST_OF_BATCH))
    .order_by(allocations.c.id)
    .limit(bindparam("count_max"))
)

_ANY_WAITING = select(allocations.c.id).where(_OPEN, _MINE, allocations.c.wait_until > bindparam("now")).limit(1)


# --- which entries come next ---


def due(tx: Transaction, incarnation: str, now: int, count_max: int) -> list[QueueEntry]:
    """Return a conductor's entries that do not wait, or no longer, oldest first; and every batch, waiting or not."""
    return [
        QueueEntry(
            key=row["batch"] or row["uuid"], batch=row["batch"] is not None, waits=(row["wait_until"] or 0) > now
        )
        for row in tx.rows(_DUE, {"of_incarnation": incarnation, "now": now, "count_max": count_max})
    ]


def any_waiting(tx: Transaction, incarnation: str, now: int) -> bool:
    """Return True when an allocation of this conductor waits."""
    return bool(tx.values(_ANY_WAITING, {"of_incarnation": incarnation, "now": now}))


def open_allocations(tx: Transaction, entry: QueueEntry) -> list[Allocation]:
    """Return the allocations of an entry that need a node, in queue order; none when the entry is settled."""
    return open_of_entries(tx, [entry]).get(entry.key, [])


def open_of_entries(tx: Transaction, entries: Sequence[QueueEntry]) -> dict[str, list[Allocation]]:
    """Return the allocations of entries that need a node, in queue order, by the key of their entry."""
    found: dict[str, list[Allocation]] = {}
    for column in ("uuid", "batch"):
        keys = [entry.key for entry in entries if entry.batch == (column == "batch")]
        for piece in map(sets.padded, sets.pieces(keys)):
            for row in tx.rows(_by(column, len(piece)), sets.numbered("key", piece)):
                # Not a condition of the statement: SQLite would read all open allocations instead of these.
                if row["state"] == ALLOCATING:
                    found.setdefault(row[column], []).append(decode(row))
    return found


# --- how an entry ends, and which conductor has it ---


def grant(tx: Transaction, granted: Sequence[tuple[Allocation, Node, End]], incarnation: str, now: int) -> bool:
    """Give each allocation its locked node; return False when none is this conductor's any more, or none is open.

    When only some are not, a client has deleted one at this moment: the transaction runs again without it.
    """
    rows = [
        {"id": allocation.id, "node": node.id, "ends_at": end.ends_at, "due_at": end.due_at}
        for allocation, node, end in granted
    ]
    changed = tx.change(_grant(len(rows)), {"of_incarnation": incarnation, "now": now, **sets.columns(rows)})
    if 0 < changed < len(rows):
        raise Again
    for allocation, node, end in granted if changed else ():
        given = {"node_id": node.id, "node_uuid": node.uuid, "last_error": None, "ends_at": end.ends_at}
        tx.record(allocation_event(allocation, replace(allocation, state=ACTIVE, **given)))
    return changed > 0


def fail(tx: Transaction, allocation: Allocation, incarnation: str, reason: str, now: int) -> bool:
    """End an allocation without a node; return False when it is no longer this conductor's, or no longer open."""
    values = {"of_id": allocation.id, "of_incarnation": incarnation, "new_error": reason, "now": now}
    if tx.change(_FAIL, values) != 1:
        return False
    tx.record(allocation_event(allocation, replace(allocation, state=ERROR, last_error=reason)))
    return True


def reopen(tx: Transaction, allocation: Allocation, *, conductor_id: int, wait_until: int | None, now: int) -> int:
    """Put a failed allocation, and all of its batch, back into the queue; return how many."""
    values = {
        "of_batch": allocation.batch,
        "of_id": allocation.id,
        "new_conductor": conductor_id,
        "new_wait_until": wait_until,
        "new_keep_alive_seconds": allocation.keep_alive_seconds,
        "new_alive_until": allocation.alive_from(now),
        "new_ends_at": allocation.lifetime.until,
        "now": now,
    }
    count = tx.change(_REOPEN, values)
    if count:
        for each in [allocation] if allocation.batch is None else of_batch(tx, allocation.batch):
            failed = replace(each, state=ERROR, last_error=each.last_error or allocation.last_error)
            tx.record(allocation_event(failed, replace(each, state=ALLOCATING, last_error=None)))
    return count


def failed_conductors(tx: Transaction, now: int) -> list[int]:
    """Return the ids of conductors that failed or stopped and have open allocations."""
    return tx.values(_FAILED_CONDUCTORS, {"now": now})


def move_all(tx: Transaction, *, from_conductor: int, to_conductor: int) -> int:
    """Move every open allocation of one conductor to another, and return how many moved."""
    return tx.change(_MOVE_ALL, {"of_conductor": from_conductor, "new_conductor": to_conductor})


@sets.cached
def _by(column: str, count: int) -> Select[Any]:
    return SELECT.where(allocations.c[column].in_(sets.binds("key", count))).order_by(allocations.c.id)


@sets.cached
def _grant(count: int) -> Update:
    """UPDATE allocations SET node_id = CASE id WHEN <first> THEN <its node> … WHERE id IN … AND <open and mine>"""
    own = {
        column: sets.by_key(allocations.c.id, "id", name, count, BigInteger())
        for column, name in (("node_id", "node"), ("ends_at", "ends_at"), ("end_due_at", "due_at"))
    }
    mine = update_rows(allocations).where(sets.LockedInOrder(allocations.c.id, sets.binds("id", count)), _OPEN, _MINE)
    return mine.values(**own, state=ACTIVE, last_error=None, updated_at=bindparam("now"))
