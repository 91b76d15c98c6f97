"""Quotas: the limits of a project."""

from collections.abc import Mapping

from msgspec import Struct

ALL_CLASSES = ""
"""Stands for the nodes of all classes together, where a class is expected."""

CLASSES_MAX = 100
"""The most classes with limits of their own in a project: every one is checked under the lock of the project."""

LIMIT_MAX = 2**31 - 1


class Limits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How much a project may have; None has no limit."""

    nodes: int | None = None
    """Nodes at any one moment from now on."""
    node_hours: int | None = None
    """Hours that are booked ahead, from now to the end of each use, added up over the nodes."""
    lease_seconds: int | None = None
    """The duration of a lease."""
    queued: int | None = None
    """Allocations that have no node yet."""


NO_LIMITS = Limits()


class Quota(Struct, frozen=True, kw_only=True):
    """The limits of one project, by resource class."""

    project: str
    limits: Mapping[str, Limits]
