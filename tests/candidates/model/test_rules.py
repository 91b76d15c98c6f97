"""Rules about the providers of several slots together."""

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.rules import SumsFit, could_have_enough
from dibs.candidates.model.slots import slots_of, with_choices_of
from dibs.ledger.model.criteria import Criteria
from tests.candidates.model.brute_force import Provider, Stock, World
from tests.candidates.model.searching import children, equal_groups, search_world


def test_a_group_without_resources_places_its_provider_in_the_subtree() -> None:
    tagged = Provider("child9", "root", {}, frozenset({"CUSTOM_TOP"}))
    world = World([*children(1, VF=Stock(1)).providers.values(), tagged, Provider("deep", "child9", {"VF": Stock(1)})])
    groups = (
        RequestGroup(suffix="_VF", resources={"VF": 1}),
        RequestGroup(suffix="_TOP", traits=Criteria(required=(frozenset({"CUSTOM_TOP"}),))),
    )
    (found,) = search_world(
        world, CandidateQuery(groups=groups, same_subtrees=(frozenset({"_VF", "_TOP"}),))
    ).candidates
    assert found.resources == {"deep": {"VF": 1}}
    assert found.mappings == {"_VF": ("deep",), "_TOP": ("child9",)}


def test_the_providers_of_a_group_have_its_traits_together() -> None:
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
    (found,) = search_world(world, query).candidates
    assert found.resources == {"red": {"VCPU": 1}, "blue": {"MEMORY_MB": 1}}


def test_isolated_groups_have_different_providers() -> None:
    world = children(3, VF=Stock(8))
    assert len(search_world(world, CandidateQuery(groups=equal_groups(2, VF=1))).candidates) == 9
    assert len(search_world(world, CandidateQuery(groups=equal_groups(2, VF=1), isolate=True)).candidates) == 6


def test_a_client_without_trees_gets_one_provider_per_tree() -> None:
    world = World(
        [
            Provider("root", None, {"VCPU": Stock(8)}),
            Provider("child", "root", {"VCPU": Stock(8), "MEMORY_MB": Stock(8)}),
        ]
    )
    groups = (RequestGroup(resources={"VCPU": 1, "MEMORY_MB": 1}),)
    assert len(search_world(world, CandidateQuery(groups=groups)).candidates) == 2
    (found,) = search_world(world, CandidateQuery(groups=groups, nested=False)).candidates
    assert found.resources == {"child": {"VCPU": 1, "MEMORY_MB": 1}}


def test_the_sum_of_several_slots_must_fit_and_a_removed_slot_no_longer_counts() -> None:
    (tree,) = World([Provider("root", None, {"VCPU": Stock(3)})]).trees()
    query = CandidateQuery(groups=equal_groups(2, VCPU=2))
    slots = with_choices_of(slots_of(query), tree, [])
    rule = SumsFit(slots, frozenset({"VCPU"}))
    empty = rule.state()
    rule.add(0, tree.root)
    assert not rule.allows(1, tree.root)
    rule.remove(0, tree.root)
    assert rule.allows(1, tree.root)
    assert rule.state() == empty
    assert not could_have_enough(query, slots)
