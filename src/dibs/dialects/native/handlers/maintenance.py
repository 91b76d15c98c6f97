"""Maintenance of hosts: find the window that moves the fewest leases, book it, list and cancel it."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.dialects.native.times import read_time, render_time
from dibs.documents.json_schema import Schema
from dibs.http.exchange import empty_answer
from dibs.http.messages import Response
from dibs.leases.model.access import require_to_maintain
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.moving.planned import Maintenance, PlannedMaintenance
from dibs.leases.model.windows import SECOND, Window
from dibs.leases.operations.maintenance.planning import PlanMaintenance, plan_maintenance
from dibs.leases.operations.maintenance.windows import (
    BookMaintenance,
    book_maintenance,
    cancel_maintenance,
    list_maintenance,
)

SECONDS_MAX = 365 * 24 * 3_600
ATTEMPTS_MAX = 3
"""How often a window is planned again because another client booked a host in it meanwhile."""

PLAN: Schema = {
    "type": "object",
    "properties": {
        "nodes": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000]*$",
            "description": "Pattern for the names of the hosts, such as rack4-*.",
        },
        "seconds": {"type": "integer", "minimum": 60, "maximum": SECONDS_MAX, "description": "Duration."},
        "before": {
            "type": "string",
            "maxLength": 64,
            "description": "When it must have ended, in ISO 8601; UTC unless it has an offset. Default: in 30 days.",
        },
        "name": {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[^\\u0000]*$"},
        "apply": {"type": "boolean", "description": "Book the window and move the leases. Default: only plan."},
    },
    "required": ["nodes", "seconds"],
    "additionalProperties": False,
}


def plan(exchange: Exchange) -> Response:
    """POST /v1/maintenance"""
    require_to_maintain(exchange.access)
    body = exchange.body(PLAN)
    command = PlanMaintenance(
        nodes=body["nodes"],
        length=int(body["seconds"]) * SECOND,
        before=_before(body),
        name=body.get("name", "maintenance"),
        cleaning_minutes=exchange.services.lease_rules.cleaning_minutes,
    )
    for _ in range(ATTEMPTS_MAX):
        found = exchange.read(plan_maintenance, command)
        if not body.get("apply"):
            return json_answer(_render_plan(found, found.maintenance))
        try:
            booked = exchange.write(book_maintenance, _booking(command, found))
        except NotEnoughHosts:
            continue
        exchange.services.wake()
        return json_answer(_render_plan(found, booked), 201)
    raise Refusal(409, "Other clients booked hosts in each window that was found. Try again.")


def list_all(exchange: Exchange) -> Response:
    """GET /v1/maintenance"""
    found = exchange.read(list_maintenance, None)
    return json_answer({"maintenance": [_render(each) for each in found]})


def cancel(exchange: Exchange) -> Response:
    """DELETE /v1/maintenance/{maintenance}"""
    exchange.write(cancel_maintenance, exchange.arguments["maintenance"])
    return empty_answer(204)


def _before(body: Mapping[str, Any]) -> int | None:
    if "before" not in body:
        return None
    try:
        return read_time(body["before"])
    except ValueError:
        raise Refusal(
            400, f"Invalid request body: before is not a valid ISO 8601 timestamp: {body['before']}"
        ) from None


def _booking(command: PlanMaintenance, found: PlannedMaintenance) -> BookMaintenance:
    return BookMaintenance(
        nodes=command.nodes,
        window=Window(found.maintenance.start_at, found.maintenance.end_at),
        name=command.name,
        cleaning_minutes=command.cleaning_minutes,
    )


def _render_plan(found: PlannedMaintenance, maintenance: Maintenance) -> dict[str, Any]:
    moves = [{"lease": each.lease, "before": list(each.before), "after": list(each.after)} for each in found.moves]
    return {**_render(maintenance), "moves": moves}


def _render(maintenance: Maintenance) -> dict[str, Any]:
    return {
        "uuid": maintenance.uuid,
        "name": maintenance.name,
        "start": render_time(maintenance.start_at),
        "end": render_time(maintenance.end_at),
        "hosts": list(maintenance.hosts),
    }
