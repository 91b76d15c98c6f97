"""Sessions of browsers with Keystone: the cookie is the token that Keystone issued for the user in a project."""

import base64
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from dibs.access.actor import Actor
from dibs.extras import needs_extra
from dibs.http.auth import ANONYMOUS, Authenticator, Refusal
from dibs.http.auth.keystone import RETRIES, TIMEOUT_SECONDS
from dibs.http.auth.sessions import Names, Project, Session, read_cookie

with needs_extra("keystone", "Keystone authentication"):
    from keystoneauth1.exceptions import ClientException
    from keystoneauth1.exceptions.http import HttpError, NotFound, Unauthorized
    from keystoneauth1.identity import v3
    from keystoneauth1.session import Session as Connection

LOG = logging.getLogger(__name__)

_UNREACHABLE = Refusal(503, "Keystone cannot be reached right now; please try again.")
_WRONG = Refusal(401, "The user name, the password, the domain or the project is wrong.")
_NO_PROJECT = Refusal(403, "This user has no role in any project.")
_SEPARATOR = "~"

Result = TypeVar("Result")


class KeystoneSignIn:
    """Users of Keystone. The token in the cookie is validated as in the APIs, and ends when Keystone says so."""

    fields: Sequence[str] = ("user", "password", "domain", "project")
    switches_projects = True

    def __init__(self, url: str, tokens: Authenticator, seconds: int) -> None:
        self._url = url
        self._seconds = seconds
        self._connection = Connection(timeout=TIMEOUT_SECONDS, connect_retries=RETRIES)
        self.authenticator: Authenticator = _TokenCookie(tokens)

    def sign_in(self, values: Mapping[str, str]) -> Session | Refusal:
        """See SignIn. Without a project, take the first that the user has a role in."""
        project = values.get("project") or None
        domain = values.get("domain") or "Default"
        proof = v3.Password(
            self._url,
            username=values.get("user", ""),
            password=values.get("password", ""),
            user_domain_name=domain,
            project_name=project,
            project_domain_name=domain if project else None,
            unscoped=project is None,
        )
        session = self._issue(proof)
        if project or isinstance(session, Refusal):
            return session
        projects = self.projects(session.cookie)
        if isinstance(projects, Refusal):
            return projects
        return self.switch(session.cookie, projects[0].id) if projects else _NO_PROJECT

    def renewed(self, cookie: str) -> Session | None:
        """See SignIn: only Keystone decides how long a token is valid."""
        return None

    def names(self, cookie: str, actor: Actor) -> Names:
        """See SignIn. The names in the cookie are those of Keystone when it issued the token."""
        try:
            return msgspec.json.decode(base64.urlsafe_b64decode(cookie.partition(_SEPARATOR)[2]), type=Names)
        except ValueError:
            return Names(user=actor.user or "", project=actor.project)

    def projects(self, cookie: str) -> Sequence[Project] | Refusal:
        """See SignIn."""
        headers = {"X-Auth-Token": _token(cookie)}

        def read() -> list[Project]:
            answer = self._connection.get(f"{self._url}/auth/projects", headers=headers, authenticated=False)
            return [Project(id=each["id"], name=each["name"]) for each in answer.json()["projects"]]

        return self._ask(read)

    def switch(self, cookie: str, project: str) -> Session | Refusal:
        """See SignIn."""
        return self._issue(v3.Token(self._url, token=_token(cookie), project_id=project))

    def _issue(self, proof: "v3.Password | v3.Token") -> Session | Refusal:
        def read() -> Session:
            access = proof.get_access(self._connection)
            names = msgspec.json.encode(Names(user=access.username or "", project=access.project_name))
            assert access.expires is not None
            left = int((access.expires - datetime.now(UTC)).total_seconds())
            cookie = f"{access.auth_token}{_SEPARATOR}{base64.urlsafe_b64encode(names).decode()}"
            return Session(cookie=cookie, seconds=max(0, min(left, self._seconds)))

        return self._ask(read)

    def _ask(self, read: Callable[[], Result]) -> Result | Refusal:
        try:
            return read()
        except (Unauthorized, NotFound):
            return _WRONG
        except HttpError as error:
            return Refusal(error.http_status or 503, f"Keystone refused: {error.message}")
        except ClientException as error:
            LOG.error("Keystone cannot be reached: %s", error)
            return _UNREACHABLE


class _TokenCookie:
    """Authenticates by the token in the cookie."""

    credential_headers = ("cookie",)

    def __init__(self, tokens: Authenticator) -> None:
        self._tokens = tokens
        self.threads = tokens.threads
        self.remembered_seconds = tokens.remembered_seconds

    def edition(self) -> object:
        """See Authenticator."""
        return None

    def claimed_name(self, headers: Mapping[str, str]) -> str:
        """See Authenticator."""
        return ""

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        """See Authenticator."""
        token = _token(read_cookie(headers))
        if not token:
            return ANONYMOUS
        found = self._tokens.authenticate({"x-auth-token": token}, anonymous_is_admin=anonymous_is_admin)
        return ANONYMOUS if isinstance(found, Refusal) and found.status == 401 else found


def _token(cookie: str) -> str:
    return cookie.partition(_SEPARATOR)[0]
