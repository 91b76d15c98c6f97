"""Which nodes have traits, from the index of the structure: no statement looks at every node of a class.

docs/adr/0016-an-index-of-the-structure.md proves that the index is as new as the transaction that asks it.
"""

from collections.abc import Iterable, Sequence

from dibs.allocations.model.allocations import Requirements
from dibs.candidates.queries.structure import current_structure
from dibs.database.transaction import Transaction

LISTED_MAX = 2_000
"""The most nodes that are looked up one by one. Of a trait that more of them have, a search soon finds some."""


def with_traits(tx: Transaction, traits: Sequence[str]) -> list[int] | None:
    """Return the row ids of all nodes that have these traits, in order; None when there are no traits or many nodes.

    Other providers that have the traits are listed too.
    """
    return current_structure(tx).having(traits, LISTED_MAX) if traits else None


def for_each_trait(tx: Transaction, traits: Sequence[str]) -> list[list[int]] | None:
    """Return the nodes that have the first trait, the first two, and so on; None when many have the first."""
    structure = current_structure(tx)
    found = [structure.having(traits[: number + 1], LISTED_MAX) for number in range(len(traits))]
    return None if None in found else [ids for ids in found if ids is not None]


def possible(tx: Transaction, kinds: Iterable[Requirements]) -> list[Requirements]:
    """Return the requirements whose traits a node has, free or not. One statement for any number of them."""
    kinds = list(kinds)
    if not any(required.traits for required in kinds):
        return kinds
    structure = current_structure(tx)
    return [required for required in kinds if structure.having(required.traits, 0) != []]
