"""Which allocations callers see, change, list and create."""

import pytest

from dibs.access.access import EVERY_PROJECT, Access
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.access import (
    DELETE,
    check_allocation,
    check_owner,
    owner_of_new_allocation,
    visible_projects,
)
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.errors import AllocationNotFound
from dibs.errors import Forbidden

POLICY = MachinePolicy()


def access(*roles: str, project: str | None = "blue", system: bool = False) -> Access:
    return POLICY.access(Actor(user="u", project=project, roles=frozenset(roles), system_scope=system))


SYSTEM = access("admin", "member", "reader", project=None, system=True)
MEMBER = access("member", "reader")
READER = access("reader")


def allocation(owner: str | None) -> Allocation:
    return Allocation(id=1, uuid="a", owner=owner, created_at=0)


@pytest.mark.parametrize("owner", [None, "red"])
def test_allocation_outside_the_project_is_not_found(owner: str | None) -> None:
    with pytest.raises(AllocationNotFound, match="Allocation web could not be found"):
        check_allocation(MEMBER, allocation(owner), "web", DELETE)
    check_allocation(SYSTEM, allocation(owner), "web", DELETE)


def test_allocation_without_an_owner_is_hidden_from_a_caller_without_a_project() -> None:
    with pytest.raises(AllocationNotFound):
        check_allocation(access("member", "reader", project=None), allocation(None), "web")


def test_visible_allocation_is_forbidden_to_a_caller_without_the_rule() -> None:
    check_allocation(READER, allocation("blue"), "web")
    with pytest.raises(Forbidden, match=DELETE):
        check_allocation(READER, allocation("blue"), "web", DELETE)


def test_new_allocation_belongs_to_the_project_of_its_member() -> None:
    assert owner_of_new_allocation(MEMBER, None) == owner_of_new_allocation(MEMBER, "blue") == "blue"
    for asked in ("red", ""):
        with pytest.raises(Forbidden, match="create_restricted"):
            owner_of_new_allocation(MEMBER, asked)
    with pytest.raises(Forbidden, match="create_restricted"):
        owner_of_new_allocation(access("member", project=None), None)
    with pytest.raises(Forbidden, match="allocation:create"):
        owner_of_new_allocation(READER, None)


def test_system_caller_creates_for_any_project_or_for_none() -> None:
    assert owner_of_new_allocation(SYSTEM, None) is None
    assert owner_of_new_allocation(SYSTEM, "red") == "red"


@pytest.mark.parametrize("owner", [None, "", "red"])
def test_member_may_not_create_for_another_owner(owner: str | None) -> None:
    check_owner(MEMBER, "blue")
    check_owner(SYSTEM, owner)
    with pytest.raises(Forbidden):
        check_owner(MEMBER, owner)


def test_list_shows_the_callers_project_or_every_project() -> None:
    assert visible_projects(READER) == visible_projects(READER, "blue") == {"blue"}
    assert visible_projects(SYSTEM) is EVERY_PROJECT
    assert visible_projects(SYSTEM, "red") == {"red"}
    for caller, asked in ((READER, "red"), (access("reader", project=None), None), (access(), None)):
        with pytest.raises(Forbidden):
            visible_projects(caller, asked)
