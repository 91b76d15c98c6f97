"""The search for candidates: against brute force, and that a limit limits the work."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.candidates import Candidate, Candidates, CandidateSearch
from dibs.ledger.model.criteria import Criteria
from tests.candidates.model.brute_force import Answer, Provider, Stock, World, all_candidates
from tests.candidates.model.worlds import questions, worlds

SHARES = "MISC_SHARES_VIA_AGGREGATE"


def ask(world: World, query: CandidateQuery) -> Candidates:
    """The search over the whole world."""
    trees = world.trees()
    roots = {name: world.root(name) for name in world.providers}
    search = CandidateSearch(query.in_trees(roots), [tree for tree in trees if any(tree.sharing)])
    search.look_into(trees)
    return search.result()


def answer(candidate: Candidate) -> Answer:
    given = ((name, of, amount) for name, each in candidate.resources.items() for of, amount in each.items())
    return frozenset(given), frozenset((suffix, frozenset(names)) for suffix, names in candidate.mappings.items())


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_the_search_finds_what_brute_force_finds_and_nothing_twice(data: st.DataObject) -> None:
    world = data.draw(worlds())
    query = data.draw(questions(world))
    found = [answer(candidate) for candidate in ask(world, query).candidates]
    assert set(found) == all_candidates(world, query)
    assert len(found) == len(set(found))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_limit_gives_the_first_of_all_candidates_and_a_seed_only_another_order(data: st.DataObject) -> None:
    world = data.draw(worlds())
    query = data.draw(questions(world))
    everything = ask(world, query).candidates
    limit = data.draw(st.integers(1, 5))
    assert ask(world, replace(query, limit=limit)).candidates == everything[:limit]
    shuffled = ask(world, replace(query, shuffle_seed=7)).candidates
    assert {answer(candidate) for candidate in shuffled} == {answer(candidate) for candidate in everything}


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_providers_shown_are_those_of_all_trees_that_give_something(data: st.DataObject) -> None:
    world = data.draw(worlds())
    query = data.draw(questions(world))
    result = ask(world, query)
    giving = {name for candidate in result.candidates for name in candidate.resources}
    roots = {world.root(name) for name in giving}
    shown = {member.uuid for member in result.providers}
    assert shown == ({name for name in world.providers if world.root(name) in roots} if query.nested else giving)
    assert len(shown) == len(result.providers)


def children(count: int, **stocks: Stock) -> World:
    return World([Provider("root"), *(Provider(f"child{n}", "root", dict(stocks)) for n in range(count))])


def equal_groups(count: int, **resources: int) -> tuple[RequestGroup, ...]:
    return tuple(RequestGroup(suffix=f"_{number}", resources=resources) for number in range(count))


def test_a_limit_limits_the_work() -> None:
    """There are some 10^17 candidates: whoever makes them all before giving the first ten never ends."""
    query = CandidateQuery(groups=equal_groups(16, VF=1), limit=10)
    assert len(ask(children(20, VF=Stock(1)), query).candidates) == 10


def test_without_a_limit_all_are_found() -> None:
    query = CandidateQuery(groups=equal_groups(6, VF=1))
    assert len(ask(children(8, VF=Stock(1)), query).candidates) == 20_160


@pytest.mark.parametrize(
    ("stock", "group_count", "isolate"),
    [
        (Stock(1), 21, False),
        (Stock(3), 21, False),
        (Stock(4, max_unit=3), 21, False),
        (Stock(100), 21, True),
    ],
    ids=["too little", "too little in whole units", "too small units", "too few to keep apart"],
)
def test_many_equal_children_that_have_not_enough_cost_nothing(stock: Stock, group_count: int, isolate: bool) -> None:
    groups = equal_groups(group_count, VF=2 if stock.total > 1 else 1)
    query = CandidateQuery(groups=groups, isolate=isolate)
    assert ask(children(20, VF=stock), query).candidates == ()


def test_a_hopeless_state_is_not_searched_twice() -> None:
    """Each child takes a pair or a single, so the last pair never fits; there are 12! ways to find that out."""
    pairs, singles = equal_groups(13, VF=2), (RequestGroup(suffix="1", resources={"VF": 1}),)
    query = CandidateQuery(groups=pairs + singles)
    spare = Provider("spare", "root", {"VF": Stock(1)})
    world = World([*children(12, VF=Stock(3)).providers.values(), spare])
    assert ask(world, query).candidates == ()


def test_hundreds_of_groups_are_no_trouble() -> None:
    query = CandidateQuery(groups=equal_groups(1_500, VF=1), limit=1)
    (candidate,) = ask(children(1, VF=Stock(1_500, max_unit=1_500)), query).candidates
    assert candidate.resources == {"child0": {"VF": 1_500}}
    assert len(candidate.mappings) == 1_500


def test_a_sharing_provider_serves_every_tree_in_its_aggregate() -> None:
    world = World(
        [
            Provider("host1", stocks={"VCPU": Stock(8)}, aggregates=frozenset({"a"})),
            Provider("host2", stocks={"VCPU": Stock(8)}, aggregates=frozenset({"a"})),
            Provider("lonely", stocks={"VCPU": Stock(8)}),
            Provider("disks", None, {"DISK_GB": Stock(100)}, frozenset({SHARES}), frozenset({"a"})),
        ]
    )
    groups = (RequestGroup(resources={"DISK_GB": 10}), RequestGroup(suffix="1", resources={"VCPU": 1}))
    found = ask(world, CandidateQuery(groups=groups)).candidates
    assert [dict(candidate.mappings) for candidate in found] == [
        {"": ("disks",), "1": ("host1",)},
        {"": ("disks",), "1": ("host2",)},
    ]


def test_equal_resources_for_other_groups_are_another_candidate() -> None:
    world = children(2, VF=Stock(1))
    found = ask(world, CandidateQuery(groups=equal_groups(2, VF=1))).candidates
    assert [candidate.resources for candidate in found] == [
        {"child0": {"VF": 1}, "child1": {"VF": 1}},
        {"child1": {"VF": 1}, "child0": {"VF": 1}},
    ]
    assert found[0].mappings != found[1].mappings


def test_a_group_without_resources_only_names_its_provider() -> None:
    tagged = Provider("child9", "root", {}, frozenset({"CUSTOM_TOP"}))
    world = World([*children(1, VF=Stock(1)).providers.values(), tagged, Provider("deep", "child9", {"VF": Stock(1)})])
    groups = (
        RequestGroup(suffix="_VF", resources={"VF": 1}),
        RequestGroup(suffix="_TOP", traits=Criteria(required=(frozenset({"CUSTOM_TOP"}),))),
    )
    (found,) = ask(world, CandidateQuery(groups=groups, same_subtrees=(frozenset({"_VF", "_TOP"}),))).candidates
    assert found == Candidate(resources={"deep": {"VF": 1}}, mappings={"_VF": ("deep",), "_TOP": ("child9",)})


def test_those_who_give_a_group_have_its_traits_together() -> None:
    world = World(
        [
            Provider("root"),
            Provider("red", "root", {"VCPU": Stock(8)}, frozenset({"CUSTOM_RED"})),
            Provider("plain", "root", {"VCPU": Stock(8), "MEMORY_MB": Stock(8)}),
            Provider("blue", "root", {"MEMORY_MB": Stock(8)}, frozenset({"CUSTOM_BLUE"})),
        ]
    )
    traits = Criteria(required=(frozenset({"CUSTOM_RED"}), frozenset({"CUSTOM_BLUE"})))
    query = CandidateQuery(groups=(RequestGroup(resources={"VCPU": 1, "MEMORY_MB": 1}, traits=traits),))
    (found,) = ask(world, query).candidates
    assert found.resources == {"red": {"VCPU": 1}, "blue": {"MEMORY_MB": 1}}


def test_groups_that_are_kept_apart_have_different_providers() -> None:
    world = children(3, VF=Stock(8))
    assert len(ask(world, CandidateQuery(groups=equal_groups(2, VF=1))).candidates) == 9
    assert len(ask(world, CandidateQuery(groups=equal_groups(2, VF=1), isolate=True)).candidates) == 6
