"""Ports: parse the request, run one operation, render the result."""

import uuid
from collections.abc import Mapping
from typing import Any

from dibs.access.machine_policy import listed_projects
from dibs.dialects.baremetal.documents.filters import NAMES_MAX
from dibs.dialects.baremetal.documents.idents import location, read_ident
from dibs.dialects.baremetal.documents.paging import LIST_QUERY, page_answer
from dibs.dialects.baremetal.documents.patching import read_patch
from dibs.dialects.baremetal.documents.resource_fields import FieldTable, ResourceField
from dibs.dialects.baremetal.documents.selection import asks_for_detail
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.documents.schema_parts import FLAG, OBJECT, UUID
from dibs.http.messages import Response
from dibs.machines.model.patching.port_patches import PORT, SETTABLE, check_smart_nic, read_port_value
from dibs.machines.model.patching.values import check_storable, read_mac, read_uuid
from dibs.machines.model.ports import PortQuery
from dibs.machines.operations import ports as operations


class PortField(ResourceField, frozen=True, kw_only=True):
    """One attribute of a port."""

    settable: bool = False


_FIELDS = (
    PortField(name="uuid", schema=UUID),
    PortField(name="created_at"),
    PortField(name="updated_at"),
    PortField(name="address", settable=True),
    PortField(name="extra", settable=True, sortable=False, schema=OBJECT),
    PortField(name="internal_info", since=18, sortable=False, schema=OBJECT),
    PortField(name="is_smartnic", since=53, settable=True, schema=FLAG),
    PortField(name="local_link_connection", since=19, settable=True, sortable=False, schema=OBJECT),
    PortField(name="physical_network", since=34, settable=True),
    PortField(name="pxe_enabled", since=19, settable=True, schema=FLAG),
    PortField(name="node_uuid", settable=True, sortable=False, schema=UUID),
    PortField(name="name", since=88, settable=True),
    PortField(name="description", since=97, settable=True),
    PortField(name="vendor", since=100, settable=True),
    PortField(name="category", since=101, settable=True),
    PortField(name="available_for_dynamic_portgroup", since=111, settable=True, schema=FLAG),
    PortField(name="portgroup_uuid", since=24, settable=True, sortable=False),
    PortField(name="links", sortable=False),
)
FIELDS = FieldTable("ports", _FIELDS)
SCHEMA = FIELDS.schema("Port")
_SETTABLE = {field.name: field.since for field in _FIELDS if field.settable}
_IN_LIST = frozenset({"uuid", "address"})

NODE_IDENT_SINCE = 94
NETWORK_TYPE_SINCE = 64

QUERY: Mapping[str, Mapping[str, Any]] = {
    **LIST_QUERY,
    "node": {"type": "string", "description": "Uuid or name of a node: only its ports."},
    "node_uuid": {"type": "string", "format": "uuid"},
    "address": {"type": "string", "description": "Only the port with this MAC address."},
    "shard": {"type": "string", "description": "Only ports of nodes in these shards, separated by commas."},
    "conductor_groups": {"type": "string", "description": "Only ports of nodes in these groups, separated by commas."},
}
_FILTERS_SINCE = {"shard": 82, "conductor_groups": 99}


def create_port(exchange: Exchange) -> Response:
    """POST /v1/ports"""
    body = exchange.body("port", PORT)
    ident = _node_of_new_port(body, exchange.minor)
    _reject_too_new(body, exchange.minor)
    sent = {name: body[name] for name in SETTABLE if body.get(name) is not None and name != "node_uuid"}
    values = {name: read_port_value(name, value) for name, value in sent.items()}
    check_smart_nic(values)
    check_storable("extra", values.get("extra", {}))
    command = operations.CreatePort(
        uuid=read_uuid("uuid", body["uuid"]) if body.get("uuid") is not None else str(uuid.uuid4()),
        node=ident,
        values=values,
        rules=("baremetal:port:create",),
    )
    port = exchange.write(operations.create_port, command)
    return json_answer(FIELDS.render(exchange, port, None), 201, location(exchange, "ports", port.uuid))


