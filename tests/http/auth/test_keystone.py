"""Tokens of a Keystone server."""

import socket
from pathlib import Path

import httpx
import pytest

from dibs.access.actor import Actor
from dibs.client import Dibs
from dibs.http.auth import Refusal
from dibs.http.auth.keystone import KeystoneAuth, ServiceUser
from tests.bed.dibs_server import DibsServer
from tests.bed.processes import free_port
from tests.bed.session import Bed
from tests.clients.clouds import write_clouds_yaml
from tests.http.auth.keystone_server import PASSWORD, Keystone
from tests.http.edge.echo_server import running_server

SERVICE_USER = ServiceUser(
    username="admin", password=PASSWORD, project="admin", user_domain="Default", project_domain="Default"
)
PROJECT_ADMIN = {"project": {"name": "admin", "domain": {"name": "Default"}}}


def issue_token(keystone: Keystone, scope: dict[str, object]) -> tuple[str, str]:
    """Return a token of the user admin, and the id of the user."""
    user = {"name": "admin", "domain": {"name": "Default"}, "password": PASSWORD}
    auth = {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}
    answer = httpx.post(f"{keystone.url}/auth/tokens", json={"auth": auth}, timeout=30)
    assert answer.status_code == 201, answer.text
    return answer.headers["x-subject-token"], answer.json()["token"]["user"]["id"]


def authenticate(auth: KeystoneAuth, **headers: str) -> Actor | Refusal:
    return auth.authenticate(
        {name.replace("_", "-"): value for name, value in headers.items()}, anonymous_is_admin=True
    )


def test_system_token_has_system_scope(keystone: Keystone) -> None:
    token, user = issue_token(keystone, {"system": {"all": True}})
    actor = authenticate(KeystoneAuth(keystone.url, SERVICE_USER), x_auth_token=token)
    assert isinstance(actor, Actor)
    assert (actor.user, actor.project, actor.system_scope) == (user, None, True)
    assert actor.roles >= {"admin", "member", "reader"}


def test_project_token_has_project_scope(keystone: Keystone) -> None:
    token, user = issue_token(keystone, PROJECT_ADMIN)
    actor = authenticate(KeystoneAuth(keystone.url, SERVICE_USER), x_auth_token=token)
    assert isinstance(actor, Actor)
    assert (actor.user, actor.system_scope) == (user, False)
    assert actor.project is not None
    assert len(actor.project) == 32


def test_identity_headers_of_the_client_are_ignored(keystone: Keystone) -> None:
    token, user = issue_token(keystone, PROJECT_ADMIN)
    actor = authenticate(
        KeystoneAuth(keystone.url, SERVICE_USER),
        x_auth_token=token,
        x_user_id="eva",
        x_roles="root",
        openstack_system_scope="all",
    )
    assert isinstance(actor, Actor)
    assert (actor.user, actor.system_scope, "root" in actor.roles) == (user, False, False)


def test_missing_and_invalid_tokens_are_401_with_the_url_of_keystone(keystone: Keystone) -> None:
    auth = KeystoneAuth(keystone.url, SERVICE_USER)
    for refused in (authenticate(auth), authenticate(auth, x_auth_token="admin")):
        assert isinstance(refused, Refusal)
        assert refused.status == 401
        assert refused.headers == (("WWW-Authenticate", f'Keystone uri="{keystone.url}"'),)


def test_unreachable_keystone_is_503() -> None:
    auth = KeystoneAuth(f"http://127.0.0.1:{free_port()}/v3", SERVICE_USER)
    refused = authenticate(auth, x_auth_token="gAAAA")
    assert isinstance(refused, Refusal)
    assert refused.status == 503


def test_token_is_accepted_by_a_dialect(keystone: Keystone) -> None:
    token, user = issue_token(keystone, PROJECT_ADMIN)
    with running_server(authenticator=KeystoneAuth(keystone.url, SERVICE_USER)) as server:
        assert httpx.get(f"{server.url}/echo/x").status_code == 401
        seen = httpx.get(f"{server.url}/echo/x", headers={"X-Auth-Token": token}).json()
    assert seen["user"] == user


def test_sdk_authenticates_with_the_clouds_yaml_entry(
    keystone: Keystone, bed: Bed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ("--keystone-url", keystone.url, "--keystone-username", "admin", "--keystone-password", PASSWORD)
    flags += ("--keystone-project", "admin")
    server = DibsServer(bed.databases("sqlite").fresh(), tmp_path, *flags, auth="keystone")
    server.start()
    try:
        user = {"username": "admin", "password": PASSWORD, "project_name": "admin"}
        path = write_clouds_yaml(tmp_path, server, "--auth", "keystone", *flags, **user)
        monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(path))
        dibs = Dibs.connect(cloud="dibs")
        assert dibs.url == server.url
        assert "no nodes of class gold of project" in dibs.why("gold").text
        assert list(dibs.reservations.list()) == list(dibs.leases.list()) == dibs.candidates({"VCPU": 1}) == []
    finally:
        server.stop()


def test_keystone_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dibs.http.auth.keystone.TIMEOUT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        auth = KeystoneAuth(f"http://127.0.0.1:{silent.getsockname()[1]}/v3", SERVICE_USER)
        refusal = authenticate(auth, x_auth_token="gAAAAAB")
    assert isinstance(refusal, Refusal)
    assert refusal.status == 503
