"""Count the free nodes that a changed request could have: one statement for each kind of change."""

from collections import Counter
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, func, select

from dibs.allocations.model.allocations import ALLOCATING, Requirements
from dibs.allocations.queries import bearers, free_nodes
from dibs.allocations.queries.free_nodes import Shape
from dibs.allocations.tables import allocations
from dibs.database.transaction import Transaction
from dibs.machines.tables import nodes

NODES_MAX = 2_000
"""How many free nodes are counted, more than the largest batch has. With fewer, offers are fewer, but none is wrong."""

_QUEUED = (
    select(allocations.c.resource_class, func.count())
    .where(allocations.c.state == ALLOCATING)
    .group_by(allocations.c.resource_class)
)


def queued(tx: Transaction) -> dict[str | None, int]:
    """Return how many allocations have no node yet, by their class."""
    return dict(tx.tuples(_QUEUED))


def by_missing_traits(tx: Transaction, required: Requirements) -> Counter[frozenset[str]]:
    """Return how many nodes of the class are free, by the required traits that they lack."""
    found: Counter[frozenset[str]] = Counter()
    for missing, count in tx.tuples(_by_missing(free_nodes.shape_of(required)), free_nodes.values_of(required)):
        found[frozenset(free_nodes.traits_of(required, missing))] += count
    return found


def by_class(tx: Transaction, required: Requirements) -> dict[str, int]:
    """Return how many nodes of other classes are free and meet the other requirements, by their class."""
    if bearers.with_traits(tx, required.traits) == []:
        return {}
    return dict(tx.tuples(_by_class(free_nodes.shape_of(required)), free_nodes.values_of(required)))


@lru_cache(maxsize=500)
def _by_missing(shape: Shape) -> Select[Any]:
    missing = free_nodes.missing_traits(shape).label("missing")
    free = free_nodes.free(free_nodes.concerned(shape), missing).limit(NODES_MAX).subquery("free")
    return select(free.c.missing, func.count()).group_by(free.c.missing)


@lru_cache(maxsize=500)
def _by_class(shape: Shape) -> Select[Any]:
    of_class, *others = free_nodes.suitable(shape)
    free = free_nodes.free([~of_class, *others], nodes.c.resource_class).limit(NODES_MAX).subquery("free")
    return select(free.c.resource_class, func.count()).group_by(free.c.resource_class)
