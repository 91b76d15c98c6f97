"""What occupies a node in a window of time: an allocation, a hold, or a booking of a lease."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.machines.model.node_query import NodeCount

ALLOCATION = "allocation"
LEASE = "lease"
HOLD = "hold"


class Occupation(Struct, frozen=True, kw_only=True):
    """The use of a node from a moment on. Without ``visible`` it is of a project that the caller does not see."""

    node_id: int
    kind: str
    start: int
    end: int | None = None
    """None: no end is known."""
    visible: bool = False
    uuid: str | None = None
    name: str | None = None
    project: str | None = None
    status: str | None = None
    maintenance: int = 0
    """1 when it keeps the node free for work on it: every caller sees its name."""

    def shown_to(self, projects: VisibleProjects) -> "Occupation":
        """Return it as a caller that sees these projects may see it: of others, only that the node is occupied."""
        if projects is EVERY_PROJECT or (self.project is not None and self.project in projects):
            return self
        hidden = Occupation(node_id=self.node_id, kind=self.kind, start=self.start, end=self.end)
        return replace(hidden, name=self.name, maintenance=1) if self.maintenance else hidden


class Schedule(Struct, frozen=True, kw_only=True):
    """One page of nodes, and what occupies them."""

    nodes: Sequence[Mapping[str, Any]]
    more: bool
    """There are nodes after this page."""
    hosts: Mapping[int, str]
    """The nodes that leases can book: the name of the host by the id of the node."""
    occupations: Mapping[int, Sequence[Occupation]]
    """By the id of the node, in the order of their starts."""
    groups: Sequence[NodeCount] = ()
