"""What clients send for each kind of part: the schema, the values, and what a JSON patch changes."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from dibs.documents.json_patch import Patch, apply_patch
from dibs.documents.json_schema import FREE_FORM, Schema
from dibs.errors import BadValue
from dibs.machines.model.errors import NotOffered
from dibs.machines.model.nodes import check_node_name
from dibs.machines.model.parts.parts import Part, PartKind
from dibs.machines.model.patching.values import check_schema, check_storable, read_flag, read_mac, read_uuid

Reader = Callable[[str, Any], Any]

_TEXT: Schema = {"type": "string", "maxLength": 255}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"], "maxLength": 255}
_FLAG: Schema = {"type": ["string", "boolean", "null"], "maxLength": 255}
_NETWORK: Schema = {**_TEXT_OR_NULL, "minLength": 1, "maxLength": 64}
_CATEGORY: Schema = {**_TEXT_OR_NULL, "maxLength": 80}


def _schema(required: tuple[str, ...], **properties: Schema) -> Schema:
    shared = {"extra": FREE_FORM, "node_uuid": _TEXT, "uuid": _TEXT_OR_NULL}
    return {
        "type": "object",
        "properties": {**properties, **shared},
        "required": list(required),
        "additionalProperties": False,
    }


class PartDocument(Struct, frozen=True, kw_only=True):
    """The document of one kind of part, as clients create and patch it."""

    schema: Schema
    defaults: Mapping[str, Any]
    """Stored for null, and for an attribute that a patch removes, where that is not null."""
    readers: Mapping[str, Reader]

    @property
    def settable(self) -> tuple[str, ...]:
        """The attributes of the part that clients set."""
        return tuple(name for name in self.schema["properties"] if name not in ("uuid", "node_ident"))

    def read(self, name: str, value: Any) -> Any:
        """Return what the part stores for a value that a client sends; null stands for the default."""
        if value is None:
            return copy.copy(self.defaults.get(name))
        reader = self.readers.get(name)
        return value if reader is None else reader(name, value)


DOCUMENTS: Mapping[PartKind, PartDocument] = {
    PartKind.PORT: PartDocument(
        schema=_schema(
            ("address",),
            address=_TEXT,
            available_for_dynamic_portgroup=_FLAG,
            category=_CATEGORY,
            description=_TEXT_OR_NULL,
            is_smartnic=_FLAG,
            local_link_connection={
                "type": ["object", "null"],
                "properties": {
                    "port_id": _TEXT,
                    "switch_id": _TEXT,
                    "hostname": _TEXT,
                    "switch_info": _TEXT,
                    "network_type": {"enum": ["managed", "unmanaged"]},
                },
                "additionalProperties": False,
            },
            name=_TEXT_OR_NULL,
            node_ident=_TEXT,
            physical_network=_NETWORK,
            portgroup_uuid=_TEXT_OR_NULL,
            pxe_enabled=_FLAG,
            vendor={**_TEXT_OR_NULL, "maxLength": 32},
        ),
        defaults={
            "extra": {},
            "is_smartnic": False,
            "local_link_connection": {},
            "pxe_enabled": True,
            "available_for_dynamic_portgroup": True,
        },
        readers={
            "address": read_mac,
            "available_for_dynamic_portgroup": read_flag,
            "is_smartnic": read_flag,
            "node_uuid": read_uuid,
            "portgroup_uuid": read_uuid,
            "pxe_enabled": read_flag,
        },
    ),
    PartKind.PORT_GROUP: PartDocument(
        schema=_schema(
            ("node_uuid",),
            address=_TEXT_OR_NULL,
            category=_CATEGORY,
            mode=_TEXT_OR_NULL,
            name=_TEXT_OR_NULL,
            physical_network=_NETWORK,
            properties=FREE_FORM,
            standalone_ports_supported=_FLAG,
        ),
        defaults={"extra": {}, "mode": "active-backup", "properties": {}, "standalone_ports_supported": True},
        readers={"address": read_mac, "node_uuid": read_uuid, "standalone_ports_supported": read_flag},
    ),
    PartKind.VOLUME_CONNECTOR: PartDocument(
        schema=_schema(
            ("connector_id", "node_uuid", "type"), connector_id=_TEXT, type={"type": "string", "maxLength": 32}
        ),
        defaults={"extra": {}},
        readers={"node_uuid": read_uuid},
    ),
    PartKind.VOLUME_TARGET: PartDocument(
        schema=_schema(
            ("boot_index", "node_uuid", "volume_id", "volume_type"),
            boot_index={"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
            properties=FREE_FORM,
            volume_id={"type": "string", "maxLength": 36},
            volume_type={"type": "string", "maxLength": 64},
        ),
        defaults={"extra": {}, "properties": {}},
        readers={"node_uuid": read_uuid},
    ),
}


def check_new(kind: PartKind, values: Mapping[str, Any]) -> None:
    """Raise BadValue for attributes of a new part that do not go together."""
    _check_smart_nic(values)
    if kind is PartKind.PORT_GROUP and values.get("name") is not None:
        _check_name(values["name"], "Cannot create portgroup with invalid name")


def changes_of_patch(kind: PartKind, part: Part, patch: Patch, *, offers_network_type: bool) -> dict[str, Any]:
    """Return the attributes that a patch changes, with their new values.

    ``offers_network_type`` is False for clients of an API without ``network_type`` in ``local_link_connection``.
    """
    document = DOCUMENTS[kind]
    patched = apply_patch({name: getattr(part, name) for name in document.settable}, patch)
    check_schema(document.schema, "patch", patched)
    if patched.get("node_uuid") is None:
        raise BadValue(reason="Schema error for patch: 'node_uuid' is a required property")
    if kind is PartKind.PORT_GROUP and "mode" not in patched:
        raise BadValue(reason="'mode' is a mandatory attribute and can not be removed")
    values = {name: document.read(name, patched.get(name)) for name in document.settable}
    changes = {name: value for name, value in values.items() if value != getattr(part, name)}
    if not offers_network_type and "network_type" in (changes.get("local_link_connection") or {}):
        raise NotOffered(what="network_type in local_link_connection")
    _check_smart_nic(values)
    if kind is PartKind.PORT_GROUP and changes.get("name") is not None:
        _check_name(changes["name"], f"Portgroup {part.uuid}: Cannot change name to invalid name")
    for name in ("extra", "properties"):
        check_storable(name, changes.get(name, {}))
    return changes


def _check_name(name: str, complaint: str) -> None:
    try:
        check_node_name(name)
    except BadValue as error:
        raise BadValue(reason=f"{complaint} '{name}'") from error


def _check_smart_nic(values: Mapping[str, Any]) -> None:
    """Raise BadValue for a smart NIC whose switch port cannot be found."""
    connection = values.get("local_link_connection") or {}
    if values.get("is_smartnic") and not {"port_id", "hostname"} <= connection.keys():
        raise BadValue(reason="Smart NIC port must have port_id and hostname in local_link_connection")
