"""The changes that a client's JSON patch makes to an allocation."""

from typing import Any

from dibs.allocations.model.allocations import Allocation
from dibs.documents.json_body import UnusableJson, check_json
from dibs.documents.json_patch import Patch, apply_patch
from dibs.documents.json_schema import Schema, find_mistake
from dibs.errors import BadValue
from dibs.machines.model.nodes import check_node_name

PATCHED: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": ["string", "null"], "maxLength": 255},
        "extra": {"type": ["object", "null"]},
    },
    "additionalProperties": False,
}


def changes_of(allocation: Allocation, patch: Patch) -> dict[str, Any]:
    """Return the attributes that a patch changes, with their new values; raise BadValue for values they cannot have."""
    patched = apply_patch({"name": allocation.name, "extra": allocation.extra}, patch)
    mistake = find_mistake(PATCHED, patched)
    if mistake is not None:
        raise BadValue(reason=f"Schema error for patch: {mistake}")
    values: dict[str, Any] = {"name": patched.get("name"), "extra": patched.get("extra") or {}}
    if values["name"] is not None:
        check_name(values["name"], "update")
    try:
        check_json(values["extra"], "/extra")
    except UnusableJson as error:
        raise BadValue(reason=str(error)) from None
    return {name: value for name, value in values.items() if value != getattr(allocation, name)}


def check_name(name: str, action: str) -> None:
    """Raise BadValue for a name that an allocation cannot have; ``action`` is the verb of the message."""
    try:
        check_node_name(name)
    except BadValue as error:
        raise BadValue(reason=f"Cannot {action} allocation with invalid name '{name}'") from error
