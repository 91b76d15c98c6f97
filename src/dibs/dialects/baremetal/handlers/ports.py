"""Ports and port groups: their attributes and filters."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.baremetal.documents.resource_fields import FieldTable
from dibs.dialects.baremetal.handlers.parts import IDENTITY, NODE_QUERY, PartField, PartHandlers
from dibs.documents.schema_parts import FLAG, OBJECT, UUID
from dibs.machines.model.parts.parts import PartKind

_NAMES_OF_NODES = {
    "shard": {"type": "string", "description": "Only those of nodes in these shards, separated by commas."},
    "conductor_groups": {"type": "string", "description": "Only those of nodes in these groups, separated by commas."},
}
PORTGROUP_QUERY: Mapping[str, Mapping[str, Any]] = {
    **NODE_QUERY,
    "address": {"type": "string", "description": "Only the one with this MAC address."},
    **_NAMES_OF_NODES,
}
PORT_QUERY: Mapping[str, Mapping[str, Any]] = {
    **PORTGROUP_QUERY,
    "node_uuid": {"type": "string", "format": "uuid"},
    "portgroup": {"type": "string", "description": "Uuid or name of a port group: only its ports."},
}

PORTS = PartHandlers(
    kind=PartKind.PORT,
    rules="port",
    argument="port",
    plural="ports",
    path=("ports",),
    filters_since={"portgroup": 24, "shard": 82, "conductor_groups": 99},
    fields=FieldTable(
        ("ports",),
        (
            *IDENTITY,
            PartField(name="address", settable=True, in_list=True),
            PartField(name="internal_info", since=18, sortable=False, schema=OBJECT),
            PartField(name="is_smartnic", since=53, settable=True, schema=FLAG),
            PartField(name="local_link_connection", since=19, settable=True, sortable=False, schema=OBJECT),
            PartField(name="physical_network", since=34, settable=True),
            PartField(name="pxe_enabled", since=19, settable=True, schema=FLAG),
            PartField(name="node_uuid", settable=True, sortable=False, schema=UUID),
            PartField(name="name", since=88, settable=True),
            PartField(name="description", since=97, settable=True),
            PartField(name="vendor", since=100, settable=True),
            PartField(name="category", since=101, settable=True),
            PartField(name="available_for_dynamic_portgroup", since=111, settable=True, schema=FLAG),
            PartField(name="portgroup_uuid", since=24, settable=True, sortable=False),
            PartField(name="links", sortable=False),
        ),
    ),
)

PORTGROUPS = PartHandlers(
    kind=PartKind.PORT_GROUP,
    rules="portgroup",
    argument="portgroup",
    plural="portgroups",
    path=("portgroups",),
    filters_since={"shard": 106, "conductor_groups": 99},
    fields=FieldTable(
        ("portgroups",),
        (
            *IDENTITY,
            PartField(name="address", settable=True, in_list=True),
            PartField(name="internal_info", sortable=False, schema=OBJECT),
            PartField(name="mode", since=26, settable=True),
            PartField(name="name", settable=True, in_list=True),
            PartField(name="properties", since=26, settable=True, sortable=False, schema=OBJECT),
            PartField(name="standalone_ports_supported", settable=True, schema=FLAG),
            PartField(name="node_uuid", settable=True, sortable=False, schema=UUID),
            PartField(name="physical_network", since=102, settable=True),
            PartField(name="category", since=103, settable=True),
            PartField(name="dynamic_portgroup", since=111, schema=FLAG),
            PartField(name="links", sortable=False),
            PartField(name="ports", sortable=False),
        ),
        linked=("ports",),
    ),
)
