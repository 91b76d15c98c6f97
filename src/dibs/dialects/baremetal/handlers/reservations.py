"""Reservations of nodes (specification 001), which no released service has. The machines package calls them holds."""

import uuid
from collections.abc import Mapping
from typing import Any

from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import location
from dibs.dialects.baremetal.documents.paging import page_answer
from dibs.dialects.baremetal.documents.rendering import render_time
from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.machines.model.errors import HoldNotFound
from dibs.machines.model.holds import Hold
from dibs.machines.model.nodes import is_uuid
from dibs.machines.model.patching.values import read_uuid
from dibs.machines.operations import holds as operations

SHORTEST_SECONDS = 1


def create_reservation(exchange: Exchange) -> Response:
    """POST /v1/reservations"""
    exchange.access.require("baremetal:reservation:create", {})
    body = exchange.body("reservation", schemas.RESERVATION)
    command = operations.CreateHold(
        uuid=str(uuid.uuid4()),
        instance_uuid=read_uuid("instance_uuid", body["instance_uuid"]),
        nodes=tuple(read_uuid("node_uuid", ident) for ident in body["node_uuid"]),
        seconds=_seconds(exchange, body),
    )
    made = exchange.write(operations.create_hold, command)
    return json_answer({"reservation": _render(made)}, 201, location(exchange, "reservations", made.uuid))


def list_reservations(exchange: Exchange) -> Response:
    """GET /v1/reservations"""
    exchange.access.require("baremetal:reservation:list", {})
    command = operations.ListHolds(limit=exchange.query.limit(), marker=exchange.query.uuid("marker"))
    found = exchange.read(operations.list_holds, command)
    last = found[-1].uuid if found else None
    return page_answer(exchange, "reservations", [_render(each) for each in found], last, command.limit)


def show_reservation(exchange: Exchange) -> Response:
    """GET /v1/reservations/{reservation}"""
    exchange.access.require("baremetal:reservation:get", {})
    found = exchange.read(operations.get_hold, _in_path(exchange))
    return json_answer({"reservation": _render(found)})


def renew_reservation(exchange: Exchange) -> Response:
    """POST /v1/reservations/{reservation}/renew"""
    exchange.access.require("baremetal:reservation:renew", {})
    seconds = _seconds(exchange, exchange.body("renewal", schemas.RENEWAL))
    command = operations.RenewHold(uuid=_in_path(exchange), seconds=seconds)
    return json_answer({"reservation": _render(exchange.write(operations.renew_hold, command))})


def delete_reservation(exchange: Exchange) -> Response:
    """DELETE /v1/reservations/{reservation}"""
    exchange.access.require("baremetal:reservation:delete", {})
    exchange.write(operations.delete_hold, _in_path(exchange))
    # An allocation may be waiting for the node.
    exchange.services.wake()
    return empty_answer(204)


def _in_path(exchange: Exchange) -> str:
    ident = exchange.arguments["reservation"]
    if not is_uuid(ident):
        raise HoldNotFound(hold=ident)
    return ident.lower()


def _seconds(exchange: Exchange, body: Mapping[str, Any]) -> float:
    times = exchange.services.hold_times
    seconds = body.get("ttl_seconds")
    if seconds is None:
        return times.default
    if not SHORTEST_SECONDS <= seconds <= times.longest:
        raise bad_request(f"Field ttl_seconds: from {SHORTEST_SECONDS} to {times.longest:g}, not {seconds}")
    return float(seconds)


def _render(hold: Hold) -> dict[str, Any]:
    return {
        "uuid": hold.uuid,
        "node_uuid": hold.node_uuid,
        "instance_uuid": hold.instance_uuid,
        "project_id": hold.project_id,
        "expires_at": render_time(hold.expires_at),
        "created_at": render_time(hold.created_at),
        "updated_at": render_time(hold.updated_at),
    }
