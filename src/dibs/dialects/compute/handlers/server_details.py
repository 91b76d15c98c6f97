"""What belongs to a server: its metadata, and what it can be told to do."""

from collections.abc import Callable, Mapping
from typing import Any

from dibs.dialects.compute.errors import Refusal, bad_request, not_found
from dibs.dialects.compute.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.compute.handlers.servers import named
from dibs.dialects.compute.schemas import METADATA, METADATA_MAX, Schema, closed
from dibs.http.messages import Response
from dibs.machines.model import states
from dibs.servers.model.servers import Server
from dibs.servers.operations.servers import ChangeServer, SwitchServer, change_server, get_server, switch_server

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

Metadata = Mapping[str, str]


def list_metadata(exchange: Exchange) -> Response:
    """GET /servers/{server}/metadata"""
    return json_answer({"metadata": _metadata(exchange)})


def show_metadata(exchange: Exchange) -> Response:
    """GET /servers/{server}/metadata/{key}"""
    found, key = _metadata(exchange), exchange.arguments["key"]
    if key not in found:
        raise not_found("Metadata item was not found")
    return json_answer({"meta": {key: found[key]}})


def add_metadata(exchange: Exchange) -> Response:
    """POST /servers/{server}/metadata"""
    new = exchange.body(ITEMS)["metadata"]
    return json_answer({"metadata": _change(exchange, "create", lambda old: {**old, **new})})


def replace_metadata(exchange: Exchange) -> Response:
    """PUT /servers/{server}/metadata"""
    new = exchange.body(ITEMS)["metadata"]
    return json_answer({"metadata": _change(exchange, "update_all", lambda old: new)})


def set_metadata(exchange: Exchange) -> Response:
    """PUT /servers/{server}/metadata/{key}"""
    new = exchange.body(ITEM)["meta"]
    if exchange.arguments["key"] not in new:
        raise bad_request("Request body and URI mismatch")
    _change(exchange, "update", lambda old: {**old, **new})
    return json_answer({"meta": new})


def delete_metadata(exchange: Exchange) -> Response:
    """DELETE /servers/{server}/metadata/{key}"""
    key = exchange.arguments["key"]

    def without(old: Metadata) -> Metadata:
        if key not in old:
            raise not_found("Metadata item was not found")
        return {name: value for name, value in old.items() if name != key}

    _change(exchange, "delete", without)
    return empty_answer(204)


def act(exchange: Exchange) -> Response:
    """POST /servers/{server}/action"""
    ((action, argument),) = exchange.body(ACTION).items()
    if action not in _ACTION_RULES:
        raise bad_request(f"There is no such action here: {action[:80]}")
    target = _POWER.get(action) or _reboot(argument)
    guarded = named(exchange, _ACTION_RULES[action])
    command = SwitchServer(
        uuid=guarded.uuid,
        guard=guarded.guard,
        action=action,
        target=target,
        validate=exchange.checks(states.POWER),
    )
    exchange.write(switch_server, command)
    exchange.services.wake()
    return empty_answer(202)


def _reboot(argument: Any) -> str:
    kind = argument.get("type") if isinstance(argument, dict) else None
    if not isinstance(kind, str) or kind.upper() not in _REBOOTS:
        raise Refusal(400, "Argument 'type' for reboot must be SOFT or HARD")
    return _REBOOTS[kind.upper()]


def _metadata(exchange: Exchange) -> dict[str, str]:
    found = exchange.read(get_server, named(exchange, f"{_RULE}index"))
    return dict(found.server.properties.get("metadata", {}))


def _change(exchange: Exchange, rule: str, edit: Callable[[Metadata], Metadata]) -> Metadata:
    def changed(server: Server) -> tuple[str, Mapping[str, Any]]:
        metadata = edit(server.properties.get("metadata", {}))
        if len(metadata) > METADATA_MAX:
            raise Refusal(403, f"Maximum number of metadata items exceeds {METADATA_MAX}")
        return server.name, {**server.properties, "metadata": metadata}

    guarded = named(exchange, f"{_RULE}{rule}")
    after = exchange.write(change_server, ChangeServer(uuid=guarded.uuid, guard=guarded.guard, edit=changed))
    metadata: Metadata = after.server.properties["metadata"]
    return metadata
