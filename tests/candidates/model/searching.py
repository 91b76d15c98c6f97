"""Short ways to search a world, and to build worlds of equal providers."""

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.candidates import Candidate, Candidates, CandidateSearch
from tests.candidates.model.brute_force import Answer, Provider, Stock, World


def search_world(world: World, query: CandidateQuery) -> Candidates:
    """Search all trees of a world."""
    trees = world.trees()
    roots = {name: world.root(name) for name in world.providers}
    search = CandidateSearch(query.in_trees(roots), [tree for tree in trees if any(tree.sharing)])
    search.search_trees(trees)
    return search.result()


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
