"""Volume connectors and volume targets: their attributes, and the page that links to both."""

from typing import Any

from dibs.dialects.baremetal.documents.idents import node_in_path
from dibs.dialects.baremetal.documents.resource_fields import FieldTable
from dibs.dialects.baremetal.documents.secrets import mask_secrets
from dibs.dialects.baremetal.exchange import Exchange, json_answer
from dibs.dialects.baremetal.handlers.parts import IDENTITY, PartField, PartHandlers
from dibs.documents.schema_parts import INTEGER, OBJECT, UUID
from dibs.http.messages import Response
from dibs.machines.model.access import SEE_NODE
from dibs.machines.model.parts.parts import PartKind
from dibs.machines.operations import nodes as node_operations

SINCE = 32

_SEE_PROPERTIES = "baremetal:volume:view_target_properties"
_REDACTED = {
    "redacted_contents": f"** Value redacted: Requires permission {_SEE_PROPERTIES} access. Permission denied. **"
}


def show_volumes(exchange: Exchange) -> Response:
    """GET /v1/volume"""
    # Without a node the rule can only be granted for the whole system.
    exchange.access.require("baremetal:volume:get", {})
    return json_answer(_links(exchange, "volume"))


def show_volumes_of_node(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/volume"""
    ident = node_in_path(exchange)
    rules = (SEE_NODE, "baremetal:volume:get")
    exchange.read(node_operations.get_node, node_operations.GetNode(ident=ident, rules=rules))
    return json_answer(_links(exchange, "nodes", ident, "volume"))


def _links(exchange: Exchange, *path: str) -> dict[str, Any]:
    return {
        "links": exchange.links(*path, ""),
        "connectors": exchange.links(*path, "connectors"),
        "targets": exchange.links(*path, "targets"),
    }


def _redact_target(exchange: Exchange, document: dict[str, Any]) -> dict[str, Any]:
    """Hide the properties, which contain the credentials of the volume, or the passwords in them."""
    if "properties" not in document:
        return document
    visible = exchange.access.allows(_SEE_PROPERTIES, {})
    return {**document, "properties": mask_secrets(document["properties"]) if visible else _REDACTED}


CONNECTORS = PartHandlers(
    kind=PartKind.VOLUME_CONNECTOR,
    rules="volume",
    argument="connector",
    plural="connectors",
    path=("volume", "connectors"),
    detail_since=SINCE,
    fields=FieldTable(
        ("volume", "connectors"),
        (
            *IDENTITY,
            PartField(name="connector_id", settable=True, in_list=True),
            PartField(name="type", settable=True, in_list=True),
            PartField(name="node_uuid", settable=True, sortable=False, in_list=True, schema=UUID),
            PartField(name="links", sortable=False),
        ),
    ),
)

TARGETS = PartHandlers(
    kind=PartKind.VOLUME_TARGET,
    rules="volume",
    argument="target",
    plural="targets",
    path=("volume", "targets"),
    detail_since=SINCE,
    redact=_redact_target,
    fields=FieldTable(
        ("volume", "targets"),
        (
            *IDENTITY,
            PartField(name="boot_index", settable=True, in_list=True, schema=INTEGER),
            PartField(name="properties", settable=True, sortable=False, schema=OBJECT),
            PartField(name="volume_id", settable=True, in_list=True),
            PartField(name="volume_type", settable=True, in_list=True),
            PartField(name="node_uuid", settable=True, sortable=False, in_list=True, schema=UUID),
            PartField(name="links", sortable=False),
        ),
    ),
)
