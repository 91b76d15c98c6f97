"""From what a caller sends for a node to values of the node."""

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from dibs.dialects.baremetal.documents.fields import BY_NAME, FIELDS, Kind
from dibs.dialects.baremetal.documents.idents import check_name
from dibs.dialects.baremetal.documents.patching import Operation, apply_patch, root_of
from dibs.dialects.baremetal.documents.values import read_flag, read_uuid
from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.schemas import PATCHED_NODE, check
from dibs.documents.json_body import UnusableJson, check_json
from dibs.machines.model.driver import Driver
from dibs.machines.model.node_changes import INTERFACE_FIELDS
from dibs.machines.model.nodes import Node

Drivers = Mapping[str, Driver]

PATCHABLE: Mapping[str, int] = {field.name: field.since for field in FIELDS if field.patchable}
"""Attributes that may be patched, with the version that has them."""

_STORED_PATCHABLE = tuple(name for name in PATCHABLE if BY_NAME[name].kind is not Kind.NOTHING)


def read_value(name: str, value: Any) -> Any:
    """One attribute, as the node keeps it."""
    field = BY_NAME[name]
    if value is None:
        return copy.copy(field.empty)
    if field.kind in (Kind.FLAG, Kind.OPTIONAL_FLAG):
        return read_flag(name, value)
    if field.kind is Kind.UUID:
        return read_uuid(name, value)
    # Quirk: conductor groups do not tell upper from lower case.
    return value.lower() if name == "conductor_group" else value


def read_new_node(body: Mapping[str, Any], drivers: Drivers) -> dict[str, Any]:
    """The attributes of a node that is to be created, with the driver's own choice of interfaces."""
    _check_no_chassis(body)
    sent = {name: value for name, value in body.items() if value is not None and name not in ("uuid", "chassis_uuid")}
    values = {name: read_value(name, value) for name, value in sent.items()}
    if "name" in values:
        check_name(values["name"], "Cannot create node with invalid name")
    _choose_interfaces(values, drivers.get(values["driver"]), INTERFACE_FIELDS)
    return values


def node_editor(operations: Sequence[Operation], drivers: Drivers, reset: bool) -> Callable[[Node], dict[str, Any]]:
    """What turns a node into a patch's changes to it; with ``reset`` a new driver chooses its own interfaces."""

    def edit(node: Node) -> dict[str, Any]:
        document = {name: getattr(node, name) for name in _STORED_PATCHABLE} | {"chassis_uuid": None}
        patched = apply_patch(document, operations)
        check(PATCHED_NODE, "patch", patched)
        _check_no_chassis(patched)
        values = {name: read_value(name, patched.get(name)) for name in _STORED_PATCHABLE}
        if values["name"] is not None and values["name"] != node.name:
            check_name(values["name"], f"Node {node.uuid}: Cannot change name to invalid name")
        touched = {root_of(operation) for operation in operations}
        if values["driver"] != node.driver:
            if reset:
                values |= {name: None for name in INTERFACE_FIELDS if name not in touched}
            touched |= set(INTERFACE_FIELDS)
        _choose_interfaces(values, drivers.get(values["driver"]), touched)
        _name_instance(values)
        changes = {name: value for name, value in values.items() if value != getattr(node, name)}
        _check_storable(changes)
        return changes

    return edit


def _check_no_chassis(values: Mapping[str, Any]) -> None:
    """Dibs has no chassis, so a node cannot be put into one."""
    if values.get("chassis_uuid") is not None:
        raise bad_request(f"Chassis {values['chassis_uuid']} could not be found.")


def _choose_interfaces(values: dict[str, Any], driver: Driver | None, names: Collection[str]) -> None:
    """Of these, fill in the driver's defaults and refuse what it does not have. An unknown driver is refused later."""
    if driver is None:
        return
    for kind, interfaces in driver.interfaces.items():
        name = f"{kind}_interface"
        if name not in names:
            continue
        chosen = values.get(name)
        if chosen is None:
            values[name] = interfaces.default
        elif chosen not in interfaces.enabled:
            raise bad_request(
                f"{kind} interface implementation '{chosen}' is not supported by hardware type {driver.name}. "
                f"Valid interfaces are {', '.join(interfaces.enabled)} (field {name})."
            )


def _name_instance(values: dict[str, Any]) -> None:
    """Quirk: Nova tells the instance's name only inside instance_info, so it is taken from there when there is none."""
    display_name = values["instance_info"].get("display_name")
    if values["instance_name"] is None and isinstance(display_name, str) and 0 < len(display_name) <= 255:
        values["instance_name"] = display_name


def _check_storable(changes: Mapping[str, Any]) -> None:
    """Patches add up: what each body was too small for, several could build."""
    for name, value in changes.items():
        if BY_NAME[name].kind is Kind.OBJECT:
            try:
                check_json(value, f"/{name}")
            except UnusableJson as error:
                raise bad_request(str(error)) from None
