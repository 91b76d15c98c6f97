"""Who is asking: three ways to find out, behind one protocol.

``noauth`` believes the caller, ``basic`` asks a file of bcrypt hashes, ``keystone`` asks Keystone. All of them run in a
worker thread, so they may be slow; none of them decides what the caller may do: that is policy, and a dialect's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from dibs.access.actor import Actor

ANONYMOUS = Actor()
"""Nobody in particular: the caller of a public page."""

_IMPLIED = {"admin": "manager", "manager": "member", "member": "reader"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the caller's identity was not established, as status, sentence and headers."""

    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()


class Authenticator(Protocol):
    """Turns the headers of a request into an actor."""

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        """Names are in lower case. The flag is the dialect's: what noauth makes of a request without a token."""


def with_implied_roles(roles: Iterable[str]) -> frozenset[str]:
    """Add the roles that Keystone's bootstrap lets each role imply: admin, manager, member, reader."""
    known = set(roles)
    for higher, lower in _IMPLIED.items():
        if higher in known:
            known.add(lower)
    return frozenset(known)


def split_roles(text: str) -> frozenset[str]:
    """Role names of a comma-separated list, in lower case."""
    return frozenset(role.strip().lower() for role in text.split(",") if role.strip())
