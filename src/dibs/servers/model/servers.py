"""Servers: something that runs on a compute host or is a bare-metal node, and what state it shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dibs.flavors.model.flavors import Flavor
from dibs.leases.model.leases import ACTIVE as LEASE_ACTIVE
from dibs.leases.model.leases import FLAVORED_INSTANCES, INSTANCES, RESERVATION_ACTIVE
from dibs.machines.model import states

ACTIVE = "ACTIVE"
BUILD = "BUILD"
ERROR = "ERROR"
SHUTOFF = "SHUTOFF"
RESCUE = "RESCUE"
STATUSES = (ACTIVE, BUILD, ERROR, SHUTOFF, RESCUE)
"""What a server can show."""

LEAVING = "LEAVING"
"""Kept, not shown: it was deleted, but its node is busy and cannot be torn down yet.

What is kept of a server's status is what it is meant to be: ACTIVE on a compute host, ERROR without a place; on a node
BUILD, or SHUTOFF since somebody switched it off, or this. What it shows then follows from its node.
"""

OF_NODE_STATES: Mapping[str, str] = {
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
"""What a server shows because of its node's provision state; ACTIVE in those that are not here."""

LOST = "The bare-metal node of this server was taken from it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
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
    """The flavor as it was when the server was made; see ``flavor_kept``."""
    reservation_id: int | None = None
    provider_id: int | None = None
    image: str | None = None
    availability_zone: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else the maker said: description, metadata, tags, key_name …"""
    created_at: int
    updated_at: int | None = None
    launched_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerView:
    """A server with what its host says of it."""

    server: Server
    status: str
    """As it is shown: one of STATUSES."""
    host: str | None
    """The name of the provider that it lies on."""
    node: str | None
    """The uuid of the node that it is; None on a compute host."""
    power_state: str | None
    fault: str | None
    launched_at: int | None
    host_is_up: bool = True

    @property
    def leaving(self) -> bool:
        """True when it was deleted and only waits for its node."""
        return self.server.status == LEAVING


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerQuery:
    """One page of servers."""

    project: str | None = None
    """Of this project; with ``every_project`` of any."""
    every_project: bool = False
    name: str | None = None
    """Part of the name."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRight:
    """A reservation, as far as it matters to whoever launches a server for it."""

    id: int
    uuid: str
    resource_type: str
    status: str
    lease_status: str
    project_id: str | None

    @property
    def for_instances(self) -> bool:
        """True when its servers need its flavor."""
        return self.resource_type in (INSTANCES, FLAVORED_INSTANCES)

    def reason_against(self, project: str | None, flavor: Flavor) -> str | None:
        """Why a project cannot launch a server of a flavor for it just now; None when it can."""
        if self.project_id != project:
            return unknown_reservation(self.uuid)
        if self.for_instances and flavor.reservation_id != self.id:
            return f"Reservation {self.uuid} is for instances: use its flavor."
        if self.status != RESERVATION_ACTIVE or self.lease_status != LEASE_ACTIVE:
            return f"Reservation {self.uuid} is {self.status}: its lease is {self.lease_status}."
        return None


def unknown_reservation(uuid: str) -> str:
    """Also what strangers are told."""
    return f"Reservation {uuid} could not be found."


def flavor_kept(flavor: Flavor) -> dict[str, Any]:
    """What a server remembers of its flavor. The id comes first: lists look for it there."""
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
    """What a node is told of the server that it is to be, as Nova tells it."""
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
