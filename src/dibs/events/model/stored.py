"""Events as they are read, and what to read."""

from typing import Any

from msgspec import Struct

from dibs.access.access import VisibleProjects

LIMIT_MAX = 1_000


class StoredEvent(Struct, frozen=True, kw_only=True):
    """One event."""

    id: int
    position: int | None
    """Its place in streams; None until a conductor has published it."""
    happened_at: int
    type: str
    object_id: str
    node: str | None
    project_id: str | None
    actor_user: str | None
    actor_project: str | None
    request_id: str | None
    operation: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return self.type.partition(".")[0]


class EventQuery(Struct, frozen=True, kw_only=True):
    """One page of events, the newest first unless it says otherwise."""

    projects: VisibleProjects = frozenset()
    node: str | None = None
    """Only events about the node or provider with this uuid."""
    type: str | None = None
    """Only events of this type (``node.changed``), or of this kind of object (``node``)."""
    since: int | None = None
    until: int | None = None
    """Only events from ``since`` on, and before ``until``."""
    marker: int | None = None
    """The id of the last event of the page before."""
    oldest_first: bool = False
    limit: int = 100
