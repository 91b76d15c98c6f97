"""The search for candidates, compared with brute force."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.candidates import Candidate
from dibs.candidates.model.provider_tree import SHARING_TRAIT
from tests.candidates.model.brute_force import Provider, Stock, World, all_candidates
from tests.candidates.model.searching import answer, children, equal_groups, search_world
from tests.candidates.model.worlds import queries, worlds


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_the_search_finds_the_candidates_of_brute_force_once_each(data: st.DataObject) -> None:
    world = data.draw(worlds())
    query = data.draw(queries(world))
    found = [answer(candidate) for candidate in search_world(world, query).candidates]
    assert set(found) == all_candidates(world, query)
    assert len(found) == len(set(found))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_limit_cuts_the_candidates_off_and_a_seed_only_reorders_them(data: st.DataObject) -> None:
    world = data.draw(worlds())
    query = data.draw(queries(world))
    everything = search_world(world, query).candidates
    limit = data.draw(st.integers(1, 5))
    assert search_world(world, replace(query, limit=limit)).candidates == everything[:limit]
    shuffled = search_world(world, replace(query, shuffle_seed=7)).candidates
    assert {answer(candidate) for candidate in shuffled} == {answer(candidate) for candidate in everything}


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_providers_shown_are_the_members_of_all_supplying_trees(data: st.DataObject) -> None:
    world = data.draw(worlds())
    query = data.draw(queries(world))
    result = search_world(world, query)
    supplying = {name for candidate in result.candidates for name in candidate.resources}
    roots = {world.root(name) for name in supplying}
    shown = {member.uuid for member in result.providers}
    assert shown == ({name for name in world.providers if world.root(name) in roots} if query.nested else supplying)
    assert len(shown) == len(result.providers)


def test_a_sharing_provider_supplies_every_tree_in_its_aggregate() -> None:
    world = World(
        [
            Provider("host1", stocks={"VCPU": Stock(8)}, aggregates=frozenset({"a"})),
            Provider("host2", stocks={"VCPU": Stock(8)}, aggregates=frozenset({"a"})),
            Provider("lonely", stocks={"VCPU": Stock(8)}),
            Provider("disks", None, {"DISK_GB": Stock(100)}, frozenset({SHARING_TRAIT}), frozenset({"a"})),
        ]
    )
    groups = (RequestGroup(resources={"DISK_GB": 10}), RequestGroup(suffix="1", resources={"VCPU": 1}))
    found = search_world(world, CandidateQuery(groups=groups)).candidates
    assert [dict(candidate.mappings) for candidate in found] == [
        {"": ("disks",), "1": ("host1",)},
        {"": ("disks",), "1": ("host2",)},
    ]


def test_equal_resources_for_other_groups_are_another_candidate() -> None:
    world = children(2, VF=Stock(1))
    found = search_world(world, CandidateQuery(groups=equal_groups(2, VF=1))).candidates
    assert [candidate.resources for candidate in found] == [
        {"child0": {"VF": 1}, "child1": {"VF": 1}},
        {"child1": {"VF": 1}, "child0": {"VF": 1}},
    ]
    assert found[0].mappings != found[1].mappings


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_breadth_first_only_reorders_the_candidates_and_a_limit_cuts_them_off(data: st.DataObject) -> None:
    world = data.draw(worlds())
    query = replace(data.draw(queries(world)), breadth_first=True)
    everything = search_world(world, query).candidates
    assert {answer(candidate) for candidate in everything} == all_candidates(world, query)
    limit = data.draw(st.integers(1, 5))
    assert search_world(world, replace(query, limit=limit)).candidates == everything[:limit]


def test_breadth_first_takes_one_candidate_of_each_tree_in_turn() -> None:
    world = World(
        [
            provider
            for root, count in (("a", 3), ("b", 1), ("c", 2))
            for provider in (
                Provider(root),
                *(Provider(f"{root}{number}", root, {"VF": Stock(1)}) for number in range(count)),
            )
        ]
    )
    query = CandidateQuery(groups=equal_groups(1, VF=1))
    depth = [*search_world(world, query).candidates]
    breadth = [*search_world(world, replace(query, breadth_first=True)).candidates]
    assert [*map(suppliers, depth)] == ["a0", "a1", "a2", "b0", "c0", "c1"]
    assert [*map(suppliers, breadth)] == ["a0", "b0", "c0", "a1", "c1", "a2"]


def suppliers(candidate: Candidate) -> str:
    return " ".join(candidate.resources)
