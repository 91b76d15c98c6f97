import pytest

from dibs.leases.model.leases import FLAVORED_INSTANCES, INSTANCES, RESERVATION_PENDING, WHOLE_HOST, Reservation
from dibs.leases.model.matching.needs import HostNeed, need_of


def reservation(resource_type: str, **values: object) -> Reservation:
    common = {"id": 1, "uuid": "r", "status": RESERVATION_PENDING, "least": 2, "most": 2, "created_at": 0}
    return Reservation(resource_type=resource_type, **{**common, **values})


@pytest.mark.parametrize(
    ("need", "room", "contribution", "goal"),
    [
        (HostNeed(whole=True, least=2, most=3), 1, 1, 2),
        (HostNeed(whole=False, least=4, most=4), 3, 3, 4),
        (HostNeed(whole=False, least=4, most=4, affinity=False), 3, 1, 4),
        (HostNeed(whole=False, least=4, most=4, affinity=True), 3, 0, 1),
        (HostNeed(whole=False, least=4, most=4, affinity=True), 9, 1, 1),
    ],
    ids=["whole hosts", "no preference", "apart", "together, too little room", "together"],
)
def test_contribution_of_a_host_depends_on_affinity(need: HostNeed, room: int, contribution: int, goal: int) -> None:
    assert (need.contribution(room), need.goal_of(1)) == (contribution, goal)


def test_equal_needs_add_up_unless_one_host_may_contribute_to_each() -> None:
    needs = [HostNeed(whole=True, least=6, most=9)]
    needs += [HostNeed(whole=False, least=6, most=6, affinity=affinity) for affinity in (None, False, True)]
    assert [need.goal_of(100) for need in needs] == [600, 600, 6, 1]


def test_only_needed_details_are_read() -> None:
    by_size = need_of(reservation(WHOLE_HOST, hypervisor_properties='[">=", "$vcpus", "4"]'))
    assert (by_size.details.classes, by_size.details.properties) == ({"VCPU"}, False)
    by_property = need_of(reservation(INSTANCES, resources={"DISK_GB": 1}, resource_properties='["==", "$gpu", "a"]'))
    assert (by_property.details.classes, by_property.details.properties) == ({"DISK_GB"}, True)


def test_description_of_a_flavor_is_no_requirement() -> None:
    need = need_of(reservation(FLAVORED_INSTANCES, resource_properties='{"id": "1"}', required_traits=("CUSTOM_A",)))
    assert [requirement.trait for requirement in need.requirements] == ["CUSTOM_A"]
    assert need.details.traits == {"CUSTOM_A"}
