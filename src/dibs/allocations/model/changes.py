"""The changes that a client's JSON patch makes to an allocation."""

from typing import Any

from dibs.allocations.model.allocations import Allocation
from dibs.documents.json_patch import Patch, apply_patch
from dibs.documents.json_schema import FREE_FORM, Schema, find_mistake
from dibs.errors import BadValue
from dibs.machines.model.nodes import check_node_name
from dibs.machines.model.patching.values import check_storable

PATCHED: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": ["string", "null"], "maxLength": 255},
        "extra": FREE_FORM,
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
    if values["extra"] != allocation.extra:
        check_storable("extra", values["extra"])
    return {name: value for name, value in values.items() if value != getattr(allocation, name)}


def check_name(name: str, action: str) -> None:
    """Raise BadValue for a name that an allocation cannot have; ``action`` is the verb of the message."""
    try:
        check_node_name(name)
    except BadValue as error:
        raise BadValue(reason=f"Cannot {action} allocation with invalid name '{name}'") from error
