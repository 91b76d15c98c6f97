"""The trees that could have a candidate, with their plans, in the order of their roots.

The search begins with the shortest of the index's lists that every matching tree is in, decides once for each group of
equal trees, and merges the groups. With a limit it is lazy: groups whose first root comes later are not looked at.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.index.shapes import IndexedTree
from dibs.candidates.model.index.structure import Group, Groups, Structure
from dibs.candidates.model.plans import Plan, plan_for, within_reach
from dibs.candidates.model.slots import Slot

Planned = tuple[IndexedTree, Plan]

KEPT_MAX = 10_000
"""The number of plans that are kept with a structure."""


def matching_trees(
    structure: Structure, query: CandidateQuery, slots: Sequence[Slot], named: Collection[int]
) -> Iterator[Planned]:
    """Return every tree that has a candidate when nothing is used.

    ``in_tree`` of the query has the uuids of roots, and ``named`` their row ids.
    """
    planner, groups = _Planner(structure, query, slots), _groups(structure, query)
    if query.limit is None:
        every = chain.from_iterable(_planned(planner, named, group) for group in groups)
        return iter(sorted(every, key=lambda planned: planned[0].root_id))
    return _merged(planner, named, groups)


def _merged(planner: "_Planner", named: Collection[int], groups: Groups) -> Iterator[Planned]:
    waiting: list[tuple[int, Planned, Iterator[Planned]]] = []
    for group in groups:
        while waiting and waiting[0][0] < group.first_root:
            yield _next(waiting)
        _wait(waiting, _planned(planner, named, group))
    while waiting:
        yield _next(waiting)


def _next(waiting: list[tuple[int, Planned, Iterator[Planned]]]) -> Planned:
    _, first, others = heappop(waiting)
    _wait(waiting, others)
    return first


def _wait(waiting: list[tuple[int, Planned, Iterator[Planned]]], trees: Iterator[Planned]) -> None:
    first = next(trees, None)
    if first is not None:
        heappush(waiting, (first[0].root_id, first, trees))


def _groups(structure: Structure, query: CandidateQuery) -> Groups:
    """Return the shortest list of groups that has every matching tree."""
    return min(_lists(structure, query), key=len, default=structure.groups)


def _lists(structure: Structure, query: CandidateQuery) -> Iterator[Groups]:
    for choice in query.root_traits.required:
        yield _union(structure.of_trait, choice)
    for group in query.groups:
        yield from _lists_of_group(structure, group)


def _lists_of_group(structure: Structure, group: RequestGroup) -> Iterator[Groups]:
    """Yield the lists of what a group requires, without those that a sharing provider of another tree could supply."""
    kinds = [tree.shape.kinds[position] for tree, position in structure.sharing]
    shared_classes = {stock.resource_class for kind in kinds for stock in kind.stocks}
    shared_traits = frozenset().union(*(kind.traits for kind in kinds))
    shared_aggregates = frozenset().union(*(kind.aggregates for kind in kinds))
    for name in group.resources.keys() - shared_classes:
        yield structure.of_class.get(name, [])
    for choice in group.traits.required:
        if shared_traits.isdisjoint(choice):
            yield _union(structure.of_trait, choice)
    for choice in group.aggregates.required:
        if shared_aggregates.isdisjoint(choice):
            yield _union(structure.of_aggregate, choice)


def _union(lists: Mapping[str, list[Group]], names: Iterable[str]) -> Groups:
    found = [lists[name] for name in names if name in lists]
    if len(found) <= 1:
        return found[0] if found else []
    return sorted({id(group): group for each in found for group in each}.values(), key=attrgetter("first_root"))


class _Planner:
    """Makes plans, and keeps them with the structure: schedulers repeat a few queries."""

    def __init__(self, structure: Structure, query: CandidateQuery, slots: Sequence[Slot]) -> None:
        self._query = query
        self._slots = slots
        self._sharing = structure.sharing
        self._kept = structure.kept
        self._key = msgspec.json.encode(replace(query, limit=None, shuffle_seed=None, breadth_first=False))

    def plan_of(self, group: Group, tree: IndexedTree, *, only: bool) -> Plan:
        """Return the plan of a tree: of this one only, or of all trees of the group."""
        key = (self._key, id(group), tree.root_id if only else None)
        plan = self._kept.get(key)
        if plan is None:
            if len(self._kept) >= KEPT_MAX:
                self._kept.clear()
            plan = plan_for(self._query, self._slots, tree, within_reach(tree, self._sharing))
            self._kept[key] = plan
        return plan


def _planned(planner: _Planner, named: Collection[int], group: Group) -> Iterator[Planned]:
    """Yield the matching trees of a group.

    One plan is right for all of them, unless they share with each other, or the query names one of them.
    """
    trees = group.trees
    special = {tree.root_id for tree in trees} if group.shape.shares else _present(trees, named)
    usual = next((tree for tree in trees if tree.root_id not in special), None)
    common = None if usual is None else planner.plan_of(group, usual, only=False)
    if not special:
        return ((tree, common) for tree in trees) if common else iter(())
    plans = {tree.root_id: planner.plan_of(group, tree, only=True) for tree in trees if tree.root_id in special}
    planned = ((tree, plans.get(tree.root_id, common)) for tree in trees)
    return ((tree, plan) for tree, plan in planned if plan)


def _present(trees: Sequence[IndexedTree], root_ids: Iterable[int]) -> set[int]:
    """Return those of the roots that are among the trees."""
    places = ((root_id, bisect_left(trees, root_id, key=attrgetter("root_id"))) for root_id in root_ids)
    return {root_id for root_id, place in places if place < len(trees) and trees[place].root_id == root_id}
