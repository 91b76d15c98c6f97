"""Who is asking."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The caller of a use case, as authentication established it."""

    user: str | None = None
    """User id or name; None for the service itself."""
    project: str | None = None
    """Project the request is scoped to; None when it has none."""
    roles: frozenset[str] = frozenset()
    """Role names, lower case."""
    system_scope: bool = False
    """True when the caller speaks for the whole system rather than for one project."""


SERVICE_ACTOR = Actor(user="dibs", roles=frozenset({"admin", "member", "reader"}), system_scope=True)
"""Dibs itself."""
