"""Hypervisors: what servers can lie on, as the compute API shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dibs.ledger.model.inventories import Inventory

COMPUTE_TYPE = "compute"
NODE_TYPE = "ironic"
"""What Nova calls the type of hypervisors that are bare-metal nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypervisor:
    """A root provider that has processors to give, or a bare-metal node."""

    id: int
    uuid: str
    name: str
    disabled: bool
    """Nobody new is let on it."""
    node: bool
    up: bool = True
    in_use: bool = False
    """For a node: somebody has it."""
    hypervisor_type: str
    hypervisor_version: int = 0
    cpu_info: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Of a node."""
    stock: Mapping[str, Inventory] = field(default_factory=dict)
    """By resource class."""
    servers: tuple[tuple[str, str], ...] = ()
    """Uuid and name of each."""
    changed_at: int

    def size(self, resource_class: str) -> int:
        """How much of a class it has, whoever uses it."""
        if not self.node:
            inventory = self.stock.get(resource_class)
            return inventory.total if inventory else 0
        value = self.properties.get({"VCPU": "cpus", "MEMORY_MB": "memory_mb", "DISK_GB": "local_gb"}[resource_class])
        try:
            return int(value) if value is not None else 0
        except (TypeError, ValueError):
            return 0

    def used(self, resource_class: str) -> int:
        """How much of it is used: of a node all or nothing."""
        if self.node:
            return self.size(resource_class) if self.in_use else 0
        inventory = self.stock.get(resource_class)
        return inventory.used + inventory.reserved if inventory else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HypervisorQuery:
    """One page of hypervisors, the oldest first."""

    name_part: str | None = None
    name: str | None = None
    """The whole name."""
    uuid: str | None = None
    row_id: int | None = None
    services_only: bool = False
    """Leave out nodes: those have no compute service of their own."""
    limit: int = 1_000
    after_id: int = 0
