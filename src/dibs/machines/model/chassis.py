"""Chassis: named groups of nodes that share an enclosure. Nodes refer to them; nothing else depends on them."""

from typing import Any

from msgspec import Struct, field

from dibs.documents.json_patch import Patch, apply_patch
from dibs.documents.json_schema import FREE_FORM, Schema
from dibs.machines.model.nodes import Json
from dibs.machines.model.patching.values import check_schema, check_storable

CHASSIS: Schema = {
    "type": "object",
    "properties": {
        "description": {"type": ["string", "null"], "maxLength": 255},
        "extra": FREE_FORM,
        "uuid": {"type": ["string", "null"], "maxLength": 255},
    },
    "additionalProperties": False,
}
"""The document of a chassis that a client creates, or of a chassis after a client's patch."""


class Chassis(Struct, frozen=True, kw_only=True):
    """One enclosure."""

    id: int
    uuid: str
    description: str | None = None
    extra: Json = field(default_factory=dict)
    created_at: int
    updated_at: int | None = None


class ChassisQuery(Struct, frozen=True, kw_only=True):
    """One page of chassis."""

    sort_key: str = "id"
    descending: bool = False
    limit: int = 1_000
    marker: str | None = None


def changes_of_patch(chassis: Chassis, patch: Patch) -> dict[str, Any]:
    """Return the attributes that a patch changes, with their new values."""
    patched = apply_patch({"description": chassis.description, "extra": chassis.extra}, patch)
    check_schema(CHASSIS, "patch", patched)
    values = {"description": patched.get("description"), "extra": patched.get("extra") or {}}
    changes = {name: value for name, value in values.items() if value != getattr(chassis, name)}
    check_storable("extra", changes.get("extra", {}))
    return changes
