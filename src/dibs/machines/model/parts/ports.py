"""The network ports of a node, and the groups that bond them."""

from msgspec import field

from dibs.machines.model.parts.parts import Json, Part


class Port(Part, frozen=True, kw_only=True):
    """One network port."""

    address: str
    """MAC address in lower case."""
    name: str | None = None
    portgroup_uuid: str | None = None
    """The group of the same node that bonds this port."""
    pxe_enabled: bool = True
    is_smartnic: bool = False
    physical_network: str | None = None
    description: str | None = None
    vendor: str | None = None
    category: str | None = None
    available_for_dynamic_portgroup: bool = True
    local_link_connection: Json = field(default_factory=dict)
    internal_info: Json = field(default_factory=dict)


class PortGroup(Part, frozen=True, kw_only=True):
    """Ports that are bonded into one interface."""

    name: str | None = None
    address: str | None = None
    """MAC address in lower case."""
    mode: str = "active-backup"
    """The bonding mode, in the words of the Linux kernel."""
    standalone_ports_supported: bool = True
    """True when the ports also work each for itself."""
    physical_network: str | None = None
    category: str | None = None
    dynamic_portgroup: bool = False
    properties: Json = field(default_factory=dict)
    internal_info: Json = field(default_factory=dict)
