"""Slots: how a query is divided, and which providers suit."""

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import SHARING_TRAIT
from dibs.candidates.model.slots import slots_of, suits_from_elsewhere, with_choices_of
from dibs.ledger.model.criteria import Criteria
from tests.candidates.model.brute_force import Provider, Stock, World

VCPU, IN_A = {"VCPU": Stock(8)}, Criteria(required=(frozenset({"a"}),))
TREE = World([Provider("root", None, VCPU, aggregates=frozenset({"a"})), Provider("child", "root", VCPU)]).trees()[0]


def choices(group: RequestGroup) -> list[str]:
    (slot,) = with_choices_of(slots_of(CandidateQuery(groups=(group,))), TREE, [])
    return [member.uuid for member in slot.choices]


def test_a_group_with_a_suffix_is_one_slot_and_the_other_one_slot_per_class() -> None:
    resources = {"VCPU": 1, "MEMORY_MB": 2}
    query = CandidateQuery(groups=(RequestGroup(resources=resources), RequestGroup(suffix="_A", resources=resources)))
    assert [(slot.suffix, slot.resources) for slot in slots_of(query)] == [
        ("", {"VCPU": 1}),
        ("", {"MEMORY_MB": 2}),
        ("_A", resources),
    ]


def test_an_aggregate_of_the_root_includes_the_tree_only_without_a_suffix() -> None:
    assert choices(RequestGroup(resources={"VCPU": 1}, aggregates=IN_A)) == ["root", "child"]
    assert choices(RequestGroup(suffix="_A", resources={"VCPU": 1}, aggregates=IN_A)) == ["root"]


def test_a_forbidden_aggregate_of_the_root_excludes_the_tree_only_without_a_suffix() -> None:
    not_in_a = Criteria(forbidden=frozenset({"a"}))
    assert choices(RequestGroup(resources={"VCPU": 1}, aggregates=not_in_a)) == []
    assert choices(RequestGroup(suffix="_A", resources={"VCPU": 1}, aggregates=not_in_a)) == ["child"]


def test_another_tree_does_not_supply_the_group_without_a_suffix_of_a_named_tree() -> None:
    (disks,) = World([Provider("disks", None, {"DISK_GB": Stock(9)}, frozenset({SHARING_TRAIT}))]).trees()
    for in_tree, suits in ((None, True), ("disks", False)):
        group = RequestGroup(resources={"DISK_GB": 1}, in_tree=in_tree)
        (slot,) = slots_of(CandidateQuery(groups=(group,)))
        assert suits_from_elsewhere(slot, disks.root) is suits
