"""Random small worlds of providers and random queries for them, for hypothesis.

Criteria and scarcity are rare: most queries with many criteria have no candidate, and then there is nothing to compare.
As it is, about half of the queries have one.

Every strategy is made once: making and validating one costs more than drawing from it.
"""

import functools
from typing import TypeVar

from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.ledger.model.criteria import Criteria
from tests.candidates.model.brute_force import Provider, Stock, World

CLASSES = ("VCPU", "MEMORY_MB", "CUSTOM_VF")
TRAITS = ("CUSTOM_RED", "CUSTOM_BLUE", "MISC_SHARES_VIA_AGGREGATE")
AGGREGATES = ("11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222")
SUFFIXES = ("1", "_A", "_B")
PROVIDERS_MAX = 6


Value = TypeVar("Value")


YES = st.booleans()
ONCE_IN_SIX = st.sampled_from([False] * 5 + [True])


@st.composite
def rarely(draw: st.DrawFn, unusual: st.SearchStrategy[Value], usual: Value) -> Value:
    """Draw the unusual value once in six times."""
    return draw(unusual) if draw(ONCE_IN_SIX) else usual


def provider_name(number: int) -> str:
    return f"00000000-0000-4000-8000-00000000000{number}"


@functools.cache
def some(names: tuple[str, ...]) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(names))


stocks = st.builds(
    Stock,
    total=st.integers(2, 8),
    reserved=rarely(st.just(1), 0),
    min_unit=rarely(st.just(2), 1),
    max_unit=rarely(st.integers(1, 3), 8),
    step_size=rarely(st.just(2), 1),
    ratio=rarely(st.sampled_from([1.5, 0.7]), 1.0),
    used=rarely(st.integers(1, 4), 0),
)


COUNTS = st.integers(2, PROVIDERS_MAX)
PARENTS = [st.none(), *(st.none() | st.sampled_from(range(number)) for number in range(1, PROVIDERS_MAX))]
STOCKS = st.fixed_dictionaries({}, optional=dict.fromkeys(CLASSES, stocks))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    providers = []
    for number in range(draw(COUNTS)):
        parent = draw(PARENTS[number])
        provider = Provider(
            name=provider_name(number),
            parent=None if parent is None else provider_name(parent),
            stocks=draw(STOCKS),
            traits=draw(some(TRAITS)),
            aggregates=draw(some(AGGREGATES)),
        )
        providers.append(provider)
    return World(providers)


@functools.cache
def some_criteria(names: tuple[str, ...]) -> st.SearchStrategy[Criteria]:
    choices = st.lists(st.frozensets(st.sampled_from(names), min_size=1), max_size=2).map(tuple)
    return st.builds(Criteria, required=choices, forbidden=rarely(some(names), frozenset()))


@functools.cache
def criteria(names: tuple[str, ...]) -> st.SearchStrategy[Criteria]:
    return rarely(some_criteria(names), Criteria())


amounts = st.dictionaries(st.sampled_from(CLASSES), st.integers(1, 2), min_size=1, max_size=2)


@functools.cache
def groups(suffix: str) -> st.SearchStrategy[RequestGroup]:
    trees = st.sampled_from([provider_name(number) for number in range(PROVIDERS_MAX)])
    return st.builds(
        RequestGroup,
        suffix=st.just(suffix),
        resources=amounts,
        traits=criteria(TRAITS),
        aggregates=criteria(AGGREGATES),
        in_tree=rarely(trees, None),
    )


SOME_SUFFIXES = st.lists(st.sampled_from(SUFFIXES), max_size=3, unique=True)
NESTED = rarely(st.just(False), True)


@st.composite
def queries(draw: st.DrawFn, world: World) -> CandidateQuery:
    suffixes = draw(SOME_SUFFIXES)
    chosen = [draw(groups(suffix)) for suffix in suffixes]
    if not suffixes or draw(YES):
        spread = draw(groups(""))
        # Random draws seldom test that several providers have the traits together, so traits are drawn more often here.
        traits = draw(some_criteria(TRAITS)) if draw(YES) else spread.traits
        chosen.insert(0, replace(spread, traits=traits))
    subtrees = []
    if len(suffixes) > 1 and draw(YES):
        subtrees.append(frozenset(suffixes))
        if draw(YES):
            chosen[-1] = replace(chosen[-1], resources={})
    known = [replace(group, in_tree=group.in_tree if group.in_tree in world.providers else None) for group in chosen]
    return CandidateQuery(
        groups=tuple(known),
        isolate=draw(YES),
        root_traits=draw(criteria(TRAITS)),
        same_subtrees=tuple(subtrees),
        nested=draw(NESTED),
    )
