"""Random small worlds of providers and random questions about them, for hypothesis."""

from dataclasses import replace

from hypothesis import strategies as st

from dibs.domain.candidate_query import CandidateQuery, Criteria, Group
from tests.domain.brute_force import Provider, Stock, World

CLASSES = ("VCPU", "MEMORY_MB", "CUSTOM_VF")
TRAITS = ("CUSTOM_RED", "CUSTOM_BLUE", "MISC_SHARES_VIA_AGGREGATE")
AGGREGATES = ("11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222")
SUFFIXES = ("1", "_A", "_B")
PROVIDERS_MAX = 6


def provider_name(number: int) -> str:
    return f"00000000-0000-4000-8000-00000000000{number}"


def some(names: tuple[str, ...]) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(names))


stocks = st.builds(
    Stock,
    total=st.integers(1, 8),
    reserved=st.sampled_from([0, 0, 0, 1]),
    min_unit=st.sampled_from([1, 1, 1, 2]),
    max_unit=st.sampled_from([1, 2, 3, 8, 8]),
    step_size=st.sampled_from([1, 1, 1, 2]),
    ratio=st.sampled_from([1.0, 1.0, 1.5, 0.7]),
    used=st.sampled_from([0, 0, 0, 1, 3]),
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    providers = []
    for number in range(draw(st.integers(1, PROVIDERS_MAX))):
        above = st.none() | st.sampled_from(range(number)) if number else st.none()
        parent = draw(above)
        provider = Provider(
            name=provider_name(number),
            parent=None if parent is None else provider_name(parent),
            stocks=draw(st.dictionaries(st.sampled_from(CLASSES), stocks, max_size=3)),
            traits=draw(some(TRAITS)),
            aggregates=draw(some(AGGREGATES)),
        )
        providers.append(provider)
    return World(providers)


def criteria(names: tuple[str, ...]) -> st.SearchStrategy[Criteria]:
    """Mostly none: a question with many conditions has no answer, and then there is little to compare."""
    choices = st.lists(st.frozensets(st.sampled_from(names), min_size=1), max_size=2).map(tuple)
    some_criteria = st.builds(Criteria, required=choices, forbidden=st.just(frozenset()) | some(names))
    return st.just(Criteria()) | st.just(Criteria()) | some_criteria


amounts = st.dictionaries(st.sampled_from(CLASSES), st.integers(1, 3), min_size=1, max_size=3)


def groups(suffix: str, resources: st.SearchStrategy[dict[str, int]]) -> st.SearchStrategy[Group]:
    trees = st.sampled_from([None, None, None, *(provider_name(number) for number in range(PROVIDERS_MAX))])
    return st.builds(
        Group,
        suffix=st.just(suffix),
        resources=resources,
        traits=criteria(TRAITS),
        aggregates=criteria(AGGREGATES),
        in_tree=trees,
    )


@st.composite
def questions(draw: st.DrawFn, world: World) -> CandidateQuery:
    suffixes = draw(st.lists(st.sampled_from(SUFFIXES), max_size=3, unique=True))
    chosen = [draw(groups(suffix, amounts)) for suffix in suffixes]
    if not suffixes or draw(st.booleans()):
        chosen.insert(0, draw(groups("", amounts)))
    subtrees = []
    if len(suffixes) > 1 and draw(st.booleans()):
        subtrees.append(frozenset(suffixes))
        if draw(st.booleans()):
            chosen[-1] = replace(chosen[-1], resources={})
    known = [replace(group, in_tree=group.in_tree if group.in_tree in world.providers else None) for group in chosen]
    return CandidateQuery(
        groups=tuple(known),
        isolate=draw(st.booleans()),
        root_traits=draw(st.just(Criteria()) | criteria(TRAITS)),
        same_subtrees=tuple(subtrees),
        nested=draw(st.sampled_from([True, True, True, False])),
    )
