"""Requirements: what every tree with a candidate meets."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import SHARING_TRAIT
from dibs.candidates.model.requirements import REQUIREMENTS_MAX, Requirement, requirements_of
from dibs.ledger.model.criteria import Criteria
from tests.candidates.model.brute_force import Provider, Stock, World

RED = Criteria(required=(frozenset({"CUSTOM_RED"}),), forbidden=frozenset({"CUSTOM_OLD"}))
NOT_OLD = Criteria(forbidden=frozenset({"CUSTOM_OLD"}))


def test_one_provider_must_meet_all_of_a_group_with_a_suffix() -> None:
    group = RequestGroup(suffix="_A", resources={"VCPU": 1, "DISK_GB": 2}, traits=RED)
    assert requirements_of(CandidateQuery(groups=(group,)), []) == (
        Requirement(resources=(("DISK_GB", 2), ("VCPU", 1)), traits=RED),
    )


def test_each_class_and_each_trait_of_the_group_without_a_suffix_is_required_by_itself() -> None:
    group = RequestGroup(resources={"VCPU": 1, "DISK_GB": 2}, traits=RED)
    assert requirements_of(CandidateQuery(groups=(group,)), []) == (
        Requirement(resources=(("VCPU", 1),), traits=NOT_OLD, root_counts=True),
        Requirement(resources=(("DISK_GB", 2),), traits=NOT_OLD, root_counts=True),
        Requirement(resources=(("DISK_GB", 2), ("VCPU", 1)), any_resource=True, traits=RED, root_counts=True),
    )


def test_a_sharing_provider_meets_a_requirement_through_its_aggregates() -> None:
    (disks,) = World(
        [Provider("disks", None, {"DISK_GB": Stock(9)}, frozenset({SHARING_TRAIT}), frozenset({"a", "b"}))]
    ).trees()
    group = RequestGroup(resources={"VCPU": 1, "DISK_GB": 2})
    vcpu, disk = requirements_of(CandidateQuery(groups=(group,)), [disks.root])
    assert (vcpu.shared_in, disk.shared_in) == (frozenset(), {"a", "b"})


@settings(max_examples=20)
@given(count=st.integers(1, 60))
def test_a_query_of_many_groups_has_a_bounded_number_of_requirements(count: int) -> None:
    groups = tuple(RequestGroup(suffix=f"_{n}", resources={"VCPU": n + 1}) for n in range(count))
    assert len(requirements_of(CandidateQuery(groups=groups), [])) == min(count, REQUIREMENTS_MAX)
