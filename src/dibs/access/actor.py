"""The authenticated caller."""

from msgspec import Struct


class Actor(Struct, frozen=True, kw_only=True):
    """The caller of an operation, as authentication established it."""

    user: str | None = None
    """User id or name; None for the service itself."""
    project: str | None = None
    """Project scope of the request; None without one."""
    roles: frozenset[str] = frozenset()
    """Role names in lower case."""
    system_scope: bool = False
    """True for system scope."""


SERVICE_ACTOR = Actor(user="dibs", roles=frozenset({"admin", "member", "reader"}), system_scope=True)
"""Dibs itself."""
