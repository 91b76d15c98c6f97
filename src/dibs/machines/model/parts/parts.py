"""What all parts of a node have in common."""

import enum
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from dibs.access.access import VisibleProjects

Json = Mapping[str, Any]


class PartKind(enum.Enum):
    """The kinds of part; the value is the word for it in messages."""

    PORT = "port"
    PORT_GROUP = "portgroup"
    VOLUME_CONNECTOR = "volume connector"
    VOLUME_TARGET = "volume target"


class Part(Struct, frozen=True, kw_only=True):
    """One part of a node."""

    id: int
    uuid: str
    node_uuid: str
    extra: Json = field(default_factory=dict)
    created_at: int
    updated_at: int | None = None


class PartQuery(Struct, frozen=True, kw_only=True):
    """One page of the parts of one kind, with all attributes."""

    kind: PartKind
    node: str | None = None
    """The uuid or name of the node."""
    portgroup: str | None = None
    """The uuid or name of the port group, for ports."""
    address: str | None = None
    shards: tuple[str, ...] = ()
    conductor_groups: tuple[str, ...] = ()
    projects: VisibleProjects
    """Only parts of nodes whose owner or lessee is one of these projects."""
    sort_key: str = "id"
    descending: bool = False
    limit: int = 1_000
    marker: str | None = None
