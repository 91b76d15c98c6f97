"""Plans: every way in which the trees of one shape could supply a query if nothing of them were used.

The search by backtracking runs once for each shape. What is used only excludes some of these ways, so that a tree is
searched by comparing amounts. A shape with very many ways (wide trees, many groups) has no plan; then each of its trees
is searched by itself, up to the limit of the query.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.index.shapes import IndexedTree, Stock
from dibs.candidates.model.index.structure import Position
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.search import search
from dibs.candidates.model.slots import Choice, Slot, with_choices_of
from dibs.candidates.model.usage import NOTHING, NOTHING_USED, Usage, member_of, provider_tree

PLANNED_MAX = 64
"""The largest number of ways in a plan."""

Amounts = tuple[tuple[str, int], ...]
"""Resource classes with amounts."""


class Combination(Struct, frozen=True):
    """One way to supply a query. A provider is named by its *place*: members of the tree first, then sharing ones."""

    supplies: tuple[tuple[int, Amounts], ...]
    """What each place supplies."""
    needs: tuple[tuple[int, tuple[tuple[Stock, int], ...]], ...]
    """The sum that is taken of each inventory of each place."""
    mappings: tuple[tuple[str, tuple[int, ...]], ...]
    """Suffix of each group, and the places that supply it."""
    shared_only: object = None
    """A key when all providers share: then other trees have the same candidate. Otherwise None."""

    def fits(self, ids: Sequence[int], usage: Usage) -> bool:
        """Return True when the places, which have these row ids, have enough left."""
        for place, amounts in self.needs:
            of_provider = usage.get(ids[place])
            if of_provider is not None:
                for stock, amount in amounts:
                    used, reserved = of_provider.get(stock.class_id, NOTHING)
                    if used + amount > stock.capacity(reserved):
                        return False
        return True


class Plan(Struct, frozen=True, kw_only=True):
    """The ways for trees of one shape."""

    others: tuple[Position, ...]
    """The members of other trees that share with these trees."""
    ways: tuple[Combination, ...] | None
    """None when there are too many."""

    other_ids: tuple[int, ...]
    """Their row ids."""
    other_uuids: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ways != ()


def plan_for(query: CandidateQuery, slots: Sequence[Slot], tree: IndexedTree, others: tuple[Position, ...]) -> Plan:
    """Return the plan of the shape of this tree."""
    found = list(islice(ways_of(query, slots, tree, others, NOTHING_USED), PLANNED_MAX + 1))
    return Plan(
        others=others,
        ways=None if len(found) > PLANNED_MAX else tuple(found),
        other_ids=tuple(other.ids[position] for other, position in others),
        other_uuids=tuple(other.uuids[position] for other, position in others),
    )


def ways_of(
    query: CandidateQuery,
    slots: Sequence[Slot],
    tree: IndexedTree,
    others: tuple[Position, ...],
    usage: Usage,
    in_order: Callable[[Sequence[Member]], Sequence[Member]] = list,
) -> Iterator[Combination]:
    """Yield every way to supply the query from this tree and the others; each member of them has enough left."""
    whole = provider_tree(tree, usage)
    if not query.root_traits.met_by(whole.root.traits):
        return
    sharing = [member_of(*each, usage) for each in others]
    filled = with_choices_of(slots, whole, sharing)
    ordered = [slot.with_choices(in_order(slot.choices)) for slot in filled]
    stocks = _stocks(tree, others)
    places = {member.id: place for place, member in enumerate((*whole.members, *sharing))}
    for choice in search(query, ordered):
        yield _combination(choice, places, stocks)


def within_reach(tree: IndexedTree, sharing: Sequence[Position]) -> tuple[Position, ...]:
    """Return the sharing members of other trees that are in an aggregate with any member of this tree."""
    if not sharing:
        return ()
    aggregates = frozenset().union(*(kind.aggregates for kind in tree.shape.kinds))
    return tuple(
        (other, position)
        for other, position in sharing
        if other.root_id != tree.root_id and not other.shape.kinds[position].aggregates.isdisjoint(aggregates)
    )


def _stocks(tree: IndexedTree, others: Sequence[Position]) -> list[dict[str, Stock]]:
    kinds = (*tree.shape.kinds, *(other.shape.kinds[position] for other, position in others))
    return [{stock.resource_class: stock for stock in kind.stocks} for kind in kinds]


def _combination(choice: Choice, places: dict[int, int], stocks: Sequence[dict[str, Stock]]) -> Combination:
    supplies: dict[int, dict[str, int]] = {}
    mappings: dict[str, dict[int, None]] = {}
    for slot, member in choice:
        place = places[member.id]
        mappings.setdefault(slot.suffix, {})[place] = None
        for name, amount in slot.resources.items():
            supplied = supplies.setdefault(place, {})
            supplied[name] = supplied.get(name, 0) + amount
    shared = all(member.shares for _, member in choice)
    return Combination(
        supplies=tuple((place, tuple(amounts.items())) for place, amounts in supplies.items()),
        needs=tuple(
            (place, tuple((stocks[place][name], amount) for name, amount in amounts.items()))
            for place, amounts in supplies.items()
        ),
        mappings=tuple((suffix, tuple(of_group)) for suffix, of_group in mappings.items()),
        shared_only=frozenset((slot.number, member.id) for slot, member in choice) if shared else None,
    )
