"""Hosts that can be booked: compute providers and bare-metal nodes, as leases see them."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from dibs.errors import BadValue
from dibs.ledger.model.inventories import Inventory
from dibs.machines.model import states

RESERVATION_PROVIDER_PREFIX = "blazar_"
"""The prefix of the name of a host's reservation provider, on which leases offer their instances."""

PROVIDER_NAME_LENGTH_MAX = 255
PROPERTY_NAME_LENGTH_MAX = 64
PROPERTY_VALUE_LENGTH_MAX = 255

DISABLED_TRAIT = "COMPUTE_STATUS_DISABLED"
"""The trait that Nova sets on the provider of a disabled compute service."""

COLUMNS = frozenset(
    {
        "id", "vcpus", "memory_mb", "local_gb", "cpu_info", "hypervisor_type", "hypervisor_version",
        "hypervisor_hostname", "service_name", "availability_zone", "resource_class",
    }
)  # fmt: skip
"""The attributes that every host has, and that the requirements of a lease may compare."""

SIZES = {"vcpus": "VCPU", "memory_mb": "MEMORY_MB", "local_gb": "DISK_GB"}
"""The resource classes of the sizes of a compute host."""

_SHOWN = frozenset({"name", "status", "trust_id", "reservable", "created_at", "updated_at"})

FAILED_STATES = frozenset(
    {
        states.ERROR, states.DEPLOY_FAILED, states.CLEAN_FAILED, states.INSPECT_FAILED, states.ADOPT_FAILED,
        states.RESCUE_FAILED, states.UNRESCUE_FAILED, states.SERVICE_FAILED,
    }
)  # fmt: skip


class HostDetails(Struct, frozen=True, kw_only=True):
    """Which details of hosts to read: with hundreds of hosts, reading details that are not needed takes longest."""

    classes: frozenset[str] | None = None
    """Resource classes whose inventories to read; None: all. The unit of a node is always read."""
    traits: frozenset[str] | None = frozenset()
    """Traits to read; None: all. The trait of a disabled host is always read."""
    properties: bool = True
    """Whether to read the properties that operators gave."""

    def __or__(self, other: "HostDetails") -> "HostDetails":
        return HostDetails(
            classes=_both(self.classes, other.classes),
            traits=_both(self.traits, other.traits),
            properties=self.properties or other.properties,
        )


def _both(some: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    return None if some is None or others is None else some | others


EVERYTHING = HostDetails(traits=None)


NO_DETAILS = HostDetails(classes=frozenset(), properties=False)
"""Only the hosts themselves, and whether they are out of service."""


class HostNode(Struct, frozen=True, kw_only=True):
    """What leases need to know of a host that is a bare-metal node."""

    uuid: str
    resource_class: str | None
    provision_state: str
    maintenance: bool
    retired: bool
    instance_uuid: str | None
    properties: Mapping[str, Any]
    used_until: int | None = None
    """When its user leaves, a hold or an instance; None without a user, and when that is not known."""
    claimed: bool = False
    """Whether a consumer has a claim on it."""

    @property
    def out_of_service(self) -> str | None:
        """Why the node must not be booked; None when it is in service."""
        if self.maintenance:
            return "in maintenance"
        if self.retired:
            return "retired"
        return "failed" if self.provision_state in FAILED_STATES else None


class Host(Struct, frozen=True, kw_only=True):
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
    inventories: Mapping[str, Inventory] = field(default_factory=dict)
    """By resource class, as far as they were read."""
    node: HostNode | None = None
    """None for a compute host."""
    traits: frozenset[str] = frozenset()
    """As far as they were read."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """The properties that operators gave, if they were read; Blazar calls them extra capabilities."""
    created_at: int
    updated_at: int | None = None

    @property
    def vcpus(self) -> int:
        """The number of processors."""
        return self._size(SIZES["vcpus"], "cpus")

    @property
    def memory_mb(self) -> int:
        """The memory in MiB."""
        return self._size(SIZES["memory_mb"], "memory_mb")

    @property
    def local_gb(self) -> int:
        """The disk in GiB."""
        return self._size(SIZES["local_gb"], "local_gb")

    @property
    def out_of_service(self) -> str | None:
        """Why the host must not be booked; None when it is in service."""
        if self.node is not None:
            return self.node.out_of_service
        return "disabled" if DISABLED_TRAIT in self.traits else None

    def capacity(self, resource_class: str) -> int:
        """Return how much of a class can be booked at a time.

        A node's unit can be booked even while it is reserved because the node cannot be deployed at the moment.
        """
        inventory = self.inventories.get(resource_class)
        if inventory is None:
            return 0
        return inventory.total if self.node is not None else int(inventory.capacity)

    def takes(self, resource_class: str, amount: int) -> bool:
        """Return True when one instance may take this much of a class."""
        inventory = self.inventories.get(resource_class)
        return inventory is not None and inventory.takes(amount) and amount <= self.capacity(resource_class)

    def attribute(self, key: str) -> str | int | None:
        """Return an attribute that every host has, or a property that operators gave; None when there is none."""
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
            inventory = self.inventories.get(resource_class)
            return inventory.total if inventory else 0
        try:
            return int(self.node.properties.get(node_property, 0))
        except (TypeError, ValueError):
            return 0


class PropertyName(Struct, frozen=True, kw_only=True):
    """The name of a property that operators give to hosts."""

    id: int
    uuid: str
    name: str
    private: bool
    """True when only operators see it."""
    created_at: int
    updated_at: int | None = None


def reservation_provider_name(host: str) -> str:
    """Return the name of the reservation provider of a host."""
    name = RESERVATION_PROVIDER_PREFIX + host
    if len(name) > PROVIDER_NAME_LENGTH_MAX:
        raise BadValue(reason=f"The name of host {host} is too long: its reservation provider would be named {name}.")
    return name


def check_properties(properties: Mapping[str, Any]) -> None:
    """Raise BadValue for names and values that cannot be properties of a host."""
    for name, value in properties.items():
        if not name or len(name) > PROPERTY_NAME_LENGTH_MAX:
            raise BadValue(reason=f"Extra capability key too long: {name or 'it'!r} has {len(name)} characters.")
        if name in COLUMNS or name in _SHOWN:
            raise BadValue(reason=f"{name} is an attribute of every host and cannot be an extra capability.")
        if value is not None and (not isinstance(value, str) or len(value) > PROPERTY_VALUE_LENGTH_MAX):
            raise BadValue(
                reason=f"The value of extra capability {name} must be a string of at most"
                f" {PROPERTY_VALUE_LENGTH_MAX} characters."
            )
