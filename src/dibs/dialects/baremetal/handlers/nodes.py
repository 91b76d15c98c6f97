"""Nodes: parse the request, run one operation, render the result."""

import uuid

from dibs.access.machine_policy import listed_projects
from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.fields import IN_LIST, check_sort_key, reject_too_new, wanted_fields
from dibs.dialects.baremetal.documents.filters import read_conditions
from dibs.dialects.baremetal.documents.idents import location, node_in_path
from dibs.dialects.baremetal.documents.node_values import PATCHABLE, read_new_node
from dibs.dialects.baremetal.documents.paging import page_answer
from dibs.dialects.baremetal.documents.patching import read_patch
from dibs.dialects.baremetal.documents.rendering import NodeRenderer, render_node
from dibs.dialects.baremetal.documents.selection import asks_for_detail
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.baremetal.handlers.chassis import chassis_in_path
from dibs.documents.json_patch import PatchOperation, roots_of
from dibs.http.messages import Response
from dibs.machines.model import states
from dibs.machines.model.access import owner_of_new_node, require_to_create, rules_of_patch
from dibs.machines.model.node_query import Equals, NodeQuery
from dibs.machines.model.patching.node_attributes import NEW_NODE
from dibs.machines.model.patching.values import read_uuid
from dibs.machines.operations import nodes as operations

RESET_INTERFACES_SINCE = 45
ENROLL_SINCE = 11
LEAVE_CHASSIS_SINCE = 25


def create_node(exchange: Exchange) -> Response:
    """POST /v1/nodes"""
    require_to_create(exchange.access)
    body = exchange.body("node", NEW_NODE)
    owner = owner_of_new_node(exchange.access, body.get("owner"))
    if body.get("parent_node"):
        # The parent reveals whether a node exists, so it needs the rule for a change of the parent.
        exchange.access.require("baremetal:node:update:parent_node", {})
    reject_too_new(body, exchange.minor)
    ident = read_uuid("uuid", body["uuid"]) if body.get("uuid") is not None else str(uuid.uuid4())
    command = operations.CreateNode(
        uuid=ident,
        values={**read_new_node(body, exchange.services.drivers), "owner": owner},
        # Quirk: before 1.11 a new node is available at once, without enrolment (contract sample 025).
        provision_state=states.ENROLL if exchange.minor >= ENROLL_SINCE else states.AVAILABLE,
    )
    view = exchange.write(operations.create_node, command)
    return json_answer(render_node(exchange, view), 201, location(exchange, "nodes", view.node.uuid))


def list_nodes(exchange: Exchange) -> Response:
    """GET /v1/nodes and GET /v1/chassis/{chassis}/nodes"""
    wanted = wanted_fields(exchange.query.names("fields"), exchange.minor)
    if asks_for_detail(exchange.query, exchange.minor):
        return _list(exchange, None)
    return _list(exchange, IN_LIST if wanted is None else wanted)


def list_nodes_in_detail(exchange: Exchange) -> Response:
    """GET /v1/nodes/detail and GET /v1/chassis/{chassis}/nodes/detail"""
    return _list(exchange, None)


def show_node(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}"""
    ident = node_in_path(exchange)
    wanted = wanted_fields(exchange.query.names("fields"), exchange.minor)
    view = exchange.read(operations.get_node, operations.GetNode(ident=ident, rules=()))
    return json_answer(render_node(exchange, view, wanted))


def update_node(exchange: Exchange) -> Response:
    """PATCH /v1/nodes/{node}"""
    ident = node_in_path(exchange)
    reset = exchange.query.flag("reset_interfaces")
    if reset is not None and exchange.minor < RESET_INTERFACES_SINCE:
        raise not_acceptable()
    patch = read_patch(exchange, PATCHABLE)
    if exchange.minor < LEAVE_CHASSIS_SINCE and PatchOperation("remove", "/chassis_uuid") in patch:
        raise not_acceptable()
    if reset and "driver" not in roots_of(patch):
        raise bad_request("The reset_interfaces parameter can only be used when changing the node's driver.")
    command = operations.UpdateNode(
        ident=ident,
        rules=tuple(sorted(rules_of_patch(patch))),
        patch=patch,
        reset_interfaces=bool(reset),
    )
    return json_answer(render_node(exchange, exchange.write(operations.update_node, command)))


def delete_node(exchange: Exchange) -> Response:
    """DELETE /v1/nodes/{node}"""
    exchange.write(operations.delete_node, node_in_path(exchange))
    return empty_answer(204)


def set_maintenance(exchange: Exchange) -> Response:
    """PUT /v1/nodes/{node}/maintenance"""
    ident = node_in_path(exchange)
    reason = exchange.body("body", schemas.MAINTENANCE).get("reason")
    rules = ("baremetal:node:set_maintenance",)
    command = operations.SetMaintenance(ident=ident, rules=rules, on=True, reason=reason)
    exchange.write(operations.set_maintenance, command)
    return empty_answer(202)


def clear_maintenance(exchange: Exchange) -> Response:
    """DELETE /v1/nodes/{node}/maintenance"""
    ident = node_in_path(exchange)
    rules = ("baremetal:node:clear_maintenance",)
    exchange.write(operations.set_maintenance, operations.SetMaintenance(ident=ident, rules=rules, on=False))
    return empty_answer(202)


def _list(exchange: Exchange, wanted: frozenset[str] | None) -> Response:
    query = exchange.query
    asked = query.text("project")
    conditions = read_conditions(query, exchange.minor)
    if "chassis" in exchange.arguments:
        conditions = (*conditions, Equals("chassis_uuid", chassis_in_path(exchange)))
    projects = listed_projects(exchange.access, "node", asked)
    renderer = NodeRenderer(exchange, wanted)
    command = NodeQuery(
        columns=renderer.columns,
        conditions=conditions,
        projects=projects,
        sort_key=check_sort_key(query.text("sort_key") or "id", exchange.minor),
        descending=query.descending(),
        limit=query.limit(),
        marker=query.uuid("marker"),
    )
    page = exchange.read(operations.list_nodes, command)
    uuids = page.columns["uuid"]
    # An instance is on one node at most, so there is no next page.
    last = uuids[-1] if uuids and "instance_uuid" not in query else None
    return page_answer(exchange, "nodes", renderer.render(page.columns), last, command.limit, cut=page.cut)
