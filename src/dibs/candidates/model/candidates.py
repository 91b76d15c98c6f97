"""Candidates: every way in which a question for resources could be answered now.

The rules, as Placement has them:

- A candidate belongs to one tree. Its resources come from members of that tree, and from sharing providers elsewhere
  that are in an aggregate with any member of it.
- The group without a suffix may be spread over several of these, but one class is never split. Its required traits may
  be found on any of those that give; none of those may have a forbidden trait. A member is in an aggregate when it or
  its root is; a sharing provider from elsewhere has to be in it itself.
- A group with a suffix has exactly one provider, which alone must have the traits and be in the aggregates.
- ``in_tree`` names a tree by any of its members. The group without a suffix then takes nothing from elsewhere.
- What several groups take of the same class of the same provider has to fit together.

The search of one tree (``candidate_search``) is lazy, so whoever stops taking candidates stops the work.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from zlib import crc32

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.needs import Need, needs_of
from dibs.candidates.model.provider_tree import Member, Tree
from dibs.candidates.model.search import search
from dibs.candidates.model.slots import Choice, slots_of, with_choices_of

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One way to answer the question."""

    resources: Mapping[str, Mapping[str, int]]
    """Provider uuid -> resource class -> amount."""
    mappings: Mapping[str, tuple[str, ...]]
    """Suffix of each group -> uuids of the providers that give it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The answer to a question."""

    candidates: tuple[Candidate, ...]
    providers: tuple[Member, ...]
    """Those that help to choose: the members of all trees that give something."""


class CandidateSearch:
    """A search through one tree after the other, which ends when enough is found."""

    def __init__(self, query: CandidateQuery, sharing: Sequence[Tree]) -> None:
        self._query = query
        self._slots = slots_of(query)
        self._sharing = [member for tree in sharing for member in tree.sharing]
        self._trees = {tree.root.uuid: tree for tree in sharing}
        self._found: list[Candidate] = []
        self._giving: dict[str, Member] = {}
        self._shared_only: set[object] = set()

    def needs(self) -> tuple[Need, ...]:
        """What a tree must have at least to be worth a look."""
        return needs_of(self._query, self._sharing)

    @property
    def wanted(self) -> int | None:
        """How many candidates are still wanted; None when all are."""
        return None if self._query.limit is None else self._query.limit - len(self._found)

    def look_into(self, trees: Iterable[Tree]) -> None:
        """Add the candidates of these trees, until there are enough."""
        for tree in self._in_order(trees, lambda tree: tree.root):
            self._trees.setdefault(tree.root.uuid, tree)
            for choice in self._of_tree(tree):
                if self.wanted == 0:
                    return
                self._keep(choice)

    def result(self) -> Candidates:
        """All that was found."""
        if self._query.nested:
            roots = dict.fromkeys(member.root for member in self._giving.values())
            shown = tuple(member for root in roots for member in self._trees[root].members)
        else:
            shown = tuple(self._giving.values())
        return Candidates(candidates=tuple(self._found), providers=shown)

    def _of_tree(self, tree: Tree) -> Iterator[Choice]:
        if not self._query.root_traits.met_by(tree.root.traits):
            return iter(())
        slots = with_choices_of(self._slots, tree, [member for member in self._sharing if _reaches(member, tree)])
        in_order = (slot.with_choices(self._in_order(slot.choices, lambda member: member)) for slot in slots)
        return search(self._query, list(in_order))

    def _in_order(self, items: Iterable[Item], provider: Callable[[Item], Member]) -> list[Item]:
        """As they come, or as a seed has it: the same for the same seed, and without any pattern."""
        seed = self._query.shuffle_seed
        if seed is None:
            return list(items)
        return sorted(items, key=lambda item: crc32(f"{seed} {provider(item).uuid}".encode()))

    def _keep(self, choice: Choice) -> None:
        if all(member.shares for _, member in choice) and not self._is_new(choice):
            return
        self._found.append(_candidate(choice))
        self._giving |= {member.uuid: member for slot, member in choice if slot.resources}

    def _is_new(self, choice: Choice) -> bool:
        """False for the same candidate by way of another tree, which only sharing providers can bring about."""
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
            given = resources.setdefault(member.uuid, {})
            given[name] = given.get(name, 0) + amount
    return Candidate(resources=resources, mappings={suffix: tuple(uuids) for suffix, uuids in mappings.items()})
