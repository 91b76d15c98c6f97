"""The query for candidates as data."""

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.ledger.model.criteria import Criteria

RED = Criteria(required=(frozenset({"CUSTOM_RED", "CUSTOM_BLUE"}),), forbidden=frozenset({"CUSTOM_OLD"}))
QUERY = CandidateQuery(
    groups=(
        RequestGroup(resources={"VCPU": 1, "MEMORY_MB": 2}, traits=RED, in_tree="child"),
        RequestGroup(suffix="_NET", resources={"VCPU": 1, "CUSTOM_VF": 1}),
    ),
    root_traits=Criteria(forbidden=frozenset({"CUSTOM_BROKEN"})),
)


def test_a_query_names_the_traits_of_all_groups_and_of_the_root() -> None:
    assert QUERY.trait_names() == {"CUSTOM_RED", "CUSTOM_BLUE", "CUSTOM_OLD", "CUSTOM_BROKEN"}


def test_a_query_names_the_classes_of_all_groups() -> None:
    assert QUERY.class_names() == {"VCPU", "MEMORY_MB", "CUSTOM_VF"}


def test_a_tree_is_renamed_to_its_root_and_other_groups_stay() -> None:
    spread, network = QUERY.in_trees({"child": "root"}).groups
    assert spread.in_tree == "root"
    assert network == QUERY.groups[1]


def test_only_a_group_with_a_suffix_has_one_provider() -> None:
    assert [group.one_provider for group in QUERY.groups] == [False, True]
