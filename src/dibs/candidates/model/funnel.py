"""A funnel: how many provider trees remain after each condition of a query, which shows the condition that empties it.

The conditions are added one after another, and only the trees that met all before are looked at again. Equal trees are
decided once, as in the search for candidates. What is used comes last.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.index.shapes import IndexedTree
from dibs.candidates.model.index.structure import Structure
from dibs.candidates.model.plans import plan_for, ways_of, within_reach
from dibs.candidates.model.slots import slots_of
from dibs.candidates.model.usage import NOTHING_USED, Usage
from dibs.ledger.model.criteria import ANYTHING, Criteria

STEPS_MAX = 50_000
"""The number of different trees that all conditions together are compared with."""
FREE = "free"
"""The last condition: enough is left of what is not used."""

Trees = Sequence[IndexedTree]
"""Trees of one shape."""


class Condition(Struct, frozen=True):
    """One condition of a query, in the words of Placement's parameters."""

    parameter: str
    """The parameter with the suffix of its group: ``resources_GPU``."""
    value: str

    def __str__(self) -> str:
        return f"{self.parameter}={self.value}" if self.value else self.parameter


class Stage(Struct, frozen=True):
    """The number of trees that remain after a condition."""

    condition: Condition
    remaining: int


class Funnel:
    """The trees that remain, and the stages so far."""

    def __init__(self, structure: Structure, named: Collection[int] = ()) -> None:
        """``named`` are the row ids of the roots of the trees that the query names."""
        self._structure = structure
        self._named = named
        self._groups: list[Trees] = [group.trees for group in structure.groups]
        self._steps_left = STEPS_MAX
        self.total = sum(map(len, self._groups))
        self.stages: list[Stage] = []
        self.complete = True
        """False when the steps were used up before the last condition."""

    @property
    def remaining(self) -> list[IndexedTree]:
        """The trees that met every condition so far."""
        return [tree for trees in self._groups for tree in trees]

    def narrow(self, query: CandidateQuery) -> None:
        """Add the conditions of a query one after another, as if nothing were used."""
        for condition, partial in partial_queries(query):
            if not self._spend():
                return
            self._groups = [kept for trees in self._groups if (kept := self._matching(partial, trees))]
            self.stages.append(Stage(condition, len(self.remaining)))

    def keep_free(self, query: CandidateQuery, usage: Usage) -> None:
        """Keep the trees of which enough is left."""
        if self.complete and self._spend():
            self._groups = [kept for trees in self._groups if (kept := self._free(query, trees, usage))]
            self.stages.append(Stage(Condition(FREE, ""), len(self.remaining)))

    def provider_ids(self) -> set[int]:
        """Return the row ids of all members of the remaining trees, and of the providers that share with them."""
        found: set[int] = set()
        for tree in self.remaining:
            found.update(tree.ids)
            found.update(other.ids[position] for other, position in within_reach(tree, self._structure.sharing))
        return found

    def _spend(self) -> bool:
        self._steps_left -= len(self._groups)
        self.complete = self._steps_left >= 0
        return self.complete

    def _matching(self, query: CandidateQuery, trees: Trees) -> list[IndexedTree]:
        """Return the trees of one shape that a query admits: one decides for all, unless it shares or is named."""
        single = trees[0].shape.shares
        special = [tree for tree in trees if single or tree.root_id in self._named]
        usual = [tree for tree in trees if not single and tree.root_id not in self._named]
        admitted = {tree.root_id for tree in special if self._admits(query, tree)}
        if usual and self._admits(query, usual[0]):
            admitted.update(tree.root_id for tree in usual)
        return [tree for tree in trees if tree.root_id in admitted]

    def _admits(self, query: CandidateQuery, tree: IndexedTree) -> bool:
        shape, slots = tree.shape, slots_of(query)
        if not slots:
            return query.root_traits.met_by(shape.kinds[shape.root].traits)
        ways = ways_of(query, slots, tree, within_reach(tree, self._structure.sharing), NOTHING_USED)
        return next(ways, None) is not None

    def _free(self, query: CandidateQuery, trees: Trees, usage: Usage) -> list[IndexedTree]:
        slots = slots_of(query)
        single = trees[0].shape.shares or any(tree.root_id in self._named for tree in trees)
        common = None if single else plan_for(query, slots, trees[0], within_reach(trees[0], self._structure.sharing))
        found = []
        for tree in trees:
            plan = common or plan_for(query, slots, tree, within_reach(tree, self._structure.sharing))
            if plan.ways is None:
                free = next(ways_of(query, slots, tree, plan.others, usage), None) is not None
            else:
                free = any(way.fits(tree.ids + plan.other_ids, usage) for way in plan.ways)
            found += [tree] if free else []
        return found


def partial_queries(query: CandidateQuery) -> Iterator[tuple[Condition, CandidateQuery]]:
    """Yield each condition, with the query of all conditions up to it."""
    partial = CandidateQuery(groups=(), nested=query.nested)
    for value, criteria in _criteria(query.root_traits):
        partial = replace(partial, root_traits=criteria)
        yield Condition("root_required", value), partial
    for group in query.groups:
        others = partial.groups
        for condition, grown in _partial_groups(group):
            partial = replace(partial, groups=(*others, grown))
            yield condition, partial
    if query.isolate:
        partial = replace(partial, isolate=True)
        yield Condition("group_policy", "isolate"), partial
    for suffixes in query.same_subtrees:
        partial = replace(partial, same_subtrees=(*partial.same_subtrees, suffixes))
        yield Condition("same_subtree", ",".join(sorted(suffixes))), partial


def _partial_groups(group: RequestGroup) -> Iterator[tuple[Condition, RequestGroup]]:
    partial = RequestGroup(suffix=group.suffix)
    if not group.resources:
        yield Condition(f"resources{group.suffix}", ""), partial
    for name, amount in group.resources.items():
        partial = replace(partial, resources={**partial.resources, name: amount})
        yield Condition(f"resources{group.suffix}", f"{name}:{amount}"), partial
    for value, criteria in _criteria(group.traits):
        partial = replace(partial, traits=criteria)
        yield Condition(f"required{group.suffix}", value), partial
    for value, criteria in _criteria(group.aggregates):
        partial = replace(partial, aggregates=criteria)
        yield Condition(f"member_of{group.suffix}", value), partial
    if group.in_tree is not None:
        partial = replace(partial, in_tree=group.in_tree)
        yield Condition(f"in_tree{group.suffix}", group.in_tree), partial


def _criteria(criteria: Criteria) -> Iterator[tuple[str, Criteria]]:
    """Yield each requirement as Placement writes it, with the criteria up to it."""
    partial = ANYTHING
    for choice in criteria.required:
        partial = replace(partial, required=(*partial.required, choice))
        yield (f"in:{','.join(sorted(choice))}" if len(choice) > 1 else next(iter(choice))), partial
    for name in sorted(criteria.forbidden):
        partial = replace(partial, forbidden=partial.forbidden | {name})
        yield f"!{name}", partial
