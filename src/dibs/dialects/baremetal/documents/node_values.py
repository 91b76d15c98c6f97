"""From the document of a new node to values of the node."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.baremetal.documents.fields import FIELDS
from dibs.machines.model.driver import Driver, choose_interfaces
from dibs.machines.model.node_changes import INTERFACE_FIELDS
from dibs.machines.model.nodes import check_new_name
from dibs.machines.model.patching.node_attributes import ATTRIBUTES, Kind, read_value
from dibs.machines.model.patching.values import check_storable

PATCHABLE: Mapping[str, int] = {field.name: field.since for field in FIELDS if field.patchable}
"""Attributes that may be patched, with the version that has them."""


def read_new_node(body: Mapping[str, Any], drivers: Mapping[str, Driver]) -> dict[str, Any]:
    """Return the attributes of a node that is to be created, with the driver's choice of interfaces."""
    sent = {name: value for name, value in body.items() if value is not None and name != "uuid"}
    values = {name: read_value(name, value) for name, value in sent.items()}
    for name, value in values.items():
        if ATTRIBUTES[name].kind is Kind.OBJECT:
            check_storable(name, value)
    if "name" in values:
        check_new_name(values["name"], "Cannot create node with invalid name")
    choose_interfaces(values, drivers.get(values["driver"]), INTERFACE_FIELDS)
    return values
