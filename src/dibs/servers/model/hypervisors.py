"""Hypervisors: the compute hosts and nodes that servers run on."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from dibs.ledger.model.inventories import Inventory

COMPUTE_TYPE = "compute"
NODE_TYPE = "ironic"
"""Nova's word for the type of a hypervisor that is a bare-metal node."""


class Hypervisor(Struct, frozen=True, kw_only=True):
    """A root provider with VCPU inventory, or a bare-metal node."""

    id: int
    uuid: str
    name: str
    disabled: bool
    """True when no new server may run on it."""
    node: bool
    """True for a bare-metal node."""
    up: bool = True
    in_use: bool = False
    """True for a node that has an instance or is claimed."""
    hypervisor_type: str
    hypervisor_version: int = 0
    cpu_info: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    """The properties of a node: cpus, memory_mb, local_gb …"""
    inventories: Mapping[str, Inventory] = field(default_factory=dict)
    """By resource class."""
    servers: tuple[tuple[str, str], ...] = ()
    """The uuid and the name of each."""
    changed_at: int

    def size(self, resource_class: str) -> int:
        """Return the total of a resource class, whether used or not."""
        if not self.node:
            inventory = self.inventories.get(resource_class)
            return inventory.total if inventory else 0
        value = self.properties.get({"VCPU": "cpus", "MEMORY_MB": "memory_mb", "DISK_GB": "local_gb"}[resource_class])
        try:
            return int(value) if value is not None else 0
        except (TypeError, ValueError):
            return 0

    def used(self, resource_class: str) -> int:
        """Return the used amount of a resource class; a node is used as a whole or not at all."""
        if self.node:
            return self.size(resource_class) if self.in_use else 0
        inventory = self.inventories.get(resource_class)
        return inventory.used + inventory.reserved if inventory else 0


class HypervisorQuery(Struct, frozen=True, kw_only=True):
    """One page of hypervisors, oldest first."""

    name_part: str | None = None
    name: str | None = None
    """The whole name."""
    uuid: str | None = None
    row_id: int | None = None
    services_only: bool = False
    """Leave out nodes: they have no compute service of their own."""
    limit: int = 1_000
    after_id: int = 0
