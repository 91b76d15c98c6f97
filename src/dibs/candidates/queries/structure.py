"""The index of the structure, as it is in the transaction of a search.

docs/adr/0016-an-index-of-the-structure.md proves that no transaction sees a structure older than its own snapshot.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, select

from dibs.candidates.model.index.building import StructureRows, build_trees
from dibs.candidates.model.index.shapes import IndexedTree, Shape
from dibs.candidates.model.index.structure import NOTHING, Part, Structure, part_of
from dibs.database.sets import Among, listed
from dibs.database.transaction import Transaction
from dibs.ledger.queries import structure
from dibs.ledger.tables import inventories, provider_aggregates, provider_traits, providers, resource_classes

REMEMBERED = "structure"

_ROOTS = Among(select(providers.c.id).where(providers.c.parent_id.is_(None)), providers.c.bucket, "listed")
_CLASS_NAMES = Among(select(resource_classes.c.id, resource_classes.c.name), resource_classes.c.id, "listed")
_MEMBERS = select(*(providers.c[name] for name in ("id", "uuid", "parent_id", "root_id", "bucket"))).order_by(
    providers.c.root_id, providers.c.id
)
_SIZES = ("total", "min_unit", "max_unit", "step_size", "allocation_ratio")
_STOCKS = select(inventories.c.provider_id, inventories.c.class_id, *(inventories.c[name] for name in _SIZES)).order_by(
    inventories.c.provider_id, inventories.c.class_id
)
_TRAITS = select(provider_traits.c.provider_id, provider_traits.c.trait).order_by(
    provider_traits.c.provider_id, provider_traits.c.trait
)
_AGGREGATES = select(provider_aggregates.c.provider_id, provider_aggregates.c.aggregate).order_by(
    provider_aggregates.c.provider_id, provider_aggregates.c.aggregate
)


class _Reading:
    """A statement that reads all rows of a table, or those whose ids are listed."""

    def __init__(self, every: Select[Any], key: ColumnElement[Any]) -> None:
        self._every = every
        self._some = Among(every, key, "listed")

    def rows(self, tx: Transaction, ids: Collection[int] | None) -> list[tuple[Any, ...]]:
        """Return all rows, or some."""
        return tx.tuples(self._every) if ids is None else tx.tuples(self._some, {"listed": listed(ids)})


_READ_MEMBERS = _Reading(_MEMBERS, providers.c.root_id)
_READ_STOCKS = _Reading(_STOCKS, inventories.c.provider_id)
_READ_TRAITS = _Reading(_TRAITS, provider_traits.c.provider_id)
_READ_AGGREGATES = _Reading(_AGGREGATES, provider_aggregates.c.provider_id)


def current_structure(tx: Transaction) -> Structure:
    """Return the structure that this transaction sees; load only what has changed since the process loaded it."""
    # A transaction that changes the structure sees its own changes: they get their versions now.
    tx.finish()
    known = known_structure(tx)
    if known is not None and known.sum_of_versions == structure.sum_of_versions(tx):
        return known
    loaded = Structure(_load(tx, known or NOTHING))
    tx.remember(REMEMBERED, loaded)
    return loaded


def known_structure(tx: Transaction) -> Structure | None:
    """Return the structure that the process loaded last, whether the transaction sees the same or not."""
    known: Structure | None = tx.recall(REMEMBERED)
    return known


def _load(tx: Transaction, known: Structure) -> dict[int, Part]:
    """Return every bucket, those of the known version as they are."""
    rows, versions = structure.read_changed(tx, {bucket: part.version for bucket, part in known.parts.items()}, _read)
    return {**known.parts, **_parts(rows, versions, known.shapes)}


def _read(tx: Transaction, buckets: Collection[int]) -> StructureRows:
    every = len(buckets) > structure.BUCKETS // 2
    members = _READ_MEMBERS.rows(tx, None if every else tx.values(_ROOTS, {"listed": listed(buckets)}))
    ids = None if every else [member[0] for member in members]
    stocks = _READ_STOCKS.rows(tx, ids)
    return StructureRows(
        members=members,
        stocks=stocks,
        class_names=dict(tx.tuples(_CLASS_NAMES, {"listed": listed({stock[1] for stock in stocks})})),
        traits=_READ_TRAITS.rows(tx, ids),
        aggregates=_READ_AGGREGATES.rows(tx, ids),
    )


def _parts(rows: StructureRows, versions: Mapping[int, int], known: Mapping[Shape, Shape]) -> dict[int, Part]:
    """Return the trees of buckets; rows of other buckets are left out."""
    bucket_of = {provider_id: bucket for provider_id, _, above, _, bucket in rows.members if above is None}
    trees: dict[int, list[IndexedTree]] = defaultdict(list)
    for tree in build_trees(rows, known):
        trees[bucket_of[tree.root_id]].append(tree)
    return {bucket: part_of(version, trees[bucket]) for bucket, version in versions.items()}
