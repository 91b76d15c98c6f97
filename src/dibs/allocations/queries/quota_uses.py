"""Allocations that have no node yet, as quotas count them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, func, select

from dibs.allocations.model.allocations import ALLOCATING
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.quotas.model.uses import Queued


def queued(tx: Transaction, projects: Sequence[str]) -> list[Queued]:
    """Return the number of allocations of projects in the queue, by class."""
    return [
        Queued(project, resource_class or "", count)
        for piece in sets.pieces(projects)
        for project, resource_class, count in tx.tuples(_queued(len(piece)), sets.numbered("project", piece))
    ]


@sets.cached
def _queued(count: int) -> Select[Any]:
    return (
        select(allocations.c.owner, allocations.c.resource_class, func.count())
        .where(allocations.c.owner.in_(sets.binds("project", count)), allocations.c.state == ALLOCATING)
        .group_by(allocations.c.owner, allocations.c.resource_class)
    )
