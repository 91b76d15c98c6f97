"""Hosts that can be booked: compute providers and bare-metal nodes, as leases see them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dibs.errors import BadValue
from dibs.ledger.model.inventories import Inventory
from dibs.machines.model import states

RESERVATION_PROVIDER_PREFIX = "blazar_"
"""Of the name of the provider below a host in which leases offer the instances that they reserved there."""

PROVIDER_NAME_LENGTH_MAX = 255
PROPERTY_NAME_LENGTH_MAX = 64
PROPERTY_VALUE_LENGTH_MAX = 255

DISABLED_TRAIT = "COMPUTE_STATUS_DISABLED"
"""What Nova gives to the provider of a compute service that is disabled."""

COLUMNS = frozenset(
    {
        "id", "vcpus", "memory_mb", "local_gb", "cpu_info", "hypervisor_type", "hypervisor_version",
        "hypervisor_hostname", "service_name", "availability_zone", "resource_class",
    }
)  # fmt: skip
"""What is known of every host, and can be asked for in the requirements of a lease."""

SIZES = {"vcpus": "VCPU", "memory_mb": "MEMORY_MB", "local_gb": "DISK_GB"}
"""The resource classes in which the ledger has the sizes of a compute host."""

_SHOWN = frozenset({"name", "status", "trust_id", "reservable", "created_at", "updated_at"})

BROKEN_STATES = frozenset(
    {
        states.ERROR, states.DEPLOY_FAILED, states.CLEAN_FAILED, states.INSPECT_FAILED, states.ADOPT_FAILED,
        states.RESCUE_FAILED, states.UNRESCUE_FAILED, states.SERVICE_FAILED,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """How much of hosts somebody has to know: with hundreds of hosts, reading what nobody asks for takes longest."""

    classes: frozenset[str] | None = None
    """Which inventories of compute hosts; None: all. Of a node its unit is always known."""
    traits: frozenset[str] = frozenset()
    properties: bool = True
    """Whether it matters what operators say of them."""

    def __or__(self, other: "Interest") -> "Interest":
        everything = self.classes is None or other.classes is None
        return Interest(
            classes=None if everything else (self.classes or frozenset()) | (other.classes or frozenset()),
            traits=self.traits | other.traits,
            properties=self.properties or other.properties,
        )


BARE = Interest(classes=frozenset(), properties=False)
"""Which hosts there are, and whether they are in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostNode:
    """What matters of a host that is a bare-metal node."""

    uuid: str
    resource_class: str | None
    provision_state: str
    maintenance: bool
    retired: bool
    instance_uuid: str | None
    properties: Mapping[str, Any]
    hold_ends_at: int | None = None
    """When somebody's hold on it ends; None when nobody holds it."""

    @property
    def trouble(self) -> str | None:
        """Why nobody should be promised this node; None when all is well."""
        if self.maintenance:
            return "in maintenance"
        if self.retired:
            return "retired"
        return "failed" if self.provision_state in BROKEN_STATES else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A provider that can be booked."""

    id: int
    name: str
    provider_id: int
    provider: str
    """The uuid of the compute provider, or of the node."""
    reservation_provider_id: int
    reservation_provider: str
    service_name: str | None = None
    availability_zone: str | None = None
    hypervisor_type: str | None = None
    hypervisor_version: int = 0
    cpu_info: str | None = None
    stock: Mapping[str, Inventory] = field(default_factory=dict)
    """By resource class, as far as somebody asked for them."""
    node: HostNode | None = None
    """None for a compute host."""
    traits: frozenset[str] = frozenset()
    """As far as somebody asked for them."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """What operators say of it, if somebody asked; Blazar calls them extra capabilities."""
    created_at: int
    updated_at: int | None = None

    @property
    def vcpus(self) -> int:
        """How many processors it has."""
        return self._size(SIZES["vcpus"], "cpus")

    @property
    def memory_mb(self) -> int:
        """How much memory it has."""
        return self._size(SIZES["memory_mb"], "memory_mb")

    @property
    def local_gb(self) -> int:
        """How much disk it has."""
        return self._size(SIZES["local_gb"], "local_gb")

    @property
    def trouble(self) -> str | None:
        """Why nobody should be promised this host; None when all is well."""
        if self.node is not None:
            return self.node.trouble
        return "disabled" if DISABLED_TRAIT in self.traits else None

    @property
    def standing(self) -> tuple[object, ...]:
        """All that a promise of this host rests on, beside the calendar."""
        node = self.node
        used = node is not None and (node.instance_uuid, any(each.used for each in self.stock.values()))
        sizes = tuple((name, self.capacity(name)) for name in sorted(self.stock))
        held_until = node.hold_ends_at if node is not None else None
        return self.trouble, used, held_until, sizes, self.traits, tuple(sorted(self.properties.items()))

    def capacity(self, resource_class: str) -> int:
        """How much of a class can be promised at a time.

        A node's unit can be promised even while it is kept from everybody because the node cannot be deployed just now.
        """
        inventory = self.stock.get(resource_class)
        if inventory is None:
            return 0
        return inventory.total if self.node is not None else int(inventory.capacity)

    def takes(self, resource_class: str, amount: int) -> bool:
        """True when one instance may take this much of a class."""
        inventory = self.stock.get(resource_class)
        return inventory is not None and inventory.takes(amount) and amount <= self.capacity(resource_class)

    def known(self, key: str) -> str | int | None:
        """What is known of the host under a name that every host has, or that its operators gave it."""
        if key not in COLUMNS:
            return self.properties.get(key)
        if key == "hypervisor_hostname":
            return self.name
        if key == "resource_class":
            return self.node.resource_class if self.node else None
        value: str | int | None = getattr(self, key)
        return value

    def _size(self, resource_class: str, node_property: str) -> int:
        if self.node is None:
            inventory = self.stock.get(resource_class)
            return inventory.total if inventory else 0
        try:
            return int(self.node.properties.get(node_property, 0))
        except (TypeError, ValueError):
            return 0


def reservation_provider_name(host: str) -> str:
    """The name of the reservation provider of the host of this name."""
    name = RESERVATION_PROVIDER_PREFIX + host
    if len(name) > PROVIDER_NAME_LENGTH_MAX:
        raise BadValue(reason=f"The name of host {host} is too long: its reservation provider has {name}.")
    return name


def check_properties(properties: Mapping[str, Any]) -> None:
    """Refuse what cannot be a property of a host."""
    for name, value in properties.items():
        if not name or len(name) > PROPERTY_NAME_LENGTH_MAX:
            raise BadValue(reason=f"Extra capability key too long: {name or 'it'!r} has {len(name)} characters.")
        if name in COLUMNS or name in _SHOWN:
            raise BadValue(reason=f"{name} is known of every host and cannot be an extra capability.")
        if value is not None and (not isinstance(value, str) or len(value) > PROPERTY_VALUE_LENGTH_MAX):
            raise BadValue(
                reason=f"Extra capability {name}: its value is a text of at most {PROPERTY_VALUE_LENGTH_MAX} letters."
            )
