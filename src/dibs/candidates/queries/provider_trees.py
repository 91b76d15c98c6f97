"""Load provider trees for the search: only trees that pass the prefilter, each with all its members.

Loading takes four statements for any number of trees: members, inventories, traits, aggregates. Each selects the trees
by a list of roots, or by the statement that finds the roots.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, select

from dibs.candidates.model.provider_tree import SHARING_TRAIT, Member, Tree
from dibs.candidates.queries.prefilter import ROOT, Prefilter, Shape, padded, roots_that_match
from dibs.database import sets
from dibs.database.transaction import Row, Transaction
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.tables import inventories, provider_aggregates, provider_traits, providers, resource_classes

PAGE_MAX = 1_024

Roots = Select[Any] | list[BindParameter[Any]]
_STOCK = (
    "total",
    "reserved",
    "min_unit",
    "max_unit",
    "step_size",
    "allocation_ratio",
    "used",
    "created_at",
    "updated_at",
)
_SHARING_ROOTS = (
    select(providers.c.root_id)
    .join(provider_traits, provider_traits.c.provider_id == providers.c.id)
    .where(provider_traits.c.trait == SHARING_TRAIT)
)


class Loading:
    """The four statements that load trees."""

    def __init__(self, roots: Roots) -> None:
        member = providers.alias("member")
        members = select(member.c.id).where(member.c.root_id.in_(roots))
        self.members = (
            select(providers.c.id, providers.c.uuid, providers.c.parent_id, providers.c.root_id)
            .where(providers.c.root_id.in_(roots))
            .order_by(providers.c.root_id, providers.c.id)
        )
        self.inventories = (
            select(
                inventories.c.provider_id,
                resource_classes.c.name.label("resource_class"),
                *(inventories.c[name] for name in _STOCK),
            )
            .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
            .where(inventories.c.provider_id.in_(members))
            .order_by(inventories.c.provider_id, inventories.c.class_id)
        )
        self.traits = select(provider_traits.c.provider_id, provider_traits.c.trait.label("name")).where(
            provider_traits.c.provider_id.in_(members)
        )
        self.aggregates = select(
            provider_aggregates.c.provider_id, provider_aggregates.c.aggregate.label("name")
        ).where(provider_aggregates.c.provider_id.in_(members))


_OF_SHARING = Loading(_SHARING_ROOTS)


def sharing_trees(tx: Transaction) -> list[Tree]:
    """Return every tree that has a sharing member."""
    return _load(tx, _OF_SHARING, {})


def matching_trees(tx: Transaction, prefilter: Prefilter, *, after: int = 0) -> list[Tree]:
    """Return every tree that passes the prefilter and whose root comes after a row id, in the order of the roots."""
    return _load(tx, _of_all(prefilter.shape), {**prefilter.values, "after": after})


def page_of_trees(tx: Transaction, prefilter: Prefilter, *, after: int, count: int) -> list[Tree]:
    """Return at most ``count`` of these trees; ``count`` is PAGE_MAX at most."""
    roots = tx.values(_page(prefilter.shape), {**prefilter.values, "after": after, "page_limit": count})
    if not roots:
        return []
    listed = padded(roots)
    return _load(tx, _of_roots(len(listed)), sets.numbered("root", listed))


def roots_of(tx: Transaction, uuids: Sequence[str]) -> dict[str, str]:
    """Return the uuid of the root of each provider's tree; providers that do not exist are missing."""
    listed = padded(uuids)
    rows = tx.rows(_roots_of(len(listed)), sets.numbered("uuid", listed)) if uuids else []
    return {row["uuid"]: row["root"] for row in rows}


def _load(tx: Transaction, loading: Loading, values: Mapping[str, Any]) -> list[Tree]:
    members = tx.rows(loading.members, values)
    if not members:
        return []
    stocks: dict[int, list[Row]] = defaultdict(list)
    for row in tx.rows(loading.inventories, values):
        stocks[row.pop("provider_id")].append(row)
    traits_of = _names(tx.rows(loading.traits, values))
    aggregates_of = _names(tx.rows(loading.aggregates, values))
    rows = {row["id"]: row for row in members}
    trees: dict[int, list[Member]] = defaultdict(list)
    for row in members:
        trees[row["root_id"]].append(
            _member(row, rows, stocks[row["id"]], traits_of[row["id"]], aggregates_of[row["id"]])
        )
    return [
        Tree(next(member for member in found if member.id == root_id), tuple(found)) for root_id, found in trees.items()
    ]


def _member(
    row: Row, rows: Mapping[int, Row], stocks: Sequence[Row], traits: frozenset[str], aggregates: frozenset[str]
) -> Member:
    uuid, parent_id = row["uuid"], row["parent_id"]
    return Member(
        id=row["id"],
        uuid=uuid,
        parent=None if parent_id is None else rows[parent_id]["uuid"],
        root=rows[row["root_id"]]["uuid"],
        lineage=_lineage(row, rows),
        inventories={stock["resource_class"]: Inventory(provider=uuid, **stock) for stock in stocks},
        traits=traits,
        aggregates=aggregates,
    )


def _lineage(row: Row, rows: Mapping[int, Row]) -> frozenset[int]:
    found = {row["id"]}
    while row["parent_id"] is not None:
        row = rows[row["parent_id"]]
        found.add(row["id"])
    return frozenset(found)


def _names(rows: Sequence[Row]) -> dict[int, frozenset[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for row in rows:
        found[row["provider_id"]].add(row["name"])
    return defaultdict(frozenset, ((provider_id, frozenset(names)) for provider_id, names in found.items()))


@lru_cache(maxsize=500)
def _of_all(shape: Shape) -> Loading:
    return Loading(_behind(shape))


@lru_cache(maxsize=500)
def _page(shape: Shape) -> Select[Any]:
    return _behind(shape).order_by(ROOT.c.id).limit(bindparam("page_limit"))


def _behind(shape: Shape) -> Select[Any]:
    return roots_that_match(shape).where(ROOT.c.id > bindparam("after"))


@sets.cached
def _of_roots(count: int) -> Loading:
    return Loading(sets.binds("root", count))


@sets.cached
def _roots_of(count: int) -> Select[Any]:
    root = providers.alias("root")
    return (
        select(providers.c.uuid, root.c.uuid.label("root"))
        .join(root, root.c.id == providers.c.root_id)
        .where(providers.c.uuid.in_(sets.binds("uuid", count)))
    )
