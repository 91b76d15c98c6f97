"""The user file, and passwords."""

import base64
import os
from pathlib import Path

import bcrypt
import httpx
import pytest

from dibs.access.actor import Actor
from dibs.http.auth import Refusal
from dibs.http.auth.basic import BadUserFile, BasicAuth, format_line, parse_users
from tests.http.edge.echo_server import running_server

SECRET_HASH = bcrypt.hashpw(b"secret", bcrypt.gensalt(4)).decode()
OTHER_HASH = bcrypt.hashpw(b"other", bcrypt.gensalt(4)).decode()


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    path = tmp_path / "users"
    path.write_text(f"# people\n\nroot:{SECRET_HASH}\neva:{SECRET_HASH}:blue\nada:{SECRET_HASH}:blue:reader,Auditor\n")
    return path


def authenticate(auth: BasicAuth, user: str, password: str) -> Actor | Refusal:
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    return auth.authenticate({"authorization": f"Basic {encoded}"}, anonymous_is_admin=True)


def test_line_with_two_fields_is_a_system_admin(user_file: Path) -> None:
    actor = authenticate(BasicAuth(str(user_file)), "root", "secret")
    assert actor == Actor(user="root", roles=frozenset({"admin", "manager", "member", "reader"}), system_scope=True)


def test_line_with_three_fields_is_a_project_member(user_file: Path) -> None:
    actor = authenticate(BasicAuth(str(user_file)), "eva", "secret")
    assert actor == Actor(user="eva", project="blue", roles=frozenset({"member", "reader"}))


def test_fourth_field_has_the_roles(user_file: Path) -> None:
    actor = authenticate(BasicAuth(str(user_file)), "ada", "secret")
    assert actor == Actor(user="ada", project="blue", roles=frozenset({"reader", "auditor"}))


@pytest.mark.parametrize(
    ("user", "password"), [("root", "wrong"), ("nobody", "secret"), ("root", ""), ("root", "x" * 99)]
)
def test_wrong_password_and_unknown_user_get_the_same_refusal(user_file: Path, user: str, password: str) -> None:
    refused = authenticate(BasicAuth(str(user_file)), user, password)
    assert isinstance(refused, Refusal)
    assert (refused.status, refused.message) == (401, "Incorrect username or password")
    assert refused.headers == (("www-authenticate", 'Basic realm="Baremetal API"'),)


@pytest.mark.parametrize("header", ["", "Bearer x", "Basic", "Basic !!", "Basic cm9vdA==", "Basic /w=="])
def test_other_authorization_header_is_refused_with_a_challenge(user_file: Path, header: str) -> None:
    refused = BasicAuth(str(user_file)).authenticate({"authorization": header}, anonymous_is_admin=True)
    assert isinstance(refused, Refusal)
    assert refused.headers


def test_changed_file_is_reloaded_and_old_passwords_are_refused(user_file: Path) -> None:
    auth = BasicAuth(str(user_file))
    before = auth.edition()
    assert isinstance(authenticate(auth, "root", "secret"), Actor)
    user_file.write_text(f"root:{OTHER_HASH}\nnew:{SECRET_HASH}\n")
    os.utime(user_file, ns=(1, 1))
    assert auth.edition() != before
    assert isinstance(authenticate(auth, "root", "secret"), Refusal)
    assert isinstance(authenticate(auth, "root", "other"), Actor)
    assert isinstance(authenticate(auth, "new", "secret"), Actor)


@pytest.mark.parametrize("damage", ["not a user line\n", None])
def test_users_are_kept_when_the_file_becomes_bad_or_is_removed(user_file: Path, damage: str | None) -> None:
    auth = BasicAuth(str(user_file))
    user_file.unlink() if damage is None else user_file.write_text(damage)
    assert isinstance(authenticate(auth, "root", "secret"), Actor)


def test_error_has_the_number_of_every_bad_line() -> None:
    text = f"ok:{SECRET_HASH}\nnohash\n:{SECRET_HASH}\na:plain\nb:{SECRET_HASH}:p:r:x\nok:{SECRET_HASH}\n"
    with pytest.raises(BadUserFile) as caught:
        parse_users(text, "users")
    message = str(caught.value)
    for part in ("users:", "line 2:", "line 3:", "line 4:", "line 5:", "line 6: duplicate user 'ok'"):
        assert part in message
    assert "line 1:" not in message


def test_missing_file_is_an_error_at_start(tmp_path: Path) -> None:
    with pytest.raises(BadUserFile):
        BasicAuth(str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("name", "project", "roles"), [("a:b", "", ""), ("", "", ""), ("#a", "", ""), ("a", "p:q", ""), ("a\nb", "", "")]
)
def test_line_that_could_not_be_parsed_is_not_written(name: str, project: str, roles: str) -> None:
    with pytest.raises(ValueError):
        format_line(name, b"secret", project, roles)


def test_password_that_bcrypt_would_truncate_is_not_written() -> None:
    with pytest.raises(ValueError, match="72 bytes"):
        format_line("a", b"x" * 73)


def test_server_accepts_a_user_and_challenges_others(user_file: Path) -> None:
    with running_server(authenticator=BasicAuth(str(user_file))) as server:
        refused = httpx.get(f"{server.url}/echo/x")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Basic realm="Baremetal API"')
        assert httpx.get(f"{server.url}/echo/v1").status_code == 200
        seen = httpx.get(f"{server.url}/echo/x", auth=("eva", "secret")).json()
    assert (seen["user"], seen["project"]) == ("eva", "blue")
