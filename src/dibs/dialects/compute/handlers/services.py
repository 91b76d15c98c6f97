"""Compute services, one for each compute host, and the only availability zone."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.compute.errors import bad_request, not_found
from dibs.dialects.compute.exchange import Exchange, json_answer
from dibs.dialects.compute.handlers.server_views import ZONE
from dibs.dialects.compute.microversions import FORCED_DOWN_SINCE, UUIDS_SINCE
from dibs.dialects.compute.schemas import ANY_TEXT, BOOLEAN, NAME, Schema, closed
from dibs.dialects.compute.times import render_naive
from dibs.documents.json_schema import is_uuid
from dibs.http.messages import Response
from dibs.servers.model.hypervisors import Hypervisor, HypervisorQuery
from dibs.servers.operations.hypervisors import (
    COMPUTE_BINARY,
    ListHypervisors,
    SwitchService,
    list_hypervisors,
    switch_service,
)

QUERY: Mapping[str, Schema] = {"host": {"type": "string"}, "binary": {"type": "string"}}
SWITCH: Schema = closed({"host": NAME, "binary": NAME, "disabled_reason": ANY_TEXT}, "host", "binary")
CHANGE: Schema = closed(
    {"status": {"enum": ["enabled", "disabled"]}, "disabled_reason": ANY_TEXT, "forced_down": BOOLEAN}
)
_ACTIONS = {"enable": False, "disable": True, "disable-log-reason": True}


def list_all(exchange: Exchange) -> Response:
    """GET /os-services"""
    if exchange.query("binary") not in (None, COMPUTE_BINARY):
        return json_answer({"services": []})
    return json_answer({"services": [_render(exchange, each) for each in _found(exchange, exchange.query("host"))]})


def switch(exchange: Exchange) -> Response:
    """PUT /os-services/{enable, disable, disable-log-reason}"""
    action = exchange.arguments["service"]
    if action not in _ACTIONS:
        raise not_found("Unknown action")
    asked = exchange.body(SWITCH)
    if asked["binary"] != COMPUTE_BINARY:
        raise bad_request(
            f"Updating a {asked['binary']} service is not supported. Only nova-compute services can be updated."
        )
    if action == "disable-log-reason" and not asked.get("disabled_reason", "").strip():
        raise bad_request("Missing disabled reason field")
    found = exchange.write(switch_service, SwitchService(host=asked["host"], disabled=_ACTIONS[action]))
    answer = {"host": found.name, "binary": COMPUTE_BINARY, "status": _status(found)}
    if asked.get("disabled_reason"):
        answer["disabled_reason"] = asked["disabled_reason"]
    return json_answer({"service": answer})


def change(exchange: Exchange) -> Response:
    """PUT /os-services/{service}"""
    uuid = exchange.arguments["service"]
    if not is_uuid(uuid):
        raise bad_request(f"Invalid uuid {uuid}")
    asked = exchange.body(CHANGE)
    if "forced_down" in asked:
        raise bad_request("Dibs cannot force a service down: disable it instead.")
    if asked.get("disabled_reason") and asked.get("status") != "disabled":
        raise bad_request("Specifying disabled_reason requires that status is 'disabled'.")
    disabled = asked["status"] == "disabled" if "status" in asked else None
    found = exchange.write(switch_service, SwitchService(uuid=uuid.lower(), disabled=disabled))
    reason = {"disabled_reason": asked["disabled_reason"]} if asked.get("disabled_reason") else {}
    return json_answer({"service": _render(exchange, found) | reason})


def list_zones(exchange: Exchange) -> Response:
    """GET /os-availability-zone"""
    return json_answer({"availabilityZoneInfo": [_zone(None)]})


def list_zone_details(exchange: Exchange) -> Response:
    """GET /os-availability-zone/detail"""
    hosts = {
        found.name: {
            COMPUTE_BINARY: {"available": found.up, "active": True, "updated_at": render_naive(found.changed_at)}
        }
        for found in _found(exchange, None)
        if not found.disabled
    }
    return json_answer({"availabilityZoneInfo": [_zone(hosts)]})


def _zone(hosts: Any) -> dict[str, Any]:
    return {"zoneName": ZONE, "zoneState": {"available": True}, "hosts": hosts}


def _found(exchange: Exchange, host: str | None) -> list[Hypervisor]:
    query = HypervisorQuery(name=host, services_only=True, limit=100_000)
    return exchange.read(list_hypervisors, ListHypervisors(query=query))


def _render(exchange: Exchange, found: Hypervisor) -> dict[str, Any]:
    document = {
        "id": found.uuid if exchange.minor >= UUIDS_SINCE else found.id,
        "binary": COMPUTE_BINARY,
        "host": found.name,
        "zone": ZONE,
        "status": _status(found),
        "state": "up" if found.up else "down",
        "updated_at": render_naive(found.changed_at),
        # Difference from Nova: the reason is not stored; the trait of a disabled service has no room for it.
        "disabled_reason": None,
    }
    return document | ({"forced_down": False} if exchange.minor >= FORCED_DOWN_SINCE else {})


def _status(found: Hypervisor) -> str:
    return "disabled" if found.disabled else "enabled"
