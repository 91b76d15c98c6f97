"""The attributes of a port that clients set, and what a client's JSON patch changes on a port."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from dibs.documents.json_patch import Patch, apply_patch
from dibs.documents.json_schema import FREE_FORM, Schema
from dibs.errors import BadValue
from dibs.machines.model.errors import NotOffered
from dibs.machines.model.patching.values import check_schema, check_storable, read_flag, read_mac, read_uuid
from dibs.machines.model.ports import Port

_IDENT = {"type": "string", "maxLength": 255}
_TEXT_OR_NULL = {"type": ["string", "null"], "maxLength": 255}
_FLAG = {"type": ["string", "boolean", "null"], "maxLength": 255}
_LINK_TEXT = {"type": "string", "maxLength": 255}

PORT: Schema = {
    "type": "object",
    "properties": {
        "address": _IDENT,
        "available_for_dynamic_portgroup": _FLAG,
        "category": {**_TEXT_OR_NULL, "maxLength": 80},
        "description": {**_TEXT_OR_NULL, "maxLength": 255},
        "extra": FREE_FORM,
        "is_smartnic": _FLAG,
        "local_link_connection": {
            "type": ["object", "null"],
            "properties": {
                "port_id": _LINK_TEXT,
                "switch_id": _LINK_TEXT,
                "hostname": _LINK_TEXT,
                "switch_info": _LINK_TEXT,
                "network_type": {"enum": ["managed", "unmanaged"]},
            },
            "additionalProperties": False,
        },
        "name": {**_TEXT_OR_NULL, "maxLength": 255},
        "node_ident": _IDENT,
        "node_uuid": _IDENT,
        "physical_network": {**_TEXT_OR_NULL, "minLength": 1, "maxLength": 64},
        "portgroup_uuid": {"type": "null"},
        "pxe_enabled": _FLAG,
        "uuid": _TEXT_OR_NULL,
        "vendor": {**_TEXT_OR_NULL, "maxLength": 32},
    },
    "required": ["address"],
    "additionalProperties": False,
}
"""The document of a port that a client creates, or of a port after a client's patch."""

_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "address": read_mac,
    "is_smartnic": read_flag,
    "pxe_enabled": read_flag,
    "node_uuid": read_uuid,
    "available_for_dynamic_portgroup": read_flag,
}
_DEFAULTS: Mapping[str, Any] = {
    "extra": {},
    "is_smartnic": False,
    "local_link_connection": {},
    "pxe_enabled": True,
    "available_for_dynamic_portgroup": True,
}

SETTABLE = (
    "address", "extra", "is_smartnic", "local_link_connection", "physical_network", "pxe_enabled", "node_uuid", "name",
    "description", "vendor", "category", "available_for_dynamic_portgroup",
)  # fmt: skip
"""The attributes of Port that clients set."""


def read_port_value(name: str, value: Any) -> Any:
    """Return what the port stores for a value that a client sends; null stands for the default."""
    if value is None:
        return copy.copy(_DEFAULTS.get(name))
    reader = _READERS.get(name)
    return value if reader is None else reader(name, value)


def check_smart_nic(values: Mapping[str, Any]) -> None:
    """Raise BadValue for a smart NIC whose switch port cannot be found."""
    connection = values.get("local_link_connection") or {}
    if values.get("is_smartnic") and not {"port_id", "hostname"} <= connection.keys():
        raise BadValue(reason="Smart NIC port must have port_id and hostname in local_link_connection")


def changes_of_patch(port: Port, patch: Patch, *, offers_network_type: bool) -> dict[str, Any]:
    """Return the attributes that a patch changes, with their new values.

    ``offers_network_type`` is False for clients of an API without ``network_type`` in ``local_link_connection``.
    """
    document = {name: getattr(port, name) for name in SETTABLE} | {"portgroup_uuid": None}
    patched = apply_patch(document, patch)
    check_schema(PORT, "patch", patched)
    if patched.get("node_uuid") is None:
        raise BadValue(reason="Schema error for patch: 'node_uuid' is a required property")
    values = {name: read_port_value(name, patched.get(name)) for name in SETTABLE}
    changes = {name: value for name, value in values.items() if value != getattr(port, name)}
    if not offers_network_type and "network_type" in (changes.get("local_link_connection") or {}):
        raise NotOffered(what="network_type in local_link_connection")
    check_smart_nic(values)
    check_storable("extra", changes.get("extra", {}))
    return changes
