"""Allocations with the attributes that only Dibs has: batches, waiting, lifetimes, sticky allocations, retry."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from dibs.allocations.model.access import owner_of_new_allocation, require_to_create, visible_projects
from dibs.allocations.model.allocations import ALLOCATING, STATES, Allocation, AllocationQuery, Lifetime
from dibs.allocations.operations import allocations as operations
from dibs.allocations.operations import batches
from dibs.allocations.operations.batches import COUNT_MAX, CreateBatch, RetryAllocation
from dibs.allocations.operations.creating import CreateAllocation
from dibs.allocations.operations.endings import RenewAllocation
from dibs.allocations.operations.endings import renew_allocation as renew
from dibs.allocations.operations.keep_alive import RecordHeartbeat
from dibs.allocations.operations.keep_alive import record_heartbeat as record
from dibs.allocations.operations.promises import get_queued_allocation
from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer, next_url
from dibs.dialects.native.times import read_time, render_time
from dibs.documents.json_schema import FREE_FORM, Schema
from dibs.http.messages import Response
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX
from dibs.machines.model.nodes import check_node_name
from dibs.machines.model.patching.values import check_storable

WAIT_SECONDS_MAX = 30 * 24 * 3600
LIMIT_MAX = 1_000
KEEP_ALIVE_SECONDS_MIN = 10
KEEP_ALIVE_SECONDS_MAX = 7 * 24 * 3600
LIFETIME_SECONDS_MAX = 10 * 365 * 24 * 3600

_UUID: Schema = {"type": "string", "format": "uuid", "maxLength": 255}
_WAIT_SECONDS: Schema = {
    "type": ["number", "null"],
    "exclusiveMinimum": 0,
    "maximum": WAIT_SECONDS_MAX,
    "description": "How long to wait for nodes to become free. Without it, the allocation fails when no node is free.",
}
_KEEP_ALIVE_SECONDS: Schema = {
    "type": ["integer", "null"],
    "minimum": KEEP_ALIVE_SECONDS_MIN,
    "maximum": KEEP_ALIVE_SECONDS_MAX,
}
_LIFETIME: Mapping[str, Schema] = {
    "lifetime": {
        "type": ["integer", "null"],
        "minimum": 1,
        "maximum": LIFETIME_SECONDS_MAX,
        "description": "Seconds from the moment at which it has its node to its end.",
    },
    "until": {
        "type": ["string", "null"],
        "format": "date-time",
        "maxLength": 64,
        "description": "Its end, instead of a lifetime: an ISO 8601 timestamp, in UTC unless it has an offset.",
    },
}

NEW: Schema = {
    "type": "object",
    "properties": {
        "resource_class": {"type": "string", "minLength": 1, "maxLength": 80},
        "count": {
            "type": "integer",
            "minimum": 1,
            "maximum": COUNT_MAX,
            "description": "Number of nodes; all or nothing.",
        },
        "name": {"type": ["string", "null"], "maxLength": 255, "description": "Only for a single node."},
        "uuid": {**_UUID, "description": "Only for a single node."},
        "traits": {"type": "array", "items": {"type": "string", "maxLength": 255}, "maxItems": TRAITS_PER_NODE_MAX},
        "candidate_nodes": {"type": "array", "items": {"type": "string", "maxLength": 255}, "maxItems": 1000},
        "extra": {**FREE_FORM, "type": "object"},
        "owner": {"type": ["string", "null"], "maxLength": 255},
        "sticky": {"type": "boolean", "description": "Keep the node through a teardown."},
        "wait_seconds": _WAIT_SECONDS,
        "keep_alive_seconds": {
            **_KEEP_ALIVE_SECONDS,
            "description": "Withdraw the allocation, or release its node, when the client sends no heartbeat for this "
            "long. Without it, no heartbeats are needed.",
        },
        **_LIFETIME,
    },
    "required": ["resource_class"],
    "additionalProperties": False,
}
_NEW_KEEP_ALIVE_SECONDS: Schema = {
    **_KEEP_ALIVE_SECONDS,
    "description": "The new time until a heartbeat is overdue; null: no more heartbeats are needed.",
}
RETRY: Schema = {
    "type": "object",
    "properties": {"wait_seconds": _WAIT_SECONDS, "keep_alive_seconds": _NEW_KEEP_ALIVE_SECONDS},
    "additionalProperties": False,
}
HEARTBEAT: Schema = {
    "type": "object",
    "properties": {"keep_alive_seconds": _NEW_KEEP_ALIVE_SECONDS},
    "additionalProperties": False,
}
RENEW: Schema = {"type": "object", "properties": _LIFETIME, "additionalProperties": False}

QUERY: Mapping[str, Schema] = {
    "batch": {**_UUID, "description": "Only the allocations of this batch."},
    "state": {"enum": list(STATES)},
    "resource_class": {"type": "string"},
    "limit": {"type": "string", "pattern": "^[1-9][0-9]{0,3}$", "description": f"Page size; at most {LIMIT_MAX}."},
    "marker": {**_UUID, "description": "Start after this allocation."},
}


def create_allocations(exchange: Exchange) -> Response:
    """POST /v1/allocations"""
    require_to_create(exchange.access)
    body = exchange.body(NEW)
    count = int(body.get("count", 1))
    name = body.get("name")
    if count > 1 and (name is not None or "uuid" in body):
        raise Refusal(400, "name and uuid are only allowed with a count of 1.")
    if name is not None:
        check_node_name(name)
    check_storable("extra", body.get("extra", {}))
    command = CreateAllocation(
        uuid=body["uuid"].lower() if "uuid" in body else None,
        name=name,
        resource_class=body["resource_class"],
        traits=tuple(body.get("traits", ())),
        candidate_nodes=tuple(body.get("candidate_nodes", ())),
        extra=body.get("extra", {}),
        owner=owner_of_new_allocation(exchange.access, body.get("owner")),
        wait_seconds=body.get("wait_seconds"),
        sticky=body.get("sticky", False),
        keep_alive_seconds=body.get("keep_alive_seconds"),
        lifetime=_read_lifetime(body),
        lifetime_rules=exchange.services.lifetime_rules,
    )
    return _listed(_create(exchange, command, count), 201)


def list_allocations(exchange: Exchange) -> Response:
    """GET /v1/allocations"""
    asked = exchange.query(QUERY)
    projects = visible_projects(exchange.access)
    if "batch" in asked:
        if len(asked) > 1:
            raise Refusal(400, "The query parameter batch cannot be combined with others.")
        return _listed(exchange.read(batches.get_batch, asked["batch"].lower()))
    query = AllocationQuery(
        projects=projects,
        state=asked.get("state"),
        resource_class=asked.get("resource_class"),
        limit=min(int(asked.get("limit", LIMIT_MAX)), LIMIT_MAX),
        marker=asked["marker"].lower() if "marker" in asked else None,
    )
    found = exchange.read(operations.list_allocations, query)
    document: dict[str, Any] = {"allocations": [render(allocation) for allocation in found]}
    if found and (found.cut or len(found) >= query.limit):
        document["next"] = next_url(exchange, asked, query.limit, found[-1].uuid)
    return json_answer(document)


def show_allocation(exchange: Exchange) -> Response:
    """GET /v1/allocations/{allocation}"""
    found = exchange.read(get_queued_allocation, exchange.arguments["allocation"])
    return json_answer({**render(found.allocation), "position": found.position})


def retry_allocation(exchange: Exchange) -> Response:
    """POST /v1/allocations/{allocation}/retry"""
    body = exchange.body(RETRY)
    command = RetryAllocation(
        ident=exchange.arguments["allocation"],
        wait_seconds=body.get("wait_seconds"),
        keep_alive_seconds=body.get("keep_alive_seconds", UNSET),
    )
    allocation = exchange.write(batches.retry_allocation, command)
    exchange.services.wake()
    return json_answer(render(allocation), 202)


def record_heartbeat(exchange: Exchange) -> Response:
    """POST /v1/allocations/{allocation}/heartbeat"""
    body = exchange.body(HEARTBEAT)
    command = RecordHeartbeat(
        ident=exchange.arguments["allocation"], keep_alive_seconds=body.get("keep_alive_seconds", UNSET)
    )
    return json_answer(render(exchange.write(record, command)))


def renew_allocation(exchange: Exchange) -> Response:
    """POST /v1/allocations/{allocation}/renew"""
    command = RenewAllocation(
        ident=exchange.arguments["allocation"],
        lifetime=_read_lifetime(exchange.body(RENEW)),
        rules=exchange.services.lifetime_rules,
    )
    return json_answer(render(exchange.write(renew, command)))


def render(allocation: Allocation) -> dict[str, Any]:
    """Return an allocation as JSON."""
    waiting = allocation.state == ALLOCATING
    return {
        "uuid": allocation.uuid,
        "name": allocation.name,
        "state": allocation.state,
        "resource_class": allocation.resource_class,
        "traits": list(allocation.traits),
        "candidate_nodes": list(allocation.candidate_nodes),
        "extra": allocation.extra,
        "owner": allocation.owner,
        "node_uuid": allocation.node_uuid,
        "last_error": allocation.last_error,
        "sticky": allocation.sticky,
        "wait_until": render_time(allocation.wait_until),
        "keep_alive_seconds": allocation.keep_alive_seconds,
        "alive_until": render_time(allocation.alive_until),
        "lifetime": allocation.lifetime_seconds,
        "until": render_time(allocation.ends_at),
        "noticed_at": render_time(allocation.noticed_at),
        "latest_start": render_time(allocation.promised_at) if waiting else None,
        "depends_on": allocation.depends_on if waiting else None,
        "moved_by": allocation.moved_by if waiting else None,
        "batch": allocation.batch,
        "created_at": render_time(allocation.created_at),
        "updated_at": render_time(allocation.updated_at),
    }


def _read_lifetime(body: Mapping[str, Any]) -> Lifetime:
    text = body.get("until")
    try:
        return Lifetime(body.get("lifetime"), None if text is None else read_time(text))
    except ValueError:
        raise Refusal(400, f"until is not a valid ISO 8601 timestamp: {text}") from None


def _create(exchange: Exchange, command: CreateAllocation, count: int) -> list[Allocation]:
    if count == 1:
        return [exchange.services.intake.create(exchange.access, command)]
    batch = CreateBatch(kind=command, count=count)
    created = exchange.write(batches.create_batch, batch)
    exchange.services.wake()
    return created


def _listed(found: list[Allocation], status: int = 200) -> Response:
    return json_answer({"allocations": [render(allocation) for allocation in found]}, status)
