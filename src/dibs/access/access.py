"""The caller of an operation, and what the caller may do and see."""

import enum
from collections.abc import Mapping
from typing import Final, Protocol

from msgspec import Struct

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.errors import Forbidden

Target = Mapping[str, str | None]
"""The object of a rule: names such as ``node.owner`` or ``project_id``, and their values."""


class EveryProject(enum.Enum):
    """The type of EVERY_PROJECT."""

    EVERY_PROJECT = enum.auto()


EVERY_PROJECT: Final = EveryProject.EVERY_PROJECT
"""The caller sees the objects of every project. It is never a default: a list without a decision shows nothing."""

VisibleProjects = frozenset[str] | EveryProject
"""The projects whose objects a caller sees in a list."""


def visible_projects(actor: Actor, *, every: bool) -> VisibleProjects:
    """Return every project, or only that of the actor; an actor without a project sees none."""
    if every:
        return EVERY_PROJECT
    return frozenset() if actor.project is None else frozenset({actor.project})


class Rules(Protocol):
    """The policy of a site in one dialect's rule names."""

    @property
    def calls_services(self) -> bool:
        """Whether a decision may ask a service over HTTP, which must not happen while a transaction holds locks."""

    def allows(self, rule: str, actor: Actor, target: Target) -> bool:
        """Return True when the rule lets the actor do this to the target."""


class Access(Struct, frozen=True, kw_only=True):
    """The caller of an operation, with the policy for the caller.

    The entrance (dialect, RPC or conductor) builds it once per request. An operation checks its rules against the
    objects that it reads under its locks, so a decision is never older than the object that it is about.
    """

    actor: Actor
    rules: Rules

    def allows(self, rule: str, target: Target) -> bool:
        """Return True when the caller may do this to the target."""
        return self.rules.allows(rule, self.actor, target)

    def require(self, rule: str, target: Target) -> None:
        """Raise Forbidden when the caller may not do this to the target."""
        if not self.allows(rule, target):
            raise Forbidden(resource=rule)


class EveryRule:
    """Allows everything, for Dibs itself."""

    calls_services = False

    def allows(self, rule: str, actor: Actor, target: Target) -> bool:
        return True


SERVICE = Access(actor=SERVICE_ACTOR, rules=EveryRule())
"""Dibs acting on its own behalf: conductors, expiry, take-over."""
