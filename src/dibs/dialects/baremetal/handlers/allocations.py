"""Allocations: ask for a node, and see what came of it. The core calls them allocations for a node."""

from collections.abc import Callable, Mapping
from typing import Any

from dibs.allocations.model.allocations import STATES, Allocation, AllocationQuery, check_resource_class
from dibs.allocations.operations import allocations as usecases
from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import location, node_in_path, read_ident
from dibs.dialects.baremetal.documents.paging import LIST_QUERY, page_answer
from dibs.dialects.baremetal.documents.patching import read_patch
from dibs.dialects.baremetal.documents.resource_fields import FieldTable, ResourceField
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.documents.json_body import UnusableJson, check_json
from dibs.documents.json_patch import Patch, apply_patch
from dibs.errors import BadValue
from dibs.http.messages import Response
from dibs.machines.model.nodes import check_node_name
from dibs.machines.model.values import read_uuid

SINCE = 52
UPDATE_SINCE = 57
BACKFILL_SINCE = 58
OWNER_SINCE = 60


FIELDS = FieldTable(
    "allocations",
    (
        ResourceField(name="uuid"),
        ResourceField(name="created_at"),
        ResourceField(name="updated_at"),
        ResourceField(name="candidate_nodes", sortable=False),
        ResourceField(name="extra", sortable=False),
        ResourceField(name="last_error"),
        ResourceField(name="name"),
        ResourceField(name="owner", since=OWNER_SINCE),
        ResourceField(name="resource_class"),
        ResourceField(name="state"),
        ResourceField(name="traits", sortable=False),
        ResourceField(name="links", sortable=False),
        ResourceField(name="node_uuid", sortable=False),
    ),
)
_PATCHABLE = {"name": UPDATE_SINCE, "extra": UPDATE_SINCE}

QUERY: Mapping[str, Mapping[str, Any]] = {
    **LIST_QUERY,
    "node": {"type": "string", "description": "Uuid or name of a node: only its allocation."},
    "resource_class": {"type": "string"},
    "state": {"enum": list(STATES)},
    "owner": {"type": "string", "x-since": f"1.{OWNER_SINCE}"},
}


def create_allocation(exchange: Exchange) -> Response:
    """POST /v1/allocations"""
    body = exchange.body("allocation", schemas.ALLOCATION)
    _reject_too_new(body, exchange.minor)
    owner = exchange.policy.owner_of_new_allocation(exchange.actor, body.get("owner"))
    name = body.get("name")
    if name is not None:
        _check_name(name, "create")
    if body.get("resource_class") is not None:
        check_resource_class(body["resource_class"])
    ident = body.get("node")
    hold = body.get("reservation_uuid")
    command = usecases.CreateAllocation(
        uuid=None if body.get("uuid") is None else read_uuid("uuid", body["uuid"]),
        name=name,
        resource_class=body.get("resource_class"),
        traits=tuple(body.get("traits") or ()),
        candidate_nodes=tuple(read_ident("node", node, exchange.minor) for node in body.get("candidate_nodes") or ()),
        extra=body.get("extra") or {},
        owner=owner,
        node=None if ident is None else read_ident("node", ident, exchange.minor),
        node_guard=exchange.policy.guard(exchange.actor, ident or "of the candidates"),
        hold=None if hold is None else read_uuid("reservation_uuid", hold),
    )
    allocation = exchange.services.intake.create(exchange.access, command)
    return json_answer(
        FIELDS.render(exchange, allocation, None), 201, location(exchange, "allocations", allocation.uuid)
    )


def list_allocations(exchange: Exchange) -> Response:
    """GET /v1/allocations"""
    query = exchange.query
    owner = query.text("owner")
    if owner is not None and exchange.minor < OWNER_SINCE:
        raise not_acceptable()
    wanted = FIELDS.wanted(exchange)
    ident = query.text("node")
    command = usecases.ListAllocations(
        query=AllocationQuery(
            resource_class=_resource_class(query.text("resource_class")),
            state=_state(query.text("state")),
            owner=exchange.policy.visible_project("allocation", exchange.actor, owner),
            sort_key=FIELDS.sort_key(exchange),
            descending=query.descending(),
            limit=query.limit(),
            marker=query.uuid("marker"),
        ),
        node=None if ident is None else read_ident("node", ident, exchange.minor),
        node_guard=exchange.policy.guard(exchange.actor, ident or ""),
    )
    found = exchange.read(usecases.list_allocations, command)
    entries = [FIELDS.render(exchange, allocation, wanted) for allocation in found]
    return page_answer(exchange, "allocations", entries, found[-1].uuid if found else None, command.query.limit)


