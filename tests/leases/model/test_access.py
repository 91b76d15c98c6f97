import pytest
from msgspec.structs import replace

from dibs.access.access import EVERY_PROJECT
from dibs.access.actor import Actor
from dibs.access.lease_policy import LeasePolicy
from dibs.errors import Forbidden
from dibs.leases.model.access import is_operator, require_in_own_project, require_on_lease, visible_leases
from dibs.leases.model.leases import PENDING, Lease

MEMBER = LeasePolicy().access(Actor(user="m", project="p", roles=frozenset({"member", "reader"})))
NO_PROJECT = LeasePolicy().access(Actor(user="n", roles=frozenset({"member", "reader"})))
ADMIN = LeasePolicy().access(Actor(user="a", project="q", roles=frozenset({"admin"})))
LEASE = Lease(id=1, uuid="1", name="l", project_id="p", user_id="m", start_at=0, end_at=1, status=PENDING, created_at=0)


def test_member_may_change_leases_of_its_own_project_only() -> None:
    require_on_lease(MEMBER, "blazar:leases:put", LEASE)
    with pytest.raises(Forbidden):
        require_on_lease(MEMBER, "blazar:leases:put", replace(LEASE, project_id="q"))


def test_admin_may_change_leases_of_every_project() -> None:
    require_on_lease(ADMIN, "blazar:leases:put", LEASE)


def test_lease_without_a_project_does_not_belong_to_a_caller_without_one() -> None:
    with pytest.raises(Forbidden):
        require_on_lease(NO_PROJECT, "blazar:leases:get", replace(LEASE, project_id=None))


def test_caller_without_a_project_may_not_create_leases() -> None:
    require_in_own_project(MEMBER, "blazar:leases:post")
    with pytest.raises(Forbidden):
        require_in_own_project(NO_PROJECT, "blazar:leases:post")


def test_only_operators_see_every_project() -> None:
    assert visible_leases(ADMIN) is EVERY_PROJECT
    assert visible_leases(MEMBER) == {"p"}
    assert visible_leases(NO_PROJECT) == frozenset()
    assert (is_operator(ADMIN), is_operator(MEMBER)) == (True, False)
