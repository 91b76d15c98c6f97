"""Allocations: ask for a node, and see which one it is."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from dibs.allocations.model.access import owner_of_new_allocation, require_to_create, visible_projects
from dibs.allocations.model.allocations import ALLOCATING, STATES, AllocationQuery, check_resource_class
from dibs.allocations.model.changes import check_name
from dibs.allocations.operations import allocations as operations
from dibs.allocations.operations.creating import CreateAllocation
from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import location, node_in_path, read_ident
from dibs.dialects.baremetal.documents.paging import LIST_QUERY, page_answer
from dibs.dialects.baremetal.documents.patching import read_patch
from dibs.dialects.baremetal.documents.resource_fields import FieldTable, ResourceField
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.documents.schema_parts import OBJECT, TEXT, UUID, UUID_OR_NULL, list_of
from dibs.http.messages import Response
from dibs.machines.model.patching.values import check_storable, read_uuid

SINCE = 52
UPDATE_SINCE = 57
BACKFILL_SINCE = 58
OWNER_SINCE = 60


FIELDS = FieldTable(
    ("allocations",),
    (
        ResourceField(name="uuid", schema=UUID),
        ResourceField(name="created_at"),
        ResourceField(name="updated_at"),
        ResourceField(name="candidate_nodes", sortable=False, schema=list_of(TEXT)),
        ResourceField(name="extra", sortable=False, schema=OBJECT),
        ResourceField(name="last_error"),
        ResourceField(name="name"),
        ResourceField(name="owner", since=OWNER_SINCE),
        ResourceField(name="resource_class"),
        ResourceField(name="state", schema={"enum": list(STATES)}),
        ResourceField(name="traits", sortable=False, schema=list_of(TEXT)),
        ResourceField(name="links", sortable=False),
        ResourceField(name="node_uuid", sortable=False, schema=UUID_OR_NULL),
    ),
)
SCHEMA = FIELDS.schema("Allocation")
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
    require_to_create(exchange.access)
    body = exchange.body("allocation", schemas.ALLOCATION)
    _reject_too_new(body, exchange.minor)
    owner = owner_of_new_allocation(exchange.access, body.get("owner"))
    name = body.get("name")
    if name is not None:
        check_name(name, "create")
    check_storable("extra", body.get("extra") or {})
    if body.get("resource_class") is not None:
        check_resource_class(body["resource_class"])
    ident = body.get("node")
    hold = body.get("reservation_uuid")
    command = CreateAllocation(
        uuid=None if body.get("uuid") is None else read_uuid("uuid", body["uuid"]),
        name=name,
        resource_class=body.get("resource_class"),
        traits=tuple(body.get("traits") or ()),
        candidate_nodes=tuple(read_ident("node", node, exchange.minor) for node in body.get("candidate_nodes") or ()),
        extra=body.get("extra") or {},
        owner=owner,
        node=None if ident is None else read_ident("node", ident, exchange.minor),
        hold=None if hold is None else read_uuid("reservation_uuid", hold),
        lifetime_rules=exchange.services.lifetime_rules,
    )
    made = exchange.services.intake.create(exchange.access, command)
    if command.node is None and command.hold is None:
        # Quirk: "An allocation is created in the allocating state" (specification 000), so the answer shows that state
        # although most allocations have their node by now.
        made = replace(made, state=ALLOCATING, node_uuid=None, updated_at=None)
    return json_answer(FIELDS.render(exchange, made, None), 201, location(exchange, "allocations", made.uuid))


def list_allocations(exchange: Exchange) -> Response:
    """GET /v1/allocations"""
    query = exchange.query
    owner = query.text("owner")
    if owner is not None and exchange.minor < OWNER_SINCE:
        raise not_acceptable()
    wanted = FIELDS.wanted(exchange)
    ident = query.text("node")
    command = AllocationQuery(
        resource_class=_resource_class(query.text("resource_class")),
        state=_state(query.text("state")),
        projects=visible_projects(exchange.access, owner),
        sort_key=FIELDS.sort_key(exchange),
        descending=query.descending(),
        limit=query.limit(),
        marker=query.uuid("marker"),
        node=None if ident is None else read_ident("node", ident, exchange.minor),
    )
    found = exchange.read(operations.list_allocations, command)
    entries = [FIELDS.render(exchange, allocation, wanted) for allocation in found]
    last = found[-1].uuid if found else None
    return page_answer(exchange, "allocations", entries, last, command.limit, cut=found.cut)


def show_allocation(exchange: Exchange) -> Response:
    """GET /v1/allocations/{allocation}"""
    wanted = FIELDS.wanted(exchange)
    allocation = exchange.read(operations.get_allocation, _ident(exchange))
    return json_answer(FIELDS.render(exchange, allocation, wanted))


def update_allocation(exchange: Exchange) -> Response:
    """PATCH /v1/allocations/{allocation}"""
    ident = _ident(exchange)
    command = operations.UpdateAllocation(ident=ident, patch=read_patch(exchange, _PATCHABLE))
    return json_answer(FIELDS.render(exchange, exchange.write(operations.update_allocation, command), None))


def delete_allocation(exchange: Exchange) -> Response:
    """DELETE /v1/allocations/{allocation}"""
    exchange.services.intake.delete(exchange.access, _ident(exchange))
    return empty_answer(204)


def show_allocation_of_node(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/allocation"""
    wanted = FIELDS.wanted(exchange)
    allocation = exchange.read(operations.get_allocation_of_node, node_in_path(exchange))
    return json_answer(FIELDS.render(exchange, allocation, wanted))


def delete_allocation_of_node(exchange: Exchange) -> Response:
    """DELETE /v1/nodes/{node}/allocation"""
    exchange.services.intake.delete_of_node(exchange.access, node_in_path(exchange))
    return empty_answer(204)


def _ident(exchange: Exchange) -> str:
    return read_ident("allocation", exchange.arguments["allocation"], exchange.minor)


def _reject_too_new(body: Mapping[str, Any], minor: int) -> None:
    if "owner" in body and minor < OWNER_SINCE:
        raise not_acceptable()
    if "node" in body and minor < BACKFILL_SINCE:
        raise bad_request("Schema error for allocation: Additional properties are not allowed ('node' was unexpected)")


def _resource_class(name: str | None) -> str | None:
    if name is not None:
        check_resource_class(name)
    return name


def _state(state: str | None) -> str | None:
    if state is not None and state not in STATES:
        raise bad_request(f"Invalid state: {state}. Acceptable values are: {', '.join(STATES)}")
    return state
