"""Trusted headers."""

import pytest

from dibs.access.actor import Actor
from dibs.http.auth import Refusal
from dibs.http.auth.noauth import NoAuth

ADMIN_ROLES = {"admin", "manager", "member", "reader"}


def authenticate(headers: dict[str, str], anonymous_is_admin: bool = True) -> Actor | Refusal:
    return NoAuth().authenticate(headers, anonymous_is_admin=anonymous_is_admin)


@pytest.mark.parametrize("token", [None, "admin", "notused", "fake-token"])
def test_a_missing_or_arbitrary_token_is_the_system_admin(token: str | None) -> None:
    headers = {} if token is None else {"x-auth-token": token}
    assert authenticate(headers) == Actor(user="admin", roles=frozenset(ADMIN_ROLES), system_scope=True)


def test_missing_token_is_401_when_the_dialect_requires_one() -> None:
    refused = authenticate({}, anonymous_is_admin=False)
    assert isinstance(refused, Refusal)
    assert refused.status == 401


@pytest.mark.parametrize(("token", "project"), [("eva:blue", "blue"), ("eva", "eva")])
def test_token_names_user_and_project(token: str, project: str) -> None:
    assert authenticate({"x-auth-token": token}, anonymous_is_admin=False) == Actor(user="eva", project=project)


@pytest.mark.parametrize("token", ["admin", "notused"])
def test_admin_token_has_project_scope_when_the_dialect_requires_a_token(token: str) -> None:
    admin = Actor(user="admin", project="admin", roles=frozenset(ADMIN_ROLES))
    assert authenticate({"x-auth-token": token}, anonymous_is_admin=False) == admin


def test_system_scope_header_gives_a_token_system_scope() -> None:
    headers = {"x-auth-token": "eva", "x-roles": "reader", "openstack-system-scope": "all"}
    reader = Actor(user="eva", roles=frozenset({"reader"}), system_scope=True)
    assert authenticate(headers, anonymous_is_admin=False) == reader


def test_a_token_with_roles_names_a_caller_of_a_project() -> None:
    actor = authenticate({"x-auth-token": "eva", "x-roles": "reader"})
    assert actor == Actor(user="eva", project="eva", roles=frozenset({"reader"}))


def test_roles_come_from_x_roles() -> None:
    actor = authenticate({"x-auth-token": "eva:blue", "x-roles": "Member, reader"})
    assert actor == Actor(user="eva", project="blue", roles=frozenset({"member", "reader"}))


def test_identity_headers_without_a_token_describe_the_caller() -> None:
    actor = authenticate({"x-project-id": "blue", "x-roles": "reader", "x-user-id": "eva"})
    assert actor == Actor(user="eva", project="blue", roles=frozenset({"reader"}))
