"""The attributes of a node that clients set, one row each: the kind of value, its limits, and its default.

To add an attribute: add its column (``tables``), its field (``nodes.Node``), its row here, and its row in the table of
the bare-metal dialect, which says since which version clients see it.
"""

import copy
import enum
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from dibs.documents.json_schema import FREE_FORM, TEXT_LENGTH_MAX, Schema
from dibs.machines.model.patching.values import read_flag, read_uuid


class Kind(enum.Enum):
    """The kind of value that an attribute has; parsing and rendering follow from it."""

    TEXT = "text"
    UUID = "uuid"
    FLAG = "flag"
    OPTIONAL_FLAG = "optional flag"
    OBJECT = "object"
    TIME = "time"
    NAMES = "names"
    LINKS = "links"


class Attribute(Struct, frozen=True, kw_only=True):
    """One attribute that clients set when they create a node, or patch, or both."""

    name: str
    kind: Kind = Kind.TEXT
    creatable: bool = True
    patchable: bool = True
    length: int | None = 255
    """The most characters of a text; None for TEXT_LENGTH_MAX."""
    default: Any = None


def _object(name: str) -> Attribute:
    return Attribute(name=name, kind=Kind.OBJECT, default={})


def _flag(name: str, **options: Any) -> Attribute:
    return Attribute(name=name, kind=Kind.FLAG, default=False, **options)


_ROWS = (
    Attribute(name="uuid", kind=Kind.UUID, patchable=False),
    Attribute(name="automated_clean", kind=Kind.OPTIONAL_FLAG),
    Attribute(name="bios_interface"),
    Attribute(name="boot_interface"),
    Attribute(name="boot_mode", patchable=False, length=16),
    Attribute(name="conductor_group", default=""),
    _flag("console_enabled", patchable=False),
    Attribute(name="console_interface"),
    _flag("disable_power_off"),
    Attribute(name="deploy_interface"),
    Attribute(name="description", length=4096),
    Attribute(name="driver"),
    _object("driver_info"),
    _object("extra"),
    Attribute(name="firmware_interface"),
    Attribute(name="inspect_interface"),
    _object("instance_info"),
    Attribute(name="instance_name"),
    Attribute(name="instance_uuid", kind=Kind.UUID),
    Attribute(name="lessee"),
    _flag("maintenance"),
    Attribute(name="management_interface"),
    Attribute(name="name", length=None),
    _object("network_data"),
    Attribute(name="network_interface"),
    Attribute(name="owner"),
    Attribute(name="parent_node", length=36),
    Attribute(name="power_interface"),
    _object("properties"),
    _flag("protected", creatable=False),
    Attribute(name="protected_reason", creatable=False, length=None),
    Attribute(name="raid_interface"),
    Attribute(name="rescue_interface"),
    Attribute(name="resource_class", length=80),
    _flag("retired"),
    Attribute(name="retired_reason", length=None),
    Attribute(name="secure_boot", kind=Kind.OPTIONAL_FLAG, patchable=False),
    Attribute(name="shard"),
    Attribute(name="storage_interface"),
    Attribute(name="vendor_interface"),
    Attribute(name="chassis_uuid", kind=Kind.UUID),
)

ATTRIBUTES: Mapping[str, Attribute] = {row.name: row for row in _ROWS}

PATCHABLE: tuple[str, ...] = tuple(row.name for row in _ROWS if row.patchable)
"""The attributes of Node that a patch may change."""


def read_value(name: str, value: Any) -> Any:
    """Return what the node stores for a value that a client sends; null stands for the default."""
    attribute = ATTRIBUTES[name]
    if value is None:
        return copy.copy(attribute.default)
    if attribute.kind in (Kind.FLAG, Kind.OPTIONAL_FLAG):
        return read_flag(name, value)
    if attribute.kind is Kind.UUID:
        return read_uuid(name, value)
    # Quirk: upper and lower case are the same in conductor groups.
    return value.lower() if name == "conductor_group" else value


def _schema_of(attribute: Attribute) -> dict[str, Any]:
    if attribute.kind in (Kind.FLAG, Kind.OPTIONAL_FLAG):
        return {"type": ["string", "boolean", "null"], "maxLength": 255}
    if attribute.kind is Kind.OBJECT:
        return dict(FREE_FORM)
    length = attribute.length if attribute.kind is Kind.TEXT else None
    return {"type": ["string", "null"], "maxLength": length or TEXT_LENGTH_MAX}


def _node_schema(attributes: Iterable[Attribute]) -> Schema:
    properties = {attribute.name: _schema_of(attribute) for attribute in attributes}
    properties["driver"] = {"type": "string", "minLength": 1, "maxLength": 255}
    return {"type": "object", "properties": properties, "required": ["driver"], "additionalProperties": False}


NEW_NODE: Schema = _node_schema(row for row in _ROWS if row.creatable)
"""The document of a node that a client creates."""
PATCHED_NODE: Schema = _node_schema(row for row in _ROWS if row.patchable)
"""The document of a node after a client's patch."""
