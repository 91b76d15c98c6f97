"""The changes that a client's JSON patch makes to a node."""

from collections.abc import Mapping
from typing import Any

from dibs.documents.json_patch import Patch, apply_patch, roots_of
from dibs.machines.model.driver import Driver, choose_interfaces
from dibs.machines.model.node_changes import INTERFACE_FIELDS
from dibs.machines.model.nodes import Node, check_new_name
from dibs.machines.model.patching.node_attributes import ATTRIBUTES, PATCHABLE, PATCHED_NODE, Kind, read_value
from dibs.machines.model.patching.values import check_schema, check_storable

_INSTANCE_NAME_MAX = 255


def changes_of_patch(
    node: Node, patch: Patch, drivers: Mapping[str, Driver], *, reset_interfaces: bool
) -> dict[str, Any]:
    """Return the attributes that a patch changes, with their new values.

    With ``reset_interfaces`` a new driver chooses its default for every interface that the patch does not name.
    """
    document = {name: getattr(node, name) for name in PATCHABLE}
    patched = apply_patch(document, patch)
    check_schema(PATCHED_NODE, "patch", patched)
    values = {name: read_value(name, patched.get(name)) for name in PATCHABLE}
    if values["name"] is not None and values["name"] != node.name:
        check_new_name(values["name"], f"Node {node.uuid}: Cannot change name to invalid name")
    _choose_interfaces(node, patch, values, drivers.get(values["driver"]), reset_interfaces)
    _name_instance(values)
    changes = {name: value for name, value in values.items() if value != getattr(node, name)}
    for name, value in changes.items():
        if ATTRIBUTES[name].kind is Kind.OBJECT:
            check_storable(name, value)
    return changes


def _choose_interfaces(node: Node, patch: Patch, values: dict[str, Any], driver: Driver | None, reset: bool) -> None:
    touched = set(roots_of(patch))
    if values["driver"] != node.driver:
        if reset:
            values |= {name: None for name in INTERFACE_FIELDS if name not in touched}
        touched |= set(INTERFACE_FIELDS)
    choose_interfaces(values, driver, touched)


def _name_instance(values: dict[str, Any]) -> None:
    """Quirk: Nova sends the instance's name only inside instance_info, so it is taken from there when there is none."""
    name = values["instance_info"].get("display_name")
    if values["instance_name"] is None and isinstance(name, str) and 0 < len(name) <= _INSTANCE_NAME_MAX:
        values["instance_name"] = name
