"""Remote volumes: how a node connects to storage, and the volumes that it boots from."""

from msgspec import field

from dibs.machines.model.parts.parts import Json, Part


class VolumeConnector(Part, frozen=True, kw_only=True):
    """The identity of a node in a storage network."""

    type: str
    """``iqn``, ``ip``, ``mac``, ``wwnn`` or ``wwpn``."""
    connector_id: str


class VolumeTarget(Part, frozen=True, kw_only=True):
    """A remote volume of a node."""

    volume_type: str
    volume_id: str
    boot_index: int
    """0 for the volume to boot from; each index once per node."""
    properties: Json = field(default_factory=dict)
    """How to reach the volume, with its credentials."""
