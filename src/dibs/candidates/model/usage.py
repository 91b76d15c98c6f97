"""What of the structure is used: read in the transaction of the search, for the trees that it looks at."""

from collections.abc import Mapping, Sequence

from dibs.candidates.model.index.shapes import IndexedTree, Stock
from dibs.candidates.model.provider_tree import Member, Tree
from dibs.ledger.model.inventories import Inventory

Usage = Mapping[int, Mapping[int, tuple[int, int]]]
"""Row id of a provider -> row id of a class -> used and reserved amount. Of other inventories nothing is used."""

NOTHING_USED: Usage = {}
NOTHING = (0, 0)
"""The amounts of an inventory that is not in use."""


def provider_tree(tree: IndexedTree, usage: Usage) -> Tree:
    """Return a tree in the form that the search by backtracking takes."""
    members = tuple(member_of(tree, position, usage) for position in range(len(tree.ids)))
    return Tree(members[tree.shape.root], members)


def member_of(tree: IndexedTree, position: int, usage: Usage) -> Member:
    """Return a member of a tree with its inventories."""
    kind, provider_id, uuid = tree.shape.kinds[position], tree.ids[position], tree.uuids[position]
    in_use = usage.get(provider_id, {})
    return Member(
        id=provider_id,
        uuid=uuid,
        parent=tree.parent_uuid(position),
        root=tree.root_uuid,
        lineage=_lineage(tree.ids, tree.shape.parents, position),
        inventories={
            stock.resource_class: _inventory(uuid, stock, *in_use.get(stock.class_id, NOTHING)) for stock in kind.stocks
        },
        traits=kind.traits,
        aggregates=kind.aggregates,
    )


def _lineage(ids: Sequence[int], parents: Sequence[int | None], position: int) -> frozenset[int]:
    found = {ids[position]}
    above = parents[position]
    while above is not None:
        found.add(ids[above])
        above = parents[above]
    return frozenset(found)


def _inventory(uuid: str, stock: Stock, used: int, reserved: int) -> Inventory:
    return Inventory(
        provider=uuid,
        resource_class=stock.resource_class,
        total=stock.total,
        reserved=reserved,
        min_unit=stock.min_unit,
        max_unit=stock.max_unit,
        step_size=stock.step_size,
        allocation_ratio=stock.allocation_ratio,
        used=used,
    )
