"""Sign in to the console with a Keystone server."""

from pathlib import Path

import httpx
import pytest

from dibs.access.actor import Actor
from dibs.http.auth import ANONYMOUS, Refusal
from dibs.http.auth.keystone import KeystoneAuth
from dibs.http.auth.keystone_sessions import KeystoneSignIn
from dibs.http.auth.sessions import COOKIE, Names, Session
from tests.bed.dibs_server import DibsServer
from tests.bed.processes import free_port
from tests.bed.session import Bed
from tests.http.auth.keystone_server import PASSWORD, Keystone
from tests.http.auth.test_keystone import PROJECT_ADMIN, SERVICE_USER, issue_token

HOUR = 3600


@pytest.fixture
def sign_in(keystone: Keystone) -> KeystoneSignIn:
    return KeystoneSignIn(keystone.url, KeystoneAuth(keystone.url, SERVICE_USER), HOUR)


def actor_of(sign_in: KeystoneSignIn, session: Session) -> Actor | Refusal:
    headers = {"cookie": f"{COOKIE}={session.cookie}"}
    return sign_in.authenticator.authenticate(headers, anonymous_is_admin=True)


def add_project(keystone: Keystone, name: str) -> str:
    """Create a project in which admin has the role admin; return its id."""
    token, user = issue_token(keystone, PROJECT_ADMIN)
    with httpx.Client(base_url=keystone.url + "/", headers={"X-Auth-Token": token}, timeout=30) as client:
        project = str(client.post("projects", json={"project": {"name": name}}).json()["project"]["id"])
        role = client.get("roles?name=admin").json()["roles"][0]["id"]
        assert client.put(f"projects/{project}/users/{user}/roles/{role}").status_code == 204
    return project


def test_user_signs_in_and_switches_the_project(keystone: Keystone, sign_in: KeystoneSignIn) -> None:
    session = sign_in.sign_in({"user": "admin", "password": PASSWORD, "domain": "Default", "project": "admin"})
    assert isinstance(session, Session)
    assert 0 < session.seconds <= HOUR
    first = actor_of(sign_in, session)
    assert isinstance(first, Actor)
    assert sign_in.names(session.cookie, first) == Names(user="admin", project="admin")
    project = add_project(keystone, "vision-lab")
    projects = sign_in.projects(session.cookie)
    assert not isinstance(projects, Refusal)
    assert {each.name for each in projects} >= {"admin", "vision-lab"}
    other = sign_in.switch(session.cookie, project)
    assert isinstance(other, Session)
    second = actor_of(sign_in, other)
    assert isinstance(second, Actor)
    assert (second.user, second.project) == (first.user, project)
    assert "member" in second.roles or "admin" in second.roles


def test_user_switches_the_project_on_the_pages_of_the_console(keystone: Keystone, bed: Bed, tmp_path: Path) -> None:
    project = add_project(keystone, "storage")
    flags = ("--keystone-url", keystone.url, "--keystone-username", "admin", "--keystone-password", PASSWORD)
    server = DibsServer(
        bed.databases("sqlite").fresh(), tmp_path, *flags, "--keystone-project", "admin", auth="keystone"
    )
    server.start()
    try:
        with httpx.Client(base_url=f"{server.url}/console", timeout=60, follow_redirects=True) as client:

            def send(path: str, **values: str) -> httpx.Response:
                token = client.get(path).text.partition('name="csrf" value="')[2].partition('"')[0]
                return client.post(path, data={"csrf": token, **values})

            given = {"user": "admin", "password": PASSWORD, "domain": "Default", "project": "admin"}
            assert '<a href="/console/projects">admin</a>' in send("/sign-in", **given).text
            assert '<a href="/console/projects">storage</a>' in send("/projects", project=project).text
            assert "You work as admin in storage." in client.get("/projects").text
    finally:
        server.stop()


def test_user_without_a_project_gets_the_first(sign_in: KeystoneSignIn) -> None:
    session = sign_in.sign_in({"user": "admin", "password": PASSWORD})
    assert isinstance(session, Session)
    actor = actor_of(sign_in, session)
    assert isinstance(actor, Actor)
    assert actor.project is not None


@pytest.mark.parametrize("change", [{"password": "wrong"}, {"user": "nobody"}, {"project": "none"}])
def test_wrong_values_are_refused(sign_in: KeystoneSignIn, change: dict[str, str]) -> None:
    values = {"user": "admin", "password": PASSWORD, "project": "admin", **change}
    refused = sign_in.sign_in(values)
    assert isinstance(refused, Refusal)
    assert refused.status == 401


def test_cookie_without_a_valid_token_is_no_session(sign_in: KeystoneSignIn) -> None:
    assert actor_of(sign_in, Session(cookie="", seconds=0)) == ANONYMOUS
    assert actor_of(sign_in, Session(cookie="nonsense~x", seconds=0)) == ANONYMOUS


def test_keystone_that_does_not_answer_is_503(keystone: Keystone) -> None:
    url = f"http://127.0.0.1:{free_port()}/v3"
    refused = KeystoneSignIn(url, KeystoneAuth(keystone.url, SERVICE_USER), HOUR).sign_in(
        {"user": "a", "password": "b"}
    )
    assert isinstance(refused, Refusal)
    assert refused.status == 503
