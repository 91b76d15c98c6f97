"""Metadata and actions of a server."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.compute.errors import Refusal, bad_request
from dibs.dialects.compute.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.compute.handlers.servers import server_uuid
from dibs.dialects.compute.schemas import METADATA, Schema, closed
from dibs.http.messages import Response
from dibs.machines.model import states
from dibs.servers.model.errors import MetadataItemNotFound
from dibs.servers.model.metadata import MetadataChange
from dibs.servers.operations.servers import (
    ChangeMetadata,
    OneServer,
    SwitchServer,
    change_metadata,
    get_server,
    switch_server,
)

ITEMS: Schema = closed({"metadata": METADATA}, "metadata")
ITEM: Schema = closed({"meta": {**METADATA, "minProperties": 1, "maxProperties": 1}}, "meta")
ACTION: Schema = {"type": "object", "minProperties": 1, "maxProperties": 1}

_RULE = "os_compute_api:server-metadata:"
_REBOOTS = {"SOFT": states.SOFT_REBOOT, "HARD": states.REBOOT}
_POWER = {"os-start": states.POWER_ON, "os-stop": states.POWER_OFF}
_ACTION_RULES = {
    "os-start": "os_compute_api:servers:start",
    "os-stop": "os_compute_api:servers:stop",
    "reboot": "os_compute_api:servers:reboot",
}


def list_metadata(exchange: Exchange) -> Response:
    """GET /servers/{server}/metadata"""
    return json_answer({"metadata": _metadata(exchange)})


def show_metadata(exchange: Exchange) -> Response:
    """GET /servers/{server}/metadata/{key}"""
    found, key = _metadata(exchange), exchange.arguments["key"]
    if key not in found:
        raise MetadataItemNotFound
    return json_answer({"meta": {key: found[key]}})


def add_metadata(exchange: Exchange) -> Response:
    """POST /servers/{server}/metadata"""
    change = MetadataChange(items=exchange.body(ITEMS)["metadata"])
    return json_answer({"metadata": _change(exchange, "create", change)})


def replace_metadata(exchange: Exchange) -> Response:
    """PUT /servers/{server}/metadata"""
    change = MetadataChange(items=exchange.body(ITEMS)["metadata"], replace_all=True)
    return json_answer({"metadata": _change(exchange, "update_all", change)})


def set_metadata(exchange: Exchange) -> Response:
    """PUT /servers/{server}/metadata/{key}"""
    item = exchange.body(ITEM)["meta"]
    if exchange.arguments["key"] not in item:
        raise bad_request("Request body and URI mismatch")
    _change(exchange, "update", MetadataChange(items=item))
    return json_answer({"meta": item})


def delete_metadata(exchange: Exchange) -> Response:
    """DELETE /servers/{server}/metadata/{key}"""
    _change(exchange, "delete", MetadataChange(removed=exchange.arguments["key"]))
    return empty_answer(204)


def act(exchange: Exchange) -> Response:
    """POST /servers/{server}/action"""
    ((action, argument),) = exchange.body(ACTION).items()
    if action not in _ACTION_RULES:
        raise bad_request(f"Dibs has no action {action[:80]!r} for servers.")
    command = SwitchServer(
        uuid=server_uuid(exchange),
        rules=(_ACTION_RULES[action],),
        action=action,
        target=_POWER.get(action) or _read_reboot(argument),
    )
    exchange.write(switch_server, command)
    exchange.services.wake()
    return empty_answer(202)


def _read_reboot(argument: Any) -> str:
    kind = argument.get("type") if isinstance(argument, dict) else None
    if not isinstance(kind, str) or kind.upper() not in _REBOOTS:
        raise Refusal(400, "Argument 'type' for reboot must be SOFT or HARD")
    return _REBOOTS[kind.upper()]


def _metadata(exchange: Exchange) -> dict[str, str]:
    found = exchange.read(get_server, OneServer(uuid=server_uuid(exchange), rules=(f"{_RULE}index",)))
    return dict(found.server.properties.get("metadata", {}))


def _change(exchange: Exchange, action: str, change: MetadataChange) -> Mapping[str, str]:
    command = ChangeMetadata(uuid=server_uuid(exchange), rules=(f"{_RULE}{action}",), change=change)
    return exchange.write(change_metadata, command)