def list_ports(exchange: Exchange) -> Response:
    """GET /v1/ports and GET /v1/nodes/{node}/ports"""
    wanted = FIELDS.wanted(exchange)
    if asks_for_detail(exchange.query, exchange.minor):
        return _list(exchange, None)
    return _list(exchange, _IN_LIST if wanted is None else wanted)


def list_ports_in_detail(exchange: Exchange) -> Response:
    """GET /v1/ports/detail and GET /v1/nodes/{node}/ports/detail"""
    return _list(exchange, None)


def show_port(exchange: Exchange) -> Response:
    """GET /v1/ports/{port}"""
    ident = _port_in_path(exchange)
    wanted = FIELDS.wanted(exchange)
    port = exchange.read(operations.get_port, operations.GetPort(ident=ident, rules=("baremetal:port:get",)))
    return json_answer(FIELDS.render(exchange, port, wanted))


def update_port(exchange: Exchange) -> Response:
    """PATCH /v1/ports/{port}"""
    ident = _port_in_path(exchange)
    command = operations.UpdatePort(
        ident=ident,
        rules=("baremetal:port:update",),
        patch=read_patch(exchange, _SETTABLE),
        offers_network_type=exchange.minor >= NETWORK_TYPE_SINCE,
    )
    return json_answer(FIELDS.render(exchange, exchange.write(operations.update_port, command), None))


def delete_port(exchange: Exchange) -> Response:
    """DELETE /v1/ports/{port}"""
    ident = _port_in_path(exchange)
    exchange.write(operations.delete_port, operations.DeletePort(ident=ident, rules=("baremetal:port:delete",)))
    return empty_answer(204)


def _list(exchange: Exchange, wanted: frozenset[str] | None) -> Response:
    query = exchange.query
    for name, since in _FILTERS_SINCE.items():
        if name in query and since > exchange.minor:
            raise not_acceptable(since)
        if len(query.names(name) or ()) > NAMES_MAX:
            raise bad_request(f"The query parameter {name} takes at most {NAMES_MAX} names")
    address = query.text("address")
    command = PortQuery(
        node=_listed_node(exchange),
        address=None if address is None else read_mac("address", address),
        shards=query.names("shard") or (),
        conductor_groups=tuple(group.lower() for group in query.names("conductor_groups") or ()),
        projects=listed_projects(exchange.access, "port"),
        sort_key=FIELDS.sort_key(exchange),
        descending=query.descending(),
        limit=query.limit(),
        marker=query.uuid("marker"),
    )
    found = exchange.read(operations.list_ports, command)
    entries = [FIELDS.render(exchange, port, wanted) for port in found]
    last = found[-1].uuid if found else None
    return page_answer(exchange, "ports", entries, last, command.limit, cut=found.cut)


def _listed_node(exchange: Exchange) -> str | None:
    """Return the node of a list, from the path or a filter."""
    named = exchange.arguments.get("node") or exchange.query.uuid("node_uuid") or exchange.query.text("node")
    return None if named is None else read_ident("node", named, exchange.minor)


def _port_in_path(exchange: Exchange) -> str:
    return read_ident("port", exchange.arguments["port"], exchange.minor)


def _node_of_new_port(body: Mapping[str, Any], minor: int) -> str:
    if ("node_uuid" in body) == ("node_ident" in body):
        raise bad_request("Schema error for port: either 'node_uuid' or 'node_ident' is a required property")
    if "node_uuid" in body:
        return read_uuid("node_uuid", body["node_uuid"])
    if minor < NODE_IDENT_SINCE:
        raise not_acceptable()
    return read_ident("node_ident", body["node_ident"], minor)


def _reject_too_new(body: Mapping[str, Any], minor: int) -> None:
    for name, value in body.items():
        if name in FIELDS.by_name and FIELDS.by_name[name].since > minor and value is not None:
            raise not_acceptable()
    if "network_type" in (body.get("local_link_connection") or {}) and minor < NETWORK_TYPE_SINCE:
        raise not_acceptable()
