"""The search of one tree: bounded work, and dead ends that are searched once."""

import pytest

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from tests.candidates.model.brute_force import Provider, Stock, World
from tests.candidates.model.searching import children, equal_groups, search_world


def test_a_limit_bounds_the_work() -> None:
    """There are some 10^17 candidates: a search that builds all of them before it returns ten never ends."""
    query = CandidateQuery(groups=equal_groups(16, VF=1), limit=10)
    assert len(search_world(children(20, VF=Stock(1)), query).candidates) == 10


def test_without_a_limit_all_are_found() -> None:
    query = CandidateQuery(groups=equal_groups(6, VF=1))
    assert len(search_world(children(8, VF=Stock(1)), query).candidates) == 20_160


@pytest.mark.parametrize(
    ("stock", "group_count", "isolate"),
    [
        (Stock(1), 21, False),
        (Stock(3), 21, False),
        (Stock(4, max_unit=3), 21, False),
        (Stock(100), 21, True),
    ],
    ids=["too little", "too little in whole units", "too small units", "too few to isolate"],
)
def test_equal_children_without_enough_capacity_are_not_searched(stock: Stock, group_count: int, isolate: bool) -> None:
    groups = equal_groups(group_count, VF=2 if stock.total > 1 else 1)
    query = CandidateQuery(groups=groups, isolate=isolate)
    assert search_world(children(20, VF=stock), query).candidates == ()


def test_a_dead_end_is_searched_once() -> None:
    """Each child supplies a pair or a single, so the last pair never fits; a plain search tries 12! ways."""
    pairs, singles = equal_groups(13, VF=2), (RequestGroup(suffix="1", resources={"VF": 1}),)
    query = CandidateQuery(groups=pairs + singles)
    spare = Provider("spare", "root", {"VF": Stock(1)})
    world = World([*children(12, VF=Stock(3)).providers.values(), spare])
    assert search_world(world, query).candidates == ()


def test_hundreds_of_groups_do_not_exhaust_the_stack() -> None:
    query = CandidateQuery(groups=equal_groups(1_500, VF=1), limit=1)
    (candidate,) = search_world(children(1, VF=Stock(1_500, max_unit=1_500)), query).candidates
    assert candidate.resources == {"child0": {"VF": 1_500}}
    assert len(candidate.mappings) == 1_500
