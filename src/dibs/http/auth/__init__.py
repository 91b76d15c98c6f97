"""Authentication: three methods behind one protocol.

``noauth`` trusts the request headers, ``basic`` checks a file of bcrypt hashes, ``keystone`` validates tokens. The last
two are slow: the edge runs them in threads of their own and remembers what they verified. They establish the caller;
what the caller may do is decided in ``dibs.access``.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from dibs.access.actor import Actor

ANONYMOUS = Actor()
"""The caller of a public path."""

ROLES = ("admin", "manager", "member", "reader", "service")
"""The roles in the default rules of all dialects."""

_IMPLIED = {"admin": "manager", "manager": "member", "member": "reader"}


class Refusal(Struct, frozen=True):
    """A failed authentication: status, message and headers of the response."""

    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()


class Authenticator(Protocol):
    """Authenticates requests by their headers."""

    @property
    def credential_headers(self) -> tuple[str, ...]:
        """The headers with credentials that take long to verify; empty when authenticate() never blocks."""

    @property
    def threads(self) -> int:
        """The number of credentials that are verified at the same time."""

    @property
    def remembered_seconds(self) -> float:
        """How long verified credentials need not be verified again."""

    def edition(self) -> object:
        """Return a value that changes when all remembered credentials must be forgotten."""

    def claimed_name(self, headers: Mapping[str, str]) -> str:
        """Return the user name in the credentials, for the log; empty when they have none."""

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        """Return the caller or a refusal. Header names are in lower case; see Dialect.anonymous_is_admin."""


def with_implied_roles(roles: Iterable[str]) -> frozenset[str]:
    """Add the roles that Keystone's bootstrap implies: admin, manager, member, reader."""
    known = set(roles)
    for higher, lower in _IMPLIED.items():
        if higher in known:
            known.add(lower)
    return frozenset(known)


def split_roles(text: str) -> frozenset[str]:
    """Return the role names of a comma-separated list in lower case."""
    return frozenset(role.strip().lower() for role in text.split(",") if role.strip())
