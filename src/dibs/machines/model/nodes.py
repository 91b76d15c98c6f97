"""A node, and the rules that need nothing but the node."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from dibs.errors import BadValue
from dibs.ledger.model.inventories import custom_class_name
from dibs.machines.model import states

Json = Mapping[str, Any]

NAME_LENGTH_MAX = 255
RESOURCE_CLASS_LENGTH_MAX = 80

RESERVED_NAMES = ("maintenance", "management", "states", "vendor_passthru", "detail", "validate")
"""Words that a URL has where a node's name may be."""

# A host name after RFC 1123, with the characters that URLs allow unescaped; a uuid is never a name.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]*\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


class Node(Struct, frozen=True, kw_only=True):
    """One machine. It shares its identity with its resource provider in the ledger (docs/adr/0002)."""

    id: int
    uuid: str
    name: str | None = None
    driver: str
    conductor_id: int | None = None
    """The conductor that runs the tasks of this node."""
    conductor_group: str = ""
    reservation: str | None = None
    """The name of the conductor that has the node locked for a task."""
    provision_state: str
    target_provision_state: str | None = None
    provision_updated_at: int | None = None
    power_state: str | None = None
    target_power_state: str | None = None
    last_error: str | None = None
    maintenance: bool = False
    maintenance_reason: str | None = None
    fault: str | None = None
    instance_uuid: str | None = None
    instance_name: str | None = None
    instance_until: int | None = None
    """When the instance leaves the node; None when that is not known."""
    resource_class: str | None = None
    owner: str | None = None
    lessee: str | None = None
    shard: str | None = None
    parent_node: str | None = None
    chassis_uuid: str | None = None
    description: str | None = None
    protected: bool = False
    protected_reason: str | None = None
    retired: bool = False
    retired_reason: str | None = None
    automated_clean: bool | None = None
    console_enabled: bool = False
    disable_power_off: bool = False
    boot_mode: str | None = None
    secure_boot: bool | None = None
    health: str | None = None
    inspection_started_at: int | None = None
    inspection_finished_at: int | None = None
    driver_info: Json = field(default_factory=dict)
    driver_internal_info: Json = field(default_factory=dict)
    properties: Json = field(default_factory=dict)
    extra: Json = field(default_factory=dict)
    instance_info: Json = field(default_factory=dict)
    network_data: Json = field(default_factory=dict)
    raid_config: Json = field(default_factory=dict)
    target_raid_config: Json = field(default_factory=dict)
    clean_step: Json = field(default_factory=dict)
    deploy_step: Json = field(default_factory=dict)
    service_step: Json = field(default_factory=dict)
    bios_interface: str | None = None
    boot_interface: str | None = None
    console_interface: str | None = None
    deploy_interface: str | None = None
    firmware_interface: str | None = None
    inspect_interface: str | None = None
    management_interface: str | None = None
    network_interface: str | None = None
    power_interface: str | None = None
    raid_interface: str | None = None
    rescue_interface: str | None = None
    storage_interface: str | None = None
    vendor_interface: str | None = None
    created_at: int
    updated_at: int | None = None

    @property
    def inventory_class(self) -> str | None:
        """Return the resource class of the node's one unit in the ledger; None while the node has no class."""
        return custom_class_name(self.resource_class) if self.resource_class else None

    @property
    def deployable(self) -> bool:
        """Return True when the node can be deployed as it is; only then is its unit in the ledger not reserved."""
        return (
            self.provision_state == states.AVAILABLE
            and not self.maintenance
            and not self.retired
            and self.power_state not in (None, states.POWER_ERROR)
        )

    @property
    def units_reserved(self) -> int:
        """Return how much of the node's one unit is reserved because the node cannot be deployed.

        While an instance has the node, its claim uses the unit, and a reserved unit would count twice.
        """
        return 0 if self.deployable or self.instance_uuid else 1


def is_uuid(text: str) -> bool:
    """Return True for a uuid with dashes."""
    return bool(_UUID.match(text))


def check_node_name(name: str) -> None:
    """Raise BadValue for a name that looks like a uuid or needs escapes in a URL."""
    if len(name) > NAME_LENGTH_MAX:
        raise BadValue(
            reason=f"Field name: a node name has at most {NAME_LENGTH_MAX} characters, this one has {len(name)}."
        )
    if is_uuid(name) or not _NAME.match(name):
        raise BadValue(reason=f"Cannot create node with invalid name '{name}'")


def check_new_name(name: str, complaint: str) -> None:
    """Raise BadValue for a name that a client may not give to a node; ``complaint`` precedes it in the message."""
    try:
        check_node_name(name)
    except BadValue as error:
        raise BadValue(reason=f"{complaint} '{name}'") from error
    if name in RESERVED_NAMES:
        raise BadValue(
            reason=f'The word "{name}" is reserved and can not be used as a node name. '
            f"Reserved words are: {', '.join(RESERVED_NAMES)}."
        )


def is_free(node: Node) -> bool:
    """Return True when the node itself does not prevent an allocation; claims are in the ledger."""
    return node.deployable and node.instance_uuid is None and node.reservation is None
