"""Boot devices of a node, and the validation of its settings by its driver."""

from typing import Any

from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import node_in_path, read_ident
from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.machines.model.driver import Driver, boot_device_of, find_driver
from dibs.machines.model.errors import InstanceTraitsMissing
from dibs.machines.model.node_traits import check_instance_traits
from dibs.machines.model.nodes import Node
from dibs.machines.model.patching.values import read_flag
from dibs.machines.operations import nodes as node_operations
from dibs.machines.operations import provisioning as operations

_UNVALIDATED = frozenset({"vendor"})
"""Quirk: Ironic never includes the vendor interface here (contract sample 115)."""


def show_boot_device(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/management/boot_device"""
    chosen = boot_device_of(_view(exchange, node_in_path(exchange), "baremetal:node:get_boot_device").node)
    return json_answer({"boot_device": chosen.device, "persistent": chosen.persistent})


def list_boot_devices(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/management/boot_device/supported"""
    view = _view(exchange, node_in_path(exchange), "baremetal:node:get_boot_device")
    return json_answer({"supported_boot_devices": list(_driver(exchange, view.node).boot_devices)})


def set_boot_device(exchange: Exchange) -> Response:
    """PUT /v1/nodes/{node}/management/boot_device"""
    ident = node_in_path(exchange)
    body = exchange.body("body", schemas.BOOT_DEVICE)
    device, persistent = body.get("boot_device"), body.get("persistent")
    if device is None:
        raise bad_request("Missing mandatory parameter: boot_device")
    command = operations.RequestBootDevice(
        ident=ident,
        rules=("baremetal:node:set_boot_device",),
        boot_device=device,
        persistent=persistent is not None and read_flag("persistent", persistent),
    )
    exchange.write(operations.request_boot_device, command)
    return empty_answer(204)


def validate_node(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/validate"""
    return _validate(exchange, node_in_path(exchange))


def validate_named_node(exchange: Exchange) -> Response:
    """GET /v1/nodes/validate?node="""
    ident = exchange.query.text("node") or exchange.query.text("node_uuid")
    if ident is None:
        raise bad_request("Missing mandatory parameter: node")
    return _validate(exchange, read_ident("node", ident, exchange.minor))


def _validate(exchange: Exchange, ident: str) -> Response:
    view = _view(exchange, ident, "baremetal:node:validate")
    reasons = dict(_driver(exchange, view.node).validate(view.node))
    try:
        check_instance_traits(view.node.uuid, view.node.instance_info, view.traits)
    except InstanceTraitsMissing as error:
        reasons["deploy"] = reasons.get("deploy") or str(error)
    return json_answer({kind: _result(reason) for kind, reason in reasons.items() if kind not in _UNVALIDATED})


def _result(reason: str | None) -> dict[str, Any]:
    return {"result": True} if reason is None else {"result": False, "reason": reason}


def _view(exchange: Exchange, ident: str, rule: str) -> node_operations.NodeView:
    return exchange.read(node_operations.get_node, node_operations.GetNode(ident=ident, rules=(rule,)))


def _driver(exchange: Exchange, node: Node) -> Driver:
    return find_driver(exchange.services.drivers, node.driver)