def show_allocation(exchange: Exchange) -> Response:
    """GET /v1/allocations/{allocation}"""
    wanted = FIELDS.wanted(exchange)
    allocation = exchange.read(usecases.get_allocation, _named(exchange))
    return json_answer(FIELDS.render(exchange, allocation, wanted))


def update_allocation(exchange: Exchange) -> Response:
    """PATCH /v1/allocations/{allocation}"""
    named = _named(exchange, "baremetal:allocation:update")
    operations = read_patch(exchange, _PATCHABLE)
    command = usecases.UpdateAllocation(ident=named.ident, guard=named.guard, edit=_editor(operations))
    return json_answer(FIELDS.render(exchange, exchange.write(usecases.update_allocation, command), None))


def delete_allocation(exchange: Exchange) -> Response:
    """DELETE /v1/allocations/{allocation}"""
    exchange.services.intake.delete(exchange.access, _named(exchange, "baremetal:allocation:delete"))
    return empty_answer(204)


def show_allocation_of_node(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/allocation"""
    wanted = FIELDS.wanted(exchange)
    allocation = exchange.read(usecases.get_allocation_of_node, _of_node(exchange))
    return json_answer(FIELDS.render(exchange, allocation, wanted))


def delete_allocation_of_node(exchange: Exchange) -> Response:
    """DELETE /v1/nodes/{node}/allocation"""
    exchange.services.intake.delete_of_node(exchange.access, _of_node(exchange, "baremetal:allocation:delete"))
    return empty_answer(204)


def _named(exchange: Exchange, *rules: str) -> usecases.GetAllocation:
    ident = read_ident("allocation", exchange.arguments["allocation"], exchange.minor)
    return usecases.GetAllocation(ident=ident, guard=exchange.policy.allocation_guard(exchange.actor, ident, *rules))


def _of_node(exchange: Exchange, *rules: str) -> usecases.GetAllocationOfNode:
    ident = node_in_path(exchange)
    policy, actor = exchange.policy, exchange.actor
    return usecases.GetAllocationOfNode(
        node=ident,
        node_guard=policy.guard(actor, ident),
        guard=policy.allocation_guard(actor, f"of node {ident}", *rules),
    )


def _reject_too_new(body: Mapping[str, Any], minor: int) -> None:
    if "owner" in body and minor < OWNER_SINCE:
        raise not_acceptable()
    if "node" in body and minor < BACKFILL_SINCE:
        raise bad_request("Schema error for allocation: Additional properties are not allowed ('node' was unexpected)")


def _check_name(name: str, action: str) -> None:
    try:
        check_node_name(name)
    except BadValue as error:
        raise bad_request(f"Cannot {action} allocation with invalid name '{name}'") from error


def _resource_class(name: str | None) -> str | None:
    if name is not None:
        check_resource_class(name)
    return name


def _state(state: str | None) -> str | None:
    if state is not None and state not in STATES:
        raise bad_request(f"Invalid state: {state}. Acceptable values are: {', '.join(STATES)}")
    return state


def _editor(operations: Patch) -> Callable[[Allocation], dict[str, Any]]:
    """What turns an allocation into the changes that a patch makes to it."""

    def edit(allocation: Allocation) -> dict[str, Any]:
        patched = apply_patch({"name": allocation.name, "extra": allocation.extra}, operations)
        schemas.check(schemas.PATCHED_ALLOCATION, "patch", patched)
        values: dict[str, Any] = {"name": patched.get("name"), "extra": patched.get("extra") or {}}
        if values["name"] is not None:
            _check_name(values["name"], "update")
        try:
            check_json(values["extra"], "/extra")
        except UnusableJson as error:
            raise bad_request(str(error)) from None
        return {name: value for name, value in values.items() if value != getattr(allocation, name)}

    return edit
