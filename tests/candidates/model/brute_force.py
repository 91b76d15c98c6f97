"""A small world of providers, and its candidates by brute force: slow, and too simple to be wrong.

It shares nothing with the search but the query. Each rule is written out from Placement's contract; nothing is pruned
and nothing is remembered.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import Member, Tree
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.inventories import Inventory

Answer = tuple[frozenset[tuple[str, str, int]], frozenset[tuple[str, frozenset[str]]]]
"""The amounts by provider and class, and the providers of each group."""


@dataclass(frozen=True)
class Stock:
    """An inventory of one class."""

    total: int
    reserved: int = 0
    min_unit: int = 1
    max_unit: int = 1_000
    step_size: int = 1
    ratio: float = 1.0
    used: int = 0


@dataclass(frozen=True)
class Provider:
    """One provider, by name."""

    name: str
    parent: str | None = None
    stocks: dict[str, Stock] = field(default_factory=dict)
    traits: frozenset[str] = frozenset()
    aggregates: frozenset[str] = frozenset()


class World:
    """Providers; a parent comes before its children."""

    def __init__(self, providers: list[Provider]) -> None:
        self.providers = {provider.name: provider for provider in providers}

    def path(self, name: str) -> list[str]:
        """Return the provider and its ancestors, the root last."""
        parent = self.providers[name].parent
        return [name, *(self.path(parent) if parent else [])]

    def root(self, name: str) -> str:
        return self.path(name)[-1]

    def roots(self) -> list[str]:
        return [name for name, provider in self.providers.items() if provider.parent is None]

    def trees(self) -> list[Tree]:
        """Return the world in the form that the search takes."""
        ids = {name: number for number, name in enumerate(self.providers, start=1)}
        members = {name: self._member(provider, ids) for name, provider in self.providers.items()}
        return [
            Tree(members[root], tuple(member for member in members.values() if member.root == root))
            for root in self.roots()
        ]

    def _member(self, provider: Provider, ids: dict[str, int]) -> Member:
        return Member(
            id=ids[provider.name],
            uuid=provider.name,
            parent=provider.parent,
            root=self.root(provider.name),
            lineage=frozenset(ids[name] for name in self.path(provider.name)),
            inventories={
                name: Inventory(
                    provider=provider.name,
                    resource_class=name,
                    total=stock.total,
                    reserved=stock.reserved,
                    min_unit=stock.min_unit,
                    max_unit=stock.max_unit,
                    step_size=stock.step_size,
                    allocation_ratio=stock.ratio,
                    used=stock.used,
                )
                for name, stock in provider.stocks.items()
            },
            traits=provider.traits,
            aggregates=provider.aggregates,
        )


def all_candidates(world: World, query: CandidateQuery) -> set[Answer]:
    """Return every candidate, by trying every provider for every part of the query in every tree."""
    parts = _parts(query)
    found = set()
    for anchor in world.roots():
        if _has(world.providers[anchor].traits, query.root_traits):
            reach = _within_reach(world, anchor)
            suiting = [[name for name in reach if _suits(world, anchor, part, name)] for part in parts]
            found |= {_answer(parts, choice) for choice in product(*suiting) if _agree(world, query, parts, choice)}
    return found


Part = tuple[RequestGroup, dict[str, int]]


def _parts(query: CandidateQuery) -> list[Part]:
    """Divide the query into what one provider supplies: a whole group with a suffix, or one class of the other."""
    parts: list[Part] = []
    for group in query.groups:
        if group.suffix:
            parts.append((group, dict(group.resources)))
        else:
            parts.extend((group, {name: amount}) for name, amount in group.resources.items())
    return parts


def _within_reach(world: World, anchor: str) -> list[str]:
    """Return the tree of the anchor and the providers that share with it through an aggregate."""
    tree = [name for name in world.providers if world.root(name) == anchor]
    aggregates = {aggregate for name in tree for aggregate in world.providers[name].aggregates}
    sharing = [
        name
        for name, provider in world.providers.items()
        if name not in tree and "MISC_SHARES_VIA_AGGREGATE" in provider.traits and provider.aggregates & aggregates
    ]
    return tree + sharing


def _agree(world: World, query: CandidateQuery, parts: list[Part], choice: tuple[str, ...]) -> bool:
    """Return True when providers that suit one by one also satisfy the rules about all of them."""
    return (
        _sums_fit(world, parts, choice)
        and _together_have_the_traits(world, query, parts, choice)
        and not (query.isolate and _suffixed_twice(parts, choice))
        and all(_in_one_subtree(world, suffixes, parts, choice) for suffixes in query.same_subtrees)
        and (query.nested or _one_provider_per_tree(world, parts, choice))
    )


def _has(names: frozenset[str], criteria: Criteria) -> bool:
    return all(choice & names for choice in criteria.required) and not criteria.forbidden & names


def _suits(world: World, anchor: str, part: Part, name: str) -> bool:
    group, resources = part
    provider = world.providers[name]
    if not all(_has_room(provider, resource_class, amount) for resource_class, amount in resources.items()):
        return False
    if group.in_tree and world.root(name) != world.root(group.in_tree):
        return False
    if group.suffix:
        return _has(provider.traits, group.traits) and _has(provider.aggregates, group.aggregates)
    if group.traits.forbidden & provider.traits:
        return False
    from_elsewhere = world.root(name) != anchor
    if group.in_tree and from_elsewhere:
        return False
    root = world.providers[anchor]
    if group.aggregates.forbidden & (provider.aggregates | root.aggregates):
        return False
    required = Criteria(required=group.aggregates.required)
    return _has(provider.aggregates, required) or (not from_elsewhere and _has(root.aggregates, required))


def _has_room(provider: Provider, resource_class: str, amount: int) -> bool:
    stock = provider.stocks.get(resource_class)
    return (
        stock is not None
        and stock.min_unit <= amount <= stock.max_unit
        and amount % stock.step_size == 0
        and stock.used + amount <= (stock.total - stock.reserved) * stock.ratio
    )


def _sums_fit(world: World, parts: list[Part], choice: tuple[str, ...]) -> bool:
    for (name, resource_class), amount in _sums(parts, choice).items():
        stock = world.providers[name].stocks[resource_class]
        if amount > stock.max_unit or stock.used + amount > (stock.total - stock.reserved) * stock.ratio:
            return False
    return True


def _sums(parts: list[Part], choice: tuple[str, ...]) -> Counter[tuple[str, str]]:
    sums: Counter[tuple[str, str]] = Counter()
    for (_, resources), name in zip(parts, choice, strict=True):
        for resource_class, amount in resources.items():
            sums[name, resource_class] += amount
    return sums


def _together_have_the_traits(world: World, query: CandidateQuery, parts: list[Part], choice: tuple[str, ...]) -> bool:
    for group in query.groups:
        if not group.suffix:
            suppliers = [name for (of, _), name in zip(parts, choice, strict=True) if of is group]
            traits = frozenset(trait for name in suppliers for trait in world.providers[name].traits)
            if not all(wanted & traits for wanted in group.traits.required):
                return False
    return True


def _suffixed_twice(parts: list[Part], choice: tuple[str, ...]) -> bool:
    suffixed = [name for (group, _), name in zip(parts, choice, strict=True) if group.suffix]
    return len(set(suffixed)) < len(suffixed)


def _in_one_subtree(world: World, suffixes: frozenset[str], parts: list[Part], choice: tuple[str, ...]) -> bool:
    chosen = {name for (group, _), name in zip(parts, choice, strict=True) if group.suffix in suffixes}
    return any(all(top in world.path(name) for name in chosen) for top in chosen)


def _one_provider_per_tree(world: World, parts: list[Part], choice: tuple[str, ...]) -> bool:
    supplying = {name for (_, resources), name in zip(parts, choice, strict=True) if resources}
    return len({world.root(name) for name in supplying}) == len(supplying)


def _answer(parts: list[Part], choice: tuple[str, ...]) -> Answer:
    given = frozenset((name, resource_class, amount) for (name, resource_class), amount in _sums(parts, choice).items())
    return given, frozenset(_mappings(parts, choice))


def _mappings(parts: list[Part], choice: tuple[str, ...]) -> Iterator[tuple[str, frozenset[str]]]:
    for suffix in {group.suffix for group, _ in parts}:
        yield suffix, frozenset(name for (group, _), name in zip(parts, choice, strict=True) if group.suffix == suffix)
