"""The entries of the queue that wait, of all conductors.

They are read often and may be many, so their rows are narrow, and equal requirements are decoded once.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, select

from dibs.allocations.model.allocations import ALLOCATING, Allocation, Lifetime, Requirements
from dibs.allocations.model.queue import QueueEntry, WaitingEntry
from dibs.allocations.queries.allocations import SELECT, decode
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Row, Transaction
from dibs.machines.tables import conductors

_OPEN = allocations.c.state == ALLOCATING
# An entry of a failed conductor holds up no other: it cannot be matched before another conductor takes it over.
_WAITS = (
    _OPEN,
    allocations.c.wait_until > bindparam("now"),
    conductors.c.online == 1,
    conductors.c.alive_until >= bindparam("now"),
)
_WAITING = (
    select(
        *(
            allocations.c[name]
            for name in (
                "id",
                "uuid",
                "batch",
                "conductor_id",
                "resource_class",
                "traits",
                "candidate_nodes",
                "owner",
                "lifetime_seconds",
                "ends_at",
                "created_at",
            )
        )
    )
    .join(conductors, conductors.c.id == allocations.c.conductor_id)
    .where(*_WAITS)
    .order_by(allocations.c.id)
)
_AHEAD = allocations.c.id < bindparam("before_id")
# Those of failed conductors too. A kind too many costs a look for a free node; a join costs PostgreSQL, without
# statistics, a scan of all conductors for each entry.
_KINDS = (
    select(*(allocations.c[name] for name in ("resource_class", "traits", "candidate_nodes", "owner")))
    .where(_OPEN, allocations.c.wait_until > bindparam("now"))
    .distinct()
)
_WAITING_ALLOCATIONS = (
    SELECT.join(conductors, conductors.c.id == allocations.c.conductor_id)
    .where(*_WAITS)
    .order_by(allocations.c.id)
    .limit(bindparam("count_max"))
)
_WAITING_PROJECTS = select(allocations.c.owner).where(_OPEN, allocations.c.wait_until > bindparam("now")).distinct()


def kinds(tx: Transaction, now: int) -> list[Requirements]:
    """Return the different requirements of the entries that wait."""
    decoded: dict[tuple[Any, ...], Requirements] = {}
    return [_requirements(row, decoded) for row in tx.rows(_KINDS, {"now": now})]


def kinds_ahead(tx: Transaction, classes: Sequence[str | None], before_id: int, now: int) -> list[Requirements]:
    """Return the different requirements of the waiting entries for some classes that are older than an id."""
    listed, decoded = sets.padded(classes), dict[tuple[Any, ...], Requirements]()
    values = {**sets.numbered("class", listed), "before_id": before_id, "now": now}
    return [_requirements(row, decoded) for row in tx.rows(_kinds_ahead(len(listed)), values)]


def of_classes(tx: Transaction, resource_classes: Sequence[str | None], now: int) -> list[WaitingEntry]:
    """Return the waiting entries for some classes, in the order of their age."""
    listed = sets.padded(resource_classes)
    return _entries(tx.rows(_of_classes(len(listed)), {**sets.numbered("class", listed), "now": now}))


def ahead(tx: Transaction, classes: Sequence[str | None], before_id: int, now: int) -> list[WaitingEntry]:
    """Return the waiting entries for some classes that are older than an id, in the order of their age."""
    listed = sets.padded(classes)
    values = {**sets.numbered("class", listed), "before_id": before_id, "now": now}
    return _entries(tx.rows(_ahead(len(listed)), values))


def every(tx: Transaction, now: int) -> list[WaitingEntry]:
    """Return all waiting entries, in the order of their age."""
    return _entries(tx.rows(_WAITING, {"now": now}))


def projects(tx: Transaction, now: int) -> list[str | None]:
    """Return the projects of all waiting entries; None stands for those without a project."""
    return tx.values(_WAITING_PROJECTS, {"now": now})


def head(tx: Transaction, now: int, count_max: int) -> list[Allocation]:
    """Return the allocations that wait, in queue order, each with its promise."""
    return [decode(row) for row in tx.rows(_WAITING_ALLOCATIONS, {"now": now, "count_max": count_max})]


def allocations_of(tx: Transaction, entries: Iterable[WaitingEntry]) -> list[list[Allocation]]:
    """Return the allocations of each entry, each with its promise; an entry that has ended meanwhile is left out."""
    entries = list(entries)
    found = {
        row["id"]: decode(row)
        for piece in sets.pieces([each for entry in entries for each in entry.ids])
        for row in tx.rows(_of_ids(len(piece)), sets.numbered("id", piece))
    }
    members = ([found[each] for each in entry.ids if each in found] for entry in entries)
    return [each for each in members if each]


@sets.cached
def _of_classes(count: int) -> Select[Any]:
    return _WAITING.where(_has_class(count))


@sets.cached
def _ahead(count: int) -> Select[Any]:
    return _WAITING.where(_has_class(count), _AHEAD)


@sets.cached
def _kinds_ahead(count: int) -> Select[Any]:
    return _KINDS.where(_has_class(count), _AHEAD)


def _has_class(count: int) -> ColumnElement[bool]:
    return allocations.c.resource_class.in_(sets.binds("class", count))


@sets.cached
def _of_ids(count: int) -> Select[Any]:
    return SELECT.where(_OPEN, allocations.c.id.in_(sets.binds("id", count)))


def _entries(rows: list[Row]) -> list[WaitingEntry]:
    """Group allocations into entries; a batch has the position of its first allocation."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row["batch"] or row["uuid"], []).append(row)
    decoded: dict[tuple[Any, ...], Requirements] = {}
    return [
        WaitingEntry(
            entry=QueueEntry(key=key, batch=members[0]["batch"] is not None, waits=True),
            conductor_id=members[0]["conductor_id"],
            requirements=_requirements(members[0], decoded),
            ids=tuple(member["id"] for member in members),
            lifetime=Lifetime(members[0]["lifetime_seconds"], members[0]["ends_at"]),
            created_at=members[0]["created_at"],
        )
        for key, members in grouped.items()
    ]


def _requirements(row: Row, decoded: dict[tuple[Any, ...], Requirements]) -> Requirements:
    stored = (row["resource_class"], row["traits"], row["candidate_nodes"], row["owner"])
    if stored not in decoded:
        decoded[stored] = Requirements(
            resource_class=row["resource_class"],
            traits=tuple(json.loads(row["traits"])),
            candidate_nodes=tuple(json.loads(row["candidate_nodes"])),
            owner=row["owner"],
        )
    return decoded[stored]
