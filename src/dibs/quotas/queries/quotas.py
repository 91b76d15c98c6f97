"""Quotas of projects. The row of a project is locked by every transaction that adds to what the project uses."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Select, Update, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.quotas.model.events import quota_event
from dibs.quotas.model.quotas import Limits, Quota
from dibs.quotas.tables import quotas

_decode = msgspec.json.Decoder(dict[str, Limits]).decode

_COLUMNS = (quotas.c.project_id, quotas.c.limits)
_OF_PROJECT = quotas.c.project_id == bindparam("of_project")
_INSERT = insert(quotas).values(
    project_id=bindparam("new_project"), generation=1, limits=bindparam("new_limits"), created_at=bindparam("now")
)
_UPDATE = update(quotas).where(_OF_PROJECT).values(limits=bindparam("new_limits"), updated_at=bindparam("now"))
_DELETE = delete_rows(quotas).where(_OF_PROJECT)
_PAGE = (
    select(*_COLUMNS)
    .where(quotas.c.project_id > bindparam("after"))
    .order_by(quotas.c.project_id)
    .limit(bindparam("page_limit"))
)


def lock(tx: Transaction, projects: Sequence[str]) -> bool:
    """Lock the quotas of projects until the transaction ends; return False when none of them has one.

    The generation changes, because Galera detects a conflict only between transactions that change a row.
    """
    changed = [tx.change(_lock(len(piece)), sets.numbered("project", piece)) for piece in sets.pieces(projects)]
    return any(changed)


def lock_or_add(tx: Transaction, project: str, now: int) -> None:
    """Lock the quota of a project whose limits are not here; its row is only the lock."""
    if not lock(tx, [project]):
        try:
            tx.change(_INSERT, {"new_project": project, "new_limits": "{}", "now": now})
        except Duplicate as error:
            raise Again from error  # A concurrent transaction booked the first node of the project.


def get_many(tx: Transaction, projects: Sequence[str]) -> dict[str, Quota]:
    """Return the quotas of those projects that have one."""
    return {
        project: Quota(project=project, limits=_decode(limits))
        for piece in sets.pieces(projects)
        for project, limits in tx.tuples(_select(len(piece)), sets.numbered("project", piece))
    }


def page(tx: Transaction, projects: VisibleProjects, after: str, limit: int) -> list[Quota]:
    """Return quotas of projects whose names follow another in the order of names."""
    if projects is not EVERY_PROJECT:
        found = get_many(tx, sorted(project for project in projects if project > after))
        return list(found.values())[:limit]
    rows = tx.tuples(_PAGE, {"after": after, "page_limit": limit})
    return [Quota(project=project, limits=_decode(limits)) for project, limits in rows]


def write(tx: Transaction, before: Quota | None, project: str, limits: Mapping[str, Limits], now: int) -> Quota:
    """Set the limits of a project, whose quota is locked if it has one."""
    after = Quota(project=project, limits=limits)
    values = {"new_limits": msgspec.json.encode(limits).decode(), "now": now}
    if before is not None:
        tx.change(_UPDATE, {**values, "of_project": project})
    else:
        try:
            tx.change(_INSERT, {**values, "new_project": project})
        except Duplicate as error:
            raise Again from error  # A concurrent transaction set the first limit of the project.
    tx.record(quota_event(before, after))
    return after


def remove(tx: Transaction, quota: Quota) -> None:
    """Remove all limits of a project, whose quota is locked."""
    tx.change(_DELETE, {"of_project": quota.project})
    tx.record(quota_event(quota, None))


@sets.cached
def _lock(count: int) -> Update:
    return (
        update(quotas)
        .where(quotas.c.project_id.in_(sets.binds("project", count)))
        .values(generation=quotas.c.generation + 1)
    )


@sets.cached
def _select(count: int) -> Select[Any]:
    return select(*_COLUMNS).where(quotas.c.project_id.in_(sets.binds("project", count)))
