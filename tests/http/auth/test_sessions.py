"""The cookies of browser sessions with http_basic."""

from pathlib import Path

import pytest

from dibs.access.actor import Actor
from dibs.http.auth import ANONYMOUS, Refusal
from dibs.http.auth.basic import BasicAuth
from dibs.http.auth.sessions import COOKIE, BasicSignIn, Session
from tests.browsers.lab import PASSWORD, write_users

HOUR = 3600


class Clock:
    now = 1_900_000_000.0

    def __call__(self) -> float:
        return self.now


def make(folder: Path, clock: Clock, key: bytes = b"site") -> BasicSignIn:
    return BasicSignIn(BasicAuth(str(folder / "users")), lambda: key, HOUR, clock)


def actor_of(sign_in: BasicSignIn, cookie: str) -> Actor | Refusal:
    headers = {"cookie": f"a=b; {COOKIE}={cookie}"}
    return sign_in.authenticator.authenticate(headers, anonymous_is_admin=True)


def signed_in(sign_in: BasicSignIn) -> str:
    found = sign_in.sign_in({"user": "alice", "password": PASSWORD})
    assert isinstance(found, Session)
    return found.cookie


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    write_users(tmp_path)
    return Clock()


def test_cookie_is_valid_in_every_process_of_the_site_until_its_end(tmp_path: Path, clock: Clock) -> None:
    cookie = signed_in(make(tmp_path, clock))
    other = make(tmp_path, clock)
    found = actor_of(other, cookie)
    assert isinstance(found, Actor)
    assert (found.user, found.project) == ("alice", "vision-lab")
    assert actor_of(make(tmp_path, clock, b"another site"), cookie) == ANONYMOUS
    clock.now += HOUR
    assert actor_of(other, cookie) == ANONYMOUS


def test_session_in_use_is_renewed(tmp_path: Path, clock: Clock) -> None:
    sign_in = make(tmp_path, clock)
    cookie = signed_in(sign_in)
    assert sign_in.renewed(cookie) is None
    clock.now += 0.6 * HOUR
    later = sign_in.renewed(cookie)
    assert later is not None
    clock.now += 0.6 * HOUR
    assert (actor_of(sign_in, cookie), actor_of(sign_in, later.cookie)) != (ANONYMOUS, ANONYMOUS)
    assert actor_of(sign_in, cookie) == ANONYMOUS


@pytest.mark.parametrize("change", ["another user", "later end", "no signature", "rubbish", "not base64", "empty"])
def test_changed_cookie_is_no_session(tmp_path: Path, clock: Clock, change: str) -> None:
    sign_in = make(tmp_path, clock)
    name, end, signature = signed_in(sign_in).split(".")
    root = "cm9vdA=="
    cookies = {
        "another user": f"{root}.{end}.{signature}",
        "later end": f"{name}.{int(end) + 1}.{signature}",
        "no signature": f"{name}.{end}.",
        "rubbish": "a.b.c",
        "not base64": f"\xe9.{end}.{signature}",
        "empty": "",
    }
    assert actor_of(sign_in, cookies[change]) == ANONYMOUS


def test_changed_password_and_removed_user_end_sessions(tmp_path: Path, clock: Clock) -> None:
    sign_in = make(tmp_path, clock)
    cookie = signed_in(sign_in)
    write_users(tmp_path)
    assert actor_of(sign_in, cookie) == ANONYMOUS
    cookie = signed_in(sign_in)
    (tmp_path / "users").write_text("")
    assert actor_of(sign_in, cookie) == ANONYMOUS
