"""Candidates: every way in which providers could satisfy a query now.

The rules are Placement's:

- A candidate belongs to one tree. Its resources come from members of that tree, and from sharing providers of other
  trees that are in an aggregate with any member of it.
- Several of these providers may supply the group without a suffix, but a single one supplies each class. Together they
  must have the required traits; none of them may have a forbidden trait. A member counts as in an aggregate when it or
  its root is; a sharing provider of another tree must be in the aggregate itself.
- Exactly one provider supplies a group with a suffix. It alone must have the traits and be in the aggregates.
- ``in_tree`` names a tree by any of its members. Sharing providers of other trees do not supply the group without a
  suffix then.
- The amounts that several groups take of one class of one provider must fit together.

The search is lazy: it looks at no more trees, and at no more ways in a tree, than it needs to reach the limit.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from zlib import crc32

from msgspec import Struct

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.index.shapes import IndexedTree
from dibs.candidates.model.index.structure import Position, Structure
from dibs.candidates.model.matching import Planned, matching_trees
from dibs.candidates.model.plans import Combination, Plan, ways_of
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.slots import slots_of
from dibs.candidates.model.usage import NOTHING_USED, Usage, member_of


class Candidate(Struct, frozen=True, gc=False):
    """One way to satisfy the query."""

    uuids: tuple[str, ...]
    """The provider at each place of the combination."""
    combination: Combination

    @property
    def resources(self) -> Mapping[str, Mapping[str, int]]:
        """Provider uuid -> resource class -> amount."""
        return {self.uuids[place]: dict(amounts) for place, amounts in self.combination.supplies}

    @property
    def mappings(self) -> Mapping[str, tuple[str, ...]]:
        """Suffix of each group -> uuids of the providers that supply it."""
        return {suffix: tuple(self.uuids[place] for place in of) for suffix, of in self.combination.mappings}


class Candidates(Struct, frozen=True, kw_only=True):
    """The result of a search."""

    candidates: tuple[Candidate, ...] = ()
    shown: tuple[Position, ...] = ()
    """The members of all trees that supply resources, for the client to choose by."""
    usage: Usage = NOTHING_USED

    @property
    def providers(self) -> tuple[Member, ...]:
        """These members with their inventories."""
        return tuple(member_of(tree, position, self.usage) for tree, position in self.shown)


class CandidateSearch:
    """A search through one tree after another, up to the limit of the query."""

    def __init__(self, query: CandidateQuery, structure: Structure, named: Collection[int] = ()) -> None:
        self._query = query
        self._slots = slots_of(query)
        trees = matching_trees(structure, query, self._slots, named)
        self._trees = trees if query.shuffle_seed is None else iter(sorted(trees, key=self._rank_of_tree))
        self._usage: dict[int, Mapping[int, tuple[int, int]]] = {}
        self._found: list[Candidate] = []
        self._later: deque[tuple[Planned, Iterator[Combination]]] = deque()
        self._suppliers: dict[int, Position] = {}
        self._shared_only: set[object] = set()

    @property
    def missing(self) -> int | None:
        """The number of candidates that the query still lacks; None when it has no limit."""
        return None if self._query.limit is None else self._query.limit - len(self._found)

    def next_trees(self, count: int | None) -> list[Planned]:
        """Return the next trees that could have a candidate, at most ``count`` of them."""
        return list(islice(self._trees, count))

    def search(self, trees: Iterable[Planned], usage: Usage) -> None:
        """Add the candidates of these trees, up to the limit; breadth first, one of each tree for now."""
        self._usage |= usage
        for planned in trees:
            missing = self.missing
            if missing == 0:
                return
            ways = self._ways(*planned)
            if not self._query.breadth_first:
                self._add(planned, ways, missing)
            elif self._add(planned, ways, 1):
                self._later.append((planned, ways))

    def result(self) -> Candidates:
        """Return the candidates found so far; breadth first, add those that are left, one of each tree at a time."""
        while self._later and self.missing != 0:
            planned, ways = self._later.popleft()
            if self._add(planned, ways, 1):
                self._later.append((planned, ways))
        return Candidates(candidates=tuple(self._found), shown=tuple(self._shown()), usage=self._usage)

    def _ways(self, tree: IndexedTree, plan: Plan) -> Iterator[Combination]:
        """Yield the ways in which a tree supplies the query now."""
        if plan.ways is None:
            return ways_of(self._query, self._slots, tree, plan.others, self._usage, self._in_order)
        ids, usage = tree.ids + plan.other_ids, self._usage
        ways = plan.ways if self._query.shuffle_seed is None else self._shuffled(tree, plan.ways)
        return (way for way in ways if way.fits(ids, usage))

    def _add(self, planned: Planned, ways: Iterator[Combination], count: int | None) -> bool:
        """Add new candidates, at most ``count``; return False when there is none left."""
        tree, plan = planned
        uuids = tree.uuids + plan.other_uuids
        for way in ways:
            if way.shared_only is not None:
                if way.shared_only in self._shared_only:
                    # Another tree has had the same candidate.
                    continue
                self._shared_only.add(way.shared_only)
            self._found.append(Candidate(uuids, way))
            self._note_suppliers(tree, plan, way)
            if count is not None and (count := count - 1) == 0:
                return True
        return False

    def _note_suppliers(self, tree: IndexedTree, plan: Plan, way: Combination) -> None:
        for place, _ in way.supplies:
            own = place < len(tree.ids)
            supplier = (tree, place) if own else plan.others[place - len(tree.ids)]
            key = supplier[0].root_id if self._query.nested else supplier[0].ids[supplier[1]]
            self._suppliers.setdefault(key, supplier)

    def _shown(self) -> Iterator[Position]:
        for tree, position in self._suppliers.values():
            if self._query.nested:
                for each in range(len(tree.ids)):
                    yield tree, each
            else:
                yield tree, position

    def _rank_of_tree(self, planned: Planned) -> int:
        return self._rank(planned[0].uuids[0])

    def _in_order(self, members: Sequence[Member]) -> Sequence[Member]:
        """Return the members as they are or, with a seed, in a random order that depends on the seed alone."""
        if self._query.shuffle_seed is None:
            return members
        return sorted(members, key=lambda member: self._rank(member.uuid))

    def _shuffled(self, tree: IndexedTree, ways: Sequence[Combination]) -> Sequence[Combination]:
        numbered = sorted(enumerate(ways), key=lambda each: self._rank(f"{tree.uuids[0]} {each[0]}"))
        return [way for _, way in numbered]

    def _rank(self, name: str) -> int:
        return crc32(f"{self._query.shuffle_seed} {name}".encode())
