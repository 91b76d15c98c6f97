"""Believing the caller."""

import pytest

from dibs.access.actor import Actor
from dibs.http.auth import Refusal
from dibs.http.auth.noauth import NoAuth

ADMIN_ROLES = {"admin", "manager", "member", "reader"}


def authenticate(headers: dict[str, str], anonymous_is_admin: bool = True) -> Actor | Refusal:
    return NoAuth().authenticate(headers, anonymous_is_admin=anonymous_is_admin)


@pytest.mark.parametrize("headers", [{}, {"x-auth-token": "admin"}, {"x-auth-token": "notused"}])
def test_no_token_and_the_tokens_of_an_admin_are_the_admin_of_the_system(headers: dict[str, str]) -> None:
    assert authenticate(headers) == Actor(user="admin", roles=frozenset(ADMIN_ROLES), system_scope=True)


def test_no_token_is_401_where_the_dialect_wants_one() -> None:
    refused = authenticate({}, anonymous_is_admin=False)
    assert isinstance(refused, Refusal)
    assert refused.status == 401


@pytest.mark.parametrize(("token", "project"), [("eva:blue", "blue"), ("eva", "eva")])
def test_a_token_names_user_and_project(token: str, project: str) -> None:
    assert authenticate({"x-auth-token": token}, anonymous_is_admin=False) == Actor(user="eva", project=project)


@pytest.mark.parametrize("token", ["admin", "notused"])
def test_where_a_token_is_wanted_an_admin_speaks_for_a_project(token: str) -> None:
    admin = Actor(user="admin", project="admin", roles=frozenset(ADMIN_ROLES))
    assert authenticate({"x-auth-token": token}, anonymous_is_admin=False) == admin


def test_a_header_gives_a_token_the_scope_of_the_system() -> None:
    headers = {"x-auth-token": "eva", "x-roles": "reader", "openstack-system-scope": "all"}
    reader = Actor(user="eva", roles=frozenset({"reader"}), system_scope=True)
    assert authenticate(headers, anonymous_is_admin=False) == reader


def test_roles_come_from_their_header() -> None:
    actor = authenticate({"x-auth-token": "eva:blue", "x-roles": "Member, reader"})
    assert actor == Actor(user="eva", project="blue", roles=frozenset({"member", "reader"}))


def test_without_a_token_the_headers_say_whom_to_play() -> None:
    actor = authenticate({"x-project-id": "blue", "x-roles": "reader", "x-user-id": "eva"})
    assert actor == Actor(user="eva", project="blue", roles=frozenset({"reader"}))
