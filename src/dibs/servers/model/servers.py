"""Servers: instances on a compute host or on a bare-metal node, and the status that each shows."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from dibs.access.access import VisibleProjects
from dibs.flavors.model.flavors import Flavor
from dibs.machines.model import states

ACTIVE = "ACTIVE"
BUILD = "BUILD"
ERROR = "ERROR"
SHUTOFF = "SHUTOFF"
RESCUE = "RESCUE"
STATUSES = (ACTIVE, BUILD, ERROR, SHUTOFF, RESCUE)
"""The statuses that a server can show."""

DELETE_DEFERRED = "LEAVING"
"""Stored, never shown: the server was deleted while its node was busy; a conductor tears the node down later.

The stored status is the intended one: ACTIVE on a compute host, ERROR without a host; on a node
BUILD, SHUTOFF after a request to switch it off, or this. The status that a server on a node shows follows from its
node, so that the two cannot contradict each other.
"""

STATUS_BY_PROVISION_STATE: Mapping[str, str] = {
    states.ACTIVE: ACTIVE,
    states.AVAILABLE: BUILD,
    states.DEPLOYING: BUILD,
    states.DEPLOY_WAIT: BUILD,
    states.DEPLOY_HOLD: BUILD,
    states.DEPLOY_FAILED: ERROR,
    states.ERROR: ERROR,
    states.RESCUE: RESCUE,
    states.RESCUING: RESCUE,
    states.RESCUE_WAIT: RESCUE,
}
"""The status that a server shows for each provision state of its node; ACTIVE for a state that is not listed."""

NODE_LOST = "The bare-metal node of this server was removed, or has another instance."


class Server(Struct, frozen=True, kw_only=True):
    """One server."""

    id: int
    uuid: str
    """Also the consumer of its claims, and the instance on its node."""
    name: str
    project_id: str | None
    user_id: str | None
    status: str
    fault: str | None = None
    flavor: Mapping[str, Any]
    """The flavor at the time of the launch; see ``embedded_flavor``."""
    reservation_id: int | None = None
    provider_id: int | None = None
    image: str | None = None
    availability_zone: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Other values from the launch request: description, metadata, tags, key_name …"""
    created_at: int
    updated_at: int | None = None
    launched_at: int | None = None


class ServerView(Struct, frozen=True, kw_only=True):
    """A server together with the state of its host or node."""

    server: Server
    status: str
    """The status shown: one of STATUSES."""
    host: str | None
    """The name of the provider that the server runs on."""
    node: str | None
    """The uuid of the node that the server runs on; None on a compute host."""
    power_state: str | None
    fault: str | None
    launched_at: int | None
    host_is_up: bool = True

    @property
    def delete_deferred(self) -> bool:
        """True when the server was deleted and waits for its node to be torn down."""
        return self.server.status == DELETE_DEFERRED


class ServerQuery(Struct, frozen=True, kw_only=True):
    """One page of servers."""

    visibility: VisibleProjects
    """The projects whose servers are listed; an empty set lists the servers that have no project."""
    name: str | None = None
    """A part of the name."""
    statuses: tuple[str, ...] = ()
    flavor: str | None = None
    host: str | None = None
    uuid: str | None = None
    image: str | None = None
    user: str | None = None
    sort_key: str = "id"
    descending: bool = True
    limit: int = 1_000
    marker: str | None = None


def embedded_flavor(flavor: Flavor) -> dict[str, Any]:
    """Return the copy of a flavor that a server stores. The id comes first: lists search for it there."""
    return {
        "id": flavor.flavor,
        "name": flavor.name,
        "vcpus": flavor.vcpus,
        "ram": flavor.memory_mb,
        "disk": flavor.disk_gb,
        "ephemeral": flavor.ephemeral_gb,
        "swap": flavor.swap_mb,
        "extra_specs": dict(flavor.extra_specs),
    }


def instance_info(name: str, image: str | None, flavor: Flavor, traits: tuple[str, ...]) -> dict[str, Any]:
    """Return the ``instance_info`` of a node that is deployed for a server, with the keys that Nova writes."""
    info: dict[str, Any] = {
        "display_name": name,
        "vcpus": str(flavor.vcpus),
        "memory_mb": str(flavor.memory_mb),
        "root_gb": str(flavor.disk_gb),
    }
    if image:
        info["image_source"] = image
    if traits:
        info["traits"] = list(traits)
    return info
