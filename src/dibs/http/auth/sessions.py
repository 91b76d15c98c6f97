"""Sessions of browsers: how a user signs in, and the cookie that authenticates the requests after that.

No process remembers a session: the cookie is all there is, so that every API process accepts it, also after a restart.
"""

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import Protocol

from msgspec import Struct

from dibs.access.actor import Actor
from dibs.http.auth import ANONYMOUS, Authenticator, Refusal
from dibs.http.auth.basic import BasicAuth, User
from dibs.http.auth.noauth import NoAuth

COOKIE = "dibs_session"

SiteKey = Callable[[], bytes]
"""Returns the key that all API processes of a site share."""


class Session(Struct, frozen=True, kw_only=True):
    """A session that a browser is to keep in its cookie."""

    cookie: str
    seconds: int
    """The time until it ends, unless it is renewed."""


class Project(Struct, frozen=True, kw_only=True):
    """A project that the user can work in."""

    id: str
    name: str


class Names(Struct, frozen=True, kw_only=True):
    """The user and the project of a session as people know them."""

    user: str
    project: str | None


class SignIn(Protocol):
    """The way in which users of a site sign in."""

    @property
    def fields(self) -> Sequence[str]:
        """The inputs of the form; empty when users need not sign in."""

    @property
    def switches_projects(self) -> bool:
        """Whether a user may have several projects."""

    @property
    def authenticator(self) -> Authenticator:
        """Finds the caller by the cookie."""

    def sign_in(self, values: Mapping[str, str]) -> Session | Refusal:
        """Verify what the user entered. May take long."""

    def renewed(self, cookie: str) -> Session | None:
        """Return the session with a later end; None when the end is far, or cannot be moved."""

    def names(self, cookie: str, actor: Actor) -> Names:
        """Return the names to show for a caller."""

    def projects(self, cookie: str) -> Sequence[Project] | Refusal:
        """Return the projects that the user can switch to."""

    def switch(self, cookie: str, project: str) -> Session | Refusal:
        """Return a session of the same user in another project."""


def read_cookie(headers: Mapping[str, str], name: str = COOKIE) -> str:
    """Return the value of a cookie; empty without one."""
    try:
        found = SimpleCookie(headers.get("cookie", "").replace(", ", "; ")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


class NoSignIn:
    """Every user of a server without authentication is its administrator."""

    fields: Sequence[str] = ()
    switches_projects = False

    def __init__(self) -> None:
        self.authenticator: Authenticator = NoAuth()

    def sign_in(self, values: Mapping[str, str]) -> Session | Refusal:
        """See SignIn."""
        return Refusal(404, "This server needs no sign-in.")

    def renewed(self, cookie: str) -> Session | None:
        """See SignIn."""
        return None

    def names(self, cookie: str, actor: Actor) -> Names:
        """See SignIn."""
        return Names(user=actor.user or "", project=actor.project)

    def projects(self, cookie: str) -> Sequence[Project] | Refusal:
        """See SignIn."""
        return ()

    def switch(self, cookie: str, project: str) -> Session | Refusal:
        """See SignIn."""
        return Refusal(404, "This server has no projects to switch to.")


class BasicSignIn(NoSignIn):
    """Users of the file of ``http_basic``; each has one project.

    The cookie names the user and the end of the session. Its signature depends on the key of the site and on the
    password hash: a changed password, and a user who is removed from the file, end the session.
    """

    fields: Sequence[str] = ("user", "password")

    def __init__(self, users: BasicAuth, site_key: SiteKey, seconds: int, clock: Callable[[], float] = time.time):
        self._users = users
        self._site_key = site_key
        self._seconds = seconds
        self._clock = clock
        self.authenticator = _CookieAuth(self._actor, users)

    def sign_in(self, values: Mapping[str, str]) -> Session | Refusal:
        """See SignIn."""
        proof = base64.b64encode(f"{values.get('user', '')}:{values.get('password', '')}".encode()).decode()
        found = self._users.authenticate({"authorization": f"Basic {proof}"}, anonymous_is_admin=False)
        if isinstance(found, Refusal):
            return Refusal(401, "The user name or the password is wrong.")
        return self._session(values["user"])

    def renewed(self, cookie: str) -> Session | None:
        """See SignIn."""
        name, end = _parse(cookie)
        return self._session(name) if end - self._clock() < self._seconds / 2 else None

    def _session(self, name: str) -> Session:
        user = self._users.find(name)
        payload = f"{base64.urlsafe_b64encode(name.encode()).decode()}.{int(self._clock() + self._seconds)}"
        signature = self._sign(user, payload) if user is not None else ""
        return Session(cookie=f"{payload}.{signature}", seconds=self._seconds)

    def _actor(self, cookie: str) -> Actor:
        payload, _, signature = cookie.rpartition(".")
        name, end = _parse(cookie)
        user = self._users.find(name)
        if user is None or end <= self._clock() or not hmac.compare_digest(self._sign(user, payload), signature):
            return ANONYMOUS
        return user.actor

    def _sign(self, user: User, payload: str) -> str:
        key = hmac.digest(self._site_key(), user.hash, hashlib.sha256)
        return hmac.new(key, payload.encode(), hashlib.sha256).hexdigest()


class _CookieAuth:
    """Authenticates by a signed cookie. Not on the event loop: the first use reads the key of the site."""

    credential_headers = ("cookie",)
    threads = 2
    remembered_seconds = 5.0

    def __init__(self, find: Callable[[str], Actor], users: BasicAuth) -> None:
        self._find = find
        self._users = users

    def edition(self) -> object:
        """See Authenticator: a changed file may have other passwords and roles."""
        return self._users.edition()

    def claimed_name(self, headers: Mapping[str, str]) -> str:
        """See Authenticator."""
        return ""

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        """See Authenticator."""
        cookie = read_cookie(headers)
        return self._find(cookie) if cookie.isascii() and cookie.count(".") == 2 else ANONYMOUS


def _parse(cookie: str) -> tuple[str, int]:
    """Return the user and the end that a cookie names; an unknown user when it cannot be read."""
    name, end, _ = cookie.split(".")
    try:
        return base64.urlsafe_b64decode(name).decode(), int(end)
    except (binascii.Error, ValueError):
        return "", 0
