"""Chassis: parse the request, run one operation, render the result."""

import uuid

from dibs.dialects.baremetal.documents.idents import location
from dibs.dialects.baremetal.documents.paging import page_answer
from dibs.dialects.baremetal.documents.patching import read_patch
from dibs.dialects.baremetal.documents.resource_fields import FieldTable, ResourceField
from dibs.dialects.baremetal.documents.selection import asks_for_detail
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.documents.schema_parts import OBJECT, UUID
from dibs.http.messages import Response
from dibs.machines.model.chassis import CHASSIS, ChassisQuery
from dibs.machines.model.patching.values import check_storable, read_uuid
from dibs.machines.operations import chassis as operations

# Quirk not copied: Ironic shows the links to the nodes of a chassis as a list inside a list.
FIELDS = FieldTable(
    ("chassis",),
    (
        ResourceField(name="uuid", schema=UUID),
        ResourceField(name="created_at"),
        ResourceField(name="updated_at"),
        ResourceField(name="description"),
        ResourceField(name="extra", sortable=False, schema=OBJECT),
        ResourceField(name="links", sortable=False),
        ResourceField(name="nodes", sortable=False),
    ),
    linked=("nodes",),
)
SCHEMA = FIELDS.schema("Chassis")
_IN_LIST = frozenset({"uuid", "description"})
_PATCHABLE = {"description": 1, "extra": 1}


def create_chassis(exchange: Exchange) -> Response:
    """POST /v1/chassis"""
    body = exchange.body("chassis", CHASSIS)
    check_storable("extra", body.get("extra") or {})
    command = operations.CreateChassis(
        uuid=read_uuid("uuid", body["uuid"]) if body.get("uuid") is not None else str(uuid.uuid4()),
        description=body.get("description"),
        extra=body.get("extra") or {},
    )
    made = exchange.write(operations.create_chassis, command)
    return json_answer(FIELDS.render(exchange, made, None), 201, location(exchange, "chassis", made.uuid))


def list_chassis(exchange: Exchange) -> Response:
    """GET /v1/chassis"""
    wanted = FIELDS.wanted(exchange)
    if asks_for_detail(exchange.query, exchange.minor):
        return _list(exchange, None)
    return _list(exchange, _IN_LIST if wanted is None else wanted)


def list_chassis_in_detail(exchange: Exchange) -> Response:
    """GET /v1/chassis/detail"""
    return _list(exchange, None)


def show_chassis(exchange: Exchange) -> Response:
    """GET /v1/chassis/{chassis}"""
    wanted = FIELDS.wanted(exchange)
    found = exchange.read(operations.get_chassis, chassis_in_path(exchange))
    return json_answer(FIELDS.render(exchange, found, wanted))


def update_chassis(exchange: Exchange) -> Response:
    """PATCH /v1/chassis/{chassis}"""
    command = operations.UpdateChassis(uuid=chassis_in_path(exchange), patch=read_patch(exchange, _PATCHABLE))
    return json_answer(FIELDS.render(exchange, exchange.write(operations.update_chassis, command), None))


def delete_chassis(exchange: Exchange) -> Response:
    """DELETE /v1/chassis/{chassis}"""
    exchange.write(operations.delete_chassis, chassis_in_path(exchange))
    return empty_answer(204)


def chassis_in_path(exchange: Exchange) -> str:
    """Return the uuid of the chassis in the path; a chassis has no name."""
    return read_uuid("chassis_uuid", exchange.arguments["chassis"])


def _list(exchange: Exchange, wanted: frozenset[str] | None) -> Response:
    query = exchange.query
    command = ChassisQuery(
        sort_key=FIELDS.sort_key(exchange),
        descending=query.descending(),
        limit=query.limit(),
        marker=query.uuid("marker"),
    )
    found = exchange.read(operations.list_chassis, command)
    entries = [FIELDS.render(exchange, each, wanted) for each in found]
    last = found[-1].uuid if found else None
    return page_answer(exchange, "chassis", entries, last, command.limit, cut=found.cut)
