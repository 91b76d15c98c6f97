"""Shares of projects. The row of a project is locked by every transaction that gives it nodes from the queue."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.ledger.tables import claims, consumers
from dibs.machines.tables import nodes
from dibs.quotas.model.events import share_event
from dibs.quotas.model.shares import NO_PROJECT, Share
from dibs.quotas.tables import shares

_COLUMNS = tuple(shares.c[name] for name in ("project_id", "weight", "average", "nodes", "counted_at"))
_OF_PROJECT = shares.c.project_id == bindparam("of_project")
# The generation changes, because Galera detects a conflict only between transactions that change a row.
_LOCK = update(shares).where(_OF_PROJECT).values(generation=shares.c.generation + 1)
_GET = select(*_COLUMNS).where(_OF_PROJECT)
_NEW: dict[str, Any] = {name: bindparam(f"new_{name}") for name in ("weight", "average", "nodes", "counted_at")}
_INSERT = insert(shares).values(project_id=bindparam("new_project"), generation=1, **_NEW)
_UPDATE = update(shares).where(_OF_PROJECT).values(**_NEW)
_PAGE = (
    select(*_COLUMNS)
    .where(shares.c.project_id > bindparam("after"))
    .order_by(shares.c.project_id)
    .limit(bindparam("page_limit"))
)
_CLAIMED = consumers.join(claims, claims.c.consumer_id == consumers.c.id).join(
    nodes, nodes.c.id == claims.c.provider_id
)
_COUNT_WITHOUT_PROJECT = select(func.count()).select_from(_CLAIMED).where(consumers.c.project_id.is_(None))
_OLD = (shares.c.weight.is_(None), shares.c.counted_at < bindparam("before"))
_FORGOTTEN = select(shares.c.project_id).where(*_OLD).order_by(shares.c.counted_at).limit(bindparam("count_max"))


def lock(tx: Transaction, project: str) -> Share | None:
    """Lock the share of a project until the transaction ends; return None when it has none."""
    if not tx.change(_LOCK, {"of_project": project}):
        return None
    return _share(tx.tuples(_GET, {"of_project": project})[0])


def get_many(tx: Transaction, projects: Sequence[str]) -> dict[str, Share]:
    """Return the shares of those projects that have one."""
    return {
        row[0]: _share(row)
        for piece in sets.pieces(projects)
        for row in tx.tuples(_select(len(piece)), sets.numbered("project", piece))
    }


def page(tx: Transaction, projects: VisibleProjects, after: str, limit: int) -> list[Share]:
    """Return shares of projects whose names follow another in the order of names."""
    if projects is not EVERY_PROJECT:
        found = get_many(tx, sorted(project for project in projects if project > after))
        return list(found.values())[:limit]
    return [_share(row) for row in tx.tuples(_PAGE, {"after": after, "page_limit": limit})]


def write(tx: Transaction, before: Share | None, after: Share) -> None:
    """Write the share of a project, which is locked if it exists."""
    values = {f"new_{name}": getattr(after, name) for name in ("weight", "average", "nodes", "counted_at")}
    if before is not None:
        tx.change(_UPDATE, {**values, "of_project": after.project})
    else:
        try:
            tx.change(_INSERT, {**values, "new_project": after.project})
        except Duplicate as error:
            raise Again from error  # A concurrent transaction counted the first node of the project.
    tx.record(share_event(before, after))


def count_nodes(tx: Transaction, projects: Sequence[str]) -> dict[str, int]:
    """Return how many nodes consumers of these projects have claimed."""
    found = {
        project: count
        for piece in sets.pieces(projects)
        for project, count in tx.tuples(_count(len(piece)), sets.numbered("project", piece))
    }
    if NO_PROJECT in projects:
        found[NO_PROJECT] = tx.values(_COUNT_WITHOUT_PROJECT)[0]
    return found


def forget(tx: Transaction, before: int, count_max: int) -> int:
    """Delete shares without a weight that have not changed since a moment, at most ``count_max``; return how many."""
    found = tx.values(_FORGOTTEN, {"before": before, "count_max": count_max})
    return sum(
        tx.change(_forget(len(piece)), {"before": before, **sets.numbered("project", piece)})
        for piece in sets.pieces(found)
    )


@sets.cached
def _select(count: int) -> Select[Any]:
    return select(*_COLUMNS).where(shares.c.project_id.in_(sets.binds("project", count)))


@sets.cached
def _count(count: int) -> Select[Any]:
    return (
        select(consumers.c.project_id, func.count())
        .select_from(_CLAIMED)
        .where(consumers.c.project_id.in_(sets.binds("project", count)))
        .group_by(consumers.c.project_id)
    )


@sets.cached
def _forget(count: int) -> Delete:
    return delete_rows(shares).where(shares.c.project_id.in_(sets.binds("project", count)), *_OLD)


def _share(row: Any) -> Share:
    project, weight, average, count, counted_at = row
    return Share(project=project, weight=weight, average=average, nodes=count, counted_at=counted_at)
