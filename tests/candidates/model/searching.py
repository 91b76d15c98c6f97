"""Short ways to search a world, and to build worlds of equal providers."""

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.candidates import Candidate, Candidates, CandidateSearch
from dibs.candidates.model.index.building import StructureRows, build_trees
from dibs.candidates.model.index.structure import Structure, part_of
from dibs.candidates.model.usage import Usage
from tests.candidates.model.brute_force import Answer, Provider, Stock, World


def search_world(world: World, query: CandidateQuery) -> Candidates:
    """Search all trees of a world."""
    ids = ids_of(world)
    roots = {name: world.root(name) for name in world.providers}
    named = {ids[roots[group.in_tree]] for group in query.groups if group.in_tree}
    search = CandidateSearch(query.in_trees(roots), structure_of(world), named)
    search.search(search.next_trees(None), usage_of(world))
    return search.result()


def ids_of(world: World) -> dict[str, int]:
    """Number the providers."""
    return {name: number for number, name in enumerate(world.providers, start=1)}


def structure_of(world: World, buckets: int = 3) -> Structure:
    """Return the index of a world, in several parts."""
    trees = list(build_trees(rows_of(world)))
    return Structure({n: part_of(1, [tree for tree in trees if tree.root_id % buckets == n]) for n in range(buckets)})


def rows_of(world: World) -> StructureRows:
    """Return a world as rows."""
    ids, classes = ids_of(world), class_ids_of(world)
    providers = world.providers.values()
    members = [(ids[p.name], p.name, ids.get(p.parent or ""), ids[world.root(p.name)], 0) for p in providers]
    return StructureRows(
        members=sorted(members, key=lambda member: (member[3], member[0])),
        stocks=sorted(
            (ids[p.name], classes[name], each.total, each.min_unit, each.max_unit, each.step_size, each.ratio)
            for p in providers
            for name, each in p.stocks.items()
        ),
        class_names={number: name for name, number in classes.items()},
        traits=sorted((ids[p.name], trait) for p in providers for trait in p.traits),
        aggregates=sorted((ids[p.name], aggregate) for p in providers for aggregate in p.aggregates),
    )


def class_ids_of(world: World) -> dict[str, int]:
    """Number the resource classes."""
    names = sorted({name for provider in world.providers.values() for name in provider.stocks})
    return {name: number for number, name in enumerate(names, start=1)}


def usage_of(world: World) -> Usage:
    """Return what is used and reserved in a world."""
    ids, classes = ids_of(world), class_ids_of(world)
    return {
        ids[provider.name]: {classes[name]: (each.used, each.reserved) for name, each in provider.stocks.items()}
        for provider in world.providers.values()
    }


def answer(candidate: Candidate) -> Answer:
    """Return a candidate in the form of brute force."""
    given = ((name, of, amount) for name, each in candidate.resources.items() for of, amount in each.items())
    return frozenset(given), frozenset((suffix, frozenset(names)) for suffix, names in candidate.mappings.items())


def children(count: int, **stocks: Stock) -> World:
    """A root with equal children."""
    return World([Provider("root"), *(Provider(f"child{n}", "root", dict(stocks)) for n in range(count))])


def equal_groups(count: int, **resources: int) -> tuple[RequestGroup, ...]:
    """Groups with suffixes that request the same."""
    return tuple(RequestGroup(suffix=f"_{number}", resources=resources) for number in range(count))
