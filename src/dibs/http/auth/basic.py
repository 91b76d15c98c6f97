"""HTTP basic authentication with a file of bcrypt hashes, as in standalone Ironic, plus project and roles.

A line is ``user:bcrypt-hash[:project[:role,role]]``. A user without a project has system scope. The default role is
admin with system scope and member in a project. Empty lines and lines that begin with "#" are skipped.
"""

import base64
import binascii
import logging
import os
import re
import threading
from collections.abc import Mapping

import bcrypt
from msgspec import Struct

from dibs.access.actor import Actor
from dibs.http.auth import Refusal, split_roles, with_implied_roles

LOG = logging.getLogger(__name__)

PASSWORD_BYTES_MAX = 72
"""bcrypt ignores further bytes."""

_CHALLENGE = (("www-authenticate", 'Basic realm="Baremetal API"'),)
_REFUSED = Refusal(401, "Authorization required", _CHALLENGE)
_INCORRECT = Refusal(401, "Incorrect username or password", _CHALLENGE)
_HASH = re.compile(r"\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}")


class BadUserFile(Exception):
    """The user file cannot be used; the message has the number of every bad line."""


class User(Struct, frozen=True):
    """One line of the file."""

    hash: bytes
    actor: Actor


class _Loaded(Struct, frozen=True):
    """The file as last read."""

    stamp: tuple[int, int, int]
    users: dict[str, User]
    decoy: bytes


class BasicAuth:
    """Checks user and password; reloads the file when it changes."""

    credential_headers = ("authorization",)
    threads = 2
    """bcrypt is slow by design. More threads would let password guessers occupy every processor."""
    remembered_seconds = 300.0

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._loaded = _load(path)

    def edition(self) -> object:
        """See Authenticator: a changed file may have other passwords and roles."""
        return self._current().stamp

    def find(self, name: str) -> User | None:
        """Return a user of the file; None when it has none of this name."""
        return self._current().users.get(name)

    def claimed_name(self, headers: Mapping[str, str]) -> str:
        """See Authenticator."""
        credentials = _credentials(headers.get("authorization", ""))
        return credentials[0] if credentials else ""

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        """See Authenticator."""
        credentials = _credentials(headers.get("authorization", ""))
        if credentials is None:
            return _REFUSED
        name, password = credentials
        loaded = self._current()
        user = loaded.users.get(name)
        # An unknown user costs a hash too, so that timing does not reveal which users exist.
        right = bcrypt.checkpw(password[:PASSWORD_BYTES_MAX], loaded.decoy if user is None else user.hash)
        return _INCORRECT if user is None or not right else user.actor

    def _current(self) -> _Loaded:
        """Return the current users. When the changed file cannot be used, log an error and keep the old users."""
        with self._lock:
            try:
                if _stamp(self._path) != self._loaded.stamp:
                    self._loaded = _load(self._path)
                    LOG.info("Loaded %d users from %s.", len(self._loaded.users), self._path)
            except (OSError, BadUserFile) as error:
                LOG.error("Cannot reload the user file, keeping the loaded users: %s", error)
            return self._loaded


def parse_users(text: str, source: str) -> dict[str, User]:
    """Parse a user file; raise BadUserFile with every bad line."""
    users: dict[str, User] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            name, user = _parse_line(line.strip())
            if name in users:
                raise ValueError(f"duplicate user {name!r}")
            users[name] = user
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        raise BadUserFile(f"{source}: " + "; ".join(problems))
    return users


def format_line(name: str, password: bytes, project: str = "", roles: str = "") -> str:
    """Return a line for the file, without line break; raise ValueError when it could not be parsed again."""
    if not password:
        raise ValueError("the password is empty")
    if len(password) > PASSWORD_BYTES_MAX:
        raise ValueError(f"the password is longer than {PASSWORD_BYTES_MAX} bytes")
    if not name or name.startswith("#") or any(mark in name + project + roles for mark in ":\r\n"):
        raise ValueError("a name must not be empty, begin with #, or contain a colon or a line break")
    fields = [name, bcrypt.hashpw(password, bcrypt.gensalt()).decode(), project, roles]
    while not fields[-1]:
        fields.pop()
    return ":".join(fields)


def _parse_line(line: str) -> tuple[str, User]:
    name, *fields = line.split(":")
    if not name:
        raise ValueError("no user name")
    if not 1 <= len(fields) <= 3:
        raise ValueError("must be user:bcrypt-hash[:project[:role,role]]")
    if not _HASH.fullmatch(fields[0]):
        raise ValueError("the second field is not a bcrypt hash")
    project = fields[1] if len(fields) > 1 else ""
    roles = split_roles(fields[2] if len(fields) > 2 else "") or {"member" if project else "admin"}
    actor = Actor(user=name, project=project or None, roles=with_implied_roles(roles), system_scope=not project)
    return name, User(fields[0].encode(), actor)


def _load(path: str) -> _Loaded:
    try:
        stamp = _stamp(path)
        with open(path, encoding="utf-8") as file:
            users = parse_users(file.read(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadUserFile(f"{path}: {error}") from error
    return _Loaded(stamp, users, _decoy(users))


def _stamp(path: str) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino


def _decoy(users: Mapping[str, User]) -> bytes:
    """Return a hash that no password matches, with the highest cost factor of the file."""
    cost = max((user.hash[4:6] for user in users.values()), default=b"12")
    return b"$2b$" + cost + b"$" + b"." * 53


def _credentials(header: str) -> tuple[str, bytes] | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, colon, password = base64.b64decode(encoded.strip(), validate=True).partition(b":")
        return (name.decode(), password) if colon else None
    except (binascii.Error, ValueError):
        return None
