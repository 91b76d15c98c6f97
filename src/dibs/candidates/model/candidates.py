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

The search of one tree (``search.py``) is lazy: it does no work beyond the candidates that are taken from it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar
from zlib import crc32

from msgspec import Struct

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.provider_tree import Member, Tree
from dibs.candidates.model.requirements import Requirement, requirements_of
from dibs.candidates.model.search import search
from dibs.candidates.model.slots import Choice, slots_of, with_choices_of

Item = TypeVar("Item")


class Candidate(Struct, frozen=True, kw_only=True):
    """One way to satisfy the query."""

    resources: Mapping[str, Mapping[str, int]]
    """Provider uuid -> resource class -> amount."""
    mappings: Mapping[str, tuple[str, ...]]
    """Suffix of each group -> uuids of the providers that supply it."""


class Candidates(Struct, frozen=True, kw_only=True):
    """The result of a search."""

    candidates: tuple[Candidate, ...]
    providers: tuple[Member, ...]
    """The members of all trees that supply resources, for the client to choose by."""


class CandidateSearch:
    """A search through one tree after another, up to the limit of the query."""

    def __init__(self, query: CandidateQuery, sharing: Sequence[Tree]) -> None:
        self._query = query
        self._slots = slots_of(query)
        self._sharing = [member for tree in sharing for member in tree.sharing]
        self._trees = {tree.root.uuid: tree for tree in sharing}
        self._found: list[Candidate] = []
        self._suppliers: dict[str, Member] = {}
        self._shared_only: set[object] = set()

    def requirements(self) -> tuple[Requirement, ...]:
        """Return what a tree must have at least, so that other trees need not be loaded."""
        return requirements_of(self._query, self._sharing)

    @property
    def missing(self) -> int | None:
        """The number of candidates that the query still lacks; None when it has no limit."""
        return None if self._query.limit is None else self._query.limit - len(self._found)

    def search_trees(self, trees: Iterable[Tree]) -> None:
        """Add the candidates of these trees, up to the limit."""
        for tree in self._in_order(trees, lambda tree: tree.root):
            self._trees.setdefault(tree.root.uuid, tree)
            for choice in self._of_tree(tree):
                if self.missing == 0:
                    return
                self._keep(choice)

    def result(self) -> Candidates:
        """Return the candidates found so far."""
        if self._query.nested:
            roots = dict.fromkeys(member.root for member in self._suppliers.values())
            shown = tuple(member for root in roots for member in self._trees[root].members)
        else:
            shown = tuple(self._suppliers.values())
        return Candidates(candidates=tuple(self._found), providers=shown)

    def _of_tree(self, tree: Tree) -> Iterator[Choice]:
        if not self._query.root_traits.met_by(tree.root.traits):
            return iter(())
        slots = with_choices_of(self._slots, tree, [member for member in self._sharing if _reaches(member, tree)])
        in_order = (slot.with_choices(self._in_order(slot.choices, lambda member: member)) for slot in slots)
        return search(self._query, list(in_order))

    def _in_order(self, items: Iterable[Item], provider: Callable[[Item], Member]) -> list[Item]:
        """Return the items as they are or, with a seed, in a random order that depends on the seed alone."""
        seed = self._query.shuffle_seed
        if seed is None:
            return list(items)
        return sorted(items, key=lambda item: crc32(f"{seed} {provider(item).uuid}".encode()))

    def _keep(self, choice: Choice) -> None:
        if all(member.shares for _, member in choice) and not self._is_new(choice):
            return
        self._found.append(_candidate(choice))
        self._suppliers |= {member.uuid: member for slot, member in choice if slot.resources}

    def _is_new(self, choice: Choice) -> bool:
        """Return False for a candidate that another tree had before; this happens only if all its providers share."""
        key = frozenset((slot.number, member.id) for slot, member in choice)
        if key in self._shared_only:
            return False
        self._shared_only.add(key)
        return True


def _reaches(member: Member, tree: Tree) -> bool:
    return member.root != tree.root.uuid and not member.aggregates.isdisjoint(tree.aggregates)


def _candidate(choice: Choice) -> Candidate:
    resources: dict[str, dict[str, int]] = {}
    mappings: dict[str, dict[str, None]] = {}
    for slot, member in choice:
        mappings.setdefault(slot.suffix, {})[member.uuid] = None
        for name, amount in slot.resources.items():
            supplied = resources.setdefault(member.uuid, {})
            supplied[name] = supplied.get(name, 0) + amount
    return Candidate(resources=resources, mappings={suffix: tuple(uuids) for suffix, uuids in mappings.items()})
