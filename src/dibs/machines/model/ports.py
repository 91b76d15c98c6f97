"""The network ports of a node."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from dibs.access.access import VisibleProjects

Json = Mapping[str, Any]


class Port(Struct, frozen=True, kw_only=True):
    """One network port."""

    id: int
    uuid: str
    node_uuid: str
    address: str
    """MAC address in lower case."""
    name: str | None = None
    pxe_enabled: bool = True
    is_smartnic: bool = False
    physical_network: str | None = None
    description: str | None = None
    vendor: str | None = None
    category: str | None = None
    available_for_dynamic_portgroup: bool = True
    local_link_connection: Json = field(default_factory=dict)
    internal_info: Json = field(default_factory=dict)
    extra: Json = field(default_factory=dict)
    created_at: int
    updated_at: int | None = None


class PortQuery(Struct, frozen=True, kw_only=True):
    """One page of ports, with all attributes."""

    node: str | None = None
    """The uuid or name of the node."""
    address: str | None = None
    shards: tuple[str, ...] = ()
    conductor_groups: tuple[str, ...] = ()
    projects: VisibleProjects
    """Only ports of nodes whose owner or lessee is one of these projects."""
    sort_key: str = "id"
    descending: bool = False
    limit: int = 1_000
    marker: str | None = None
